/// A queue: its oldest element lies inline, the others in a circular buffer.
///
/// With one element at a time it touches no other memory; beyond that it grows but does not
/// shrink, so that in a steady state it allocates nothing.
@usableFromInline
struct Ring<Element> {
    /// The oldest element.
    @usableFromInline
    var first: Element?
    /// The others; slots beyond the occupied ones are nil.
    ///
    /// The size is a power of two, or 0.
    @usableFromInline
    var storage: [Element?] = []
    @usableFromInline
    var head = 0
    /// How many there are, the inline one included.
    @usableFromInline
    var count = 0

    @inlinable
    init() {}

    @inlinable
    var isEmpty: Bool { count == 0 }

    /// The element at a distance from the oldest one, which must be below ``count``.
    @inlinable
    subscript(offset: Int) -> Element {
        if offset == 0, let first { return first }
        guard offset > 0, offset < count, let element = storage[slot(offset - 1)] else {
            preconditionFailure("offset \(offset) is beyond the \(count) elements of the ring")
        }
        return element
    }

    @inlinable
    mutating func append(_ element: Element) {
        if count == 0 { first = element } else { appendToOthers(element) }
        count += 1
    }

    @inlinable
    mutating func popFirst() -> Element? {
        let element = first.take()
        guard element != nil else { return nil }
        count -= 1
        if count > 0 { refillFirst() }
        return element
    }

    @inlinable
    func slot(_ offset: Int) -> Int { (head + offset) & (storage.count - 1) }

    @inlinable
    @inline(never)
    mutating func refillFirst() {
        first = storage[head].take()
        head = (head + 1) & (storage.count - 1)
    }

    @inlinable
    @inline(never)
    mutating func appendToOthers(_ element: Element) {
        let others = count - 1
        if others == storage.count {
            let size = max(2, storage.count * 2)
            var larger: [Element?] = []
            larger.reserveCapacity(size)
            for offset in 0..<others { larger.append(storage[slot(offset)]) }
            while larger.count < size { larger.append(nil) }
            storage = larger
            head = 0
        }
        storage[slot(others)] = element
    }
}

extension Ring: Sendable where Element: Sendable {}
