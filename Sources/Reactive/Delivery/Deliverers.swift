/// The threads that deliver a signal's events, once for each time that they do.
///
/// One of them, the usual number, costs no memory.
@usableFromInline
struct Deliverers {
    /// 0: none.
    @usableFromInline
    var first: UInt = 0
    @usableFromInline
    var others: [UInt] = []

    @inlinable
    init() {}

    @inlinable
    var isEmpty: Bool { first == 0 }

    @inlinable
    func contains(_ thread: UInt) -> Bool {
        first == thread || (!others.isEmpty && others.contains(thread))
    }

    @inlinable
    mutating func insert(_ thread: UInt) {
        if first == 0 { first = thread } else { others.append(thread) }
    }

    /// Removes a thread once.
    @inlinable
    mutating func remove(_ thread: UInt) {
        if others.isEmpty {
            if first == thread { first = 0 }
        } else {
            removeFromMany(thread)
        }
    }

    @usableFromInline
    mutating func removeFromMany(_ thread: UInt) {
        if let index = others.lastIndex(of: thread) {
            others.remove(at: index)
        } else if first == thread {
            first = others.removeLast()
        }
    }
}
