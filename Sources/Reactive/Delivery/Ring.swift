/// A queue in a circular buffer that grows but does not shrink, so that in a steady state it
/// allocates nothing.
struct Ring<Element> {
    private var storage: [Element?] = []
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// The element at a distance from the oldest one, which must be below ``count``.
    subscript(offset: Int) -> Element {
        guard offset < count, let element = storage[position(offset)] else {
            preconditionFailure("offset \(offset) is beyond the \(count) elements of the ring")
        }
        return element
    }

    mutating func append(_ element: Element) {
        if count == storage.count { grow() }
        storage[position(count)] = element
        count += 1
    }

    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = storage[head].take()
        head = head + 1 == storage.count ? 0 : head + 1
        count -= 1
        return element
    }

    private func position(_ offset: Int) -> Int {
        let position = head + offset
        return position < storage.count ? position : position - storage.count
    }

    private mutating func grow() {
        var larger: [Element?] = []
        larger.reserveCapacity(max(2, storage.count * 2))
        for offset in 0..<count { larger.append(storage[position(offset)]) }
        for _ in count..<max(2, storage.count * 2) { larger.append(nil) }
        storage = larger
        head = 0
    }
}
