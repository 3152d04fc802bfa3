private import Synchronization

/// The places for streams, of which there are only so many.
final class StreamPlaces: Sendable {
    private let capacity: Int
    private let taken = Atomic<Int>(0)
    private let refused = Atomic<Int>(0)

    init(_ capacity: Int) {
        self.capacity = capacity
    }

    /// How many are taken.
    var count: Int {
        taken.load(ordering: .relaxed)
    }

    /// How often a client was turned away, for want of a place or because the service was ending.
    var refusedCount: Int {
        refused.load(ordering: .relaxed)
    }

    /// Whether all are taken.
    var isFull: Bool {
        count >= capacity
    }

    /// Takes a place if there is one.
    func take() -> Bool {
        guard taken.add(1, ordering: .relaxed).newValue <= capacity else {
            giveBack()
            return false
        }
        return true
    }

    /// Notes that a client was turned away.
    func countRefused() {
        refused.add(1, ordering: .relaxed)
    }

    /// Gives back a place that was taken.
    func giveBack() {
        let left = taken.subtract(1, ordering: .relaxed).newValue
        precondition(left >= 0, "a stream place was given back twice")
    }
}
