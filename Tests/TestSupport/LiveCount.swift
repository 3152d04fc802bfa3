import Synchronization

/// Counts the objects of a test that are alive.
public final class LiveCount: Sendable {
    /// An object that is counted while it lives, to be captured by closures or sent as a value.
    public final class Member: Sendable {
        private let count: LiveCount
        private let onRelease: (@Sendable () -> Void)?

        fileprivate init(_ count: LiveCount, _ onRelease: (@Sendable () -> Void)?) {
            self.count = count
            self.onRelease = onRelease
            count.number.add(1, ordering: .relaxed)
        }

        deinit {
            count.number.subtract(1, ordering: .relaxed)
            onRelease?()
        }

        /// Does nothing; a closure that calls it holds this object.
        public func hold() {}
    }

    private let number = Atomic(0)

    /// Creates a count of 0.
    public init() {}

    /// How many members are alive.
    public var alive: Int { number.load(ordering: .acquiring) }

    /// A new member, whose release runs `onRelease`.
    public func member(onRelease: (@Sendable () -> Void)? = nil) -> Member {
        Member(self, onRelease)
    }
}
