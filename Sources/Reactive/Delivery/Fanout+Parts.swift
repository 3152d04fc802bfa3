public import Dispatch

extension Fanout {
    /// An observer, and its closure, which goes when it leaves.
    @usableFromInline
    struct Member: Sendable {
        @usableFromInline
        let observation: Observation
        @usableFromInline
        let action: Action

        @inlinable
        init(observation: Observation, action: @escaping Action) {
            self.observation = observation
            self.action = action
        }
    }

    /// One event in the log.
    @usableFromInline
    struct Posting: Sendable {
        @usableFromInline
        let event: Event<Value, Failure>
        /// Whom it is for, when these are no members any more; nil: for the members.
        @usableFromInline
        let audience: Audience?
        /// False for the end of a run, which concerns only those who count for it.
        @usableFromInline
        let isForAll: Bool

        @inlinable
        init(event: Event<Value, Failure>, audience: Audience? = nil, isForAll: Bool = true) {
            self.event = event
            self.audience = audience
            self.isForAll = isForAll
        }
    }

    /// An event on its way, in the hands of one thread.
    ///
    /// The audience may contain members who came after the event; their position says so.
    @usableFromInline
    struct Pass: ~Copyable, Sendable {
        @usableFromInline
        let sequence: Int
        @usableFromInline
        let event: Event<Value, Failure>
        @usableFromInline
        let audience: Audience
        /// Whether the thread is inside the only member already.
        @usableFromInline
        let isDirect: Bool

        @inlinable
        init(
            sequence: Int,
            event: Event<Value, Failure>,
            audience: Audience,
            isDirect: Bool = false
        ) {
            self.sequence = sequence
            self.event = event
            self.audience = audience
            self.isDirect = isDirect
        }
    }

    /// Postings that nobody needs any more.
    ///
    /// They hold values and closures of the user, so they are handed out and released outside of
    /// the lock; room for one costs no allocation.
    @usableFromInline
    struct Remains: Sendable {
        @usableFromInline
        var first: Posting?
        @usableFromInline
        var others: [Posting] = []

        @inlinable
        init() {}

        @inlinable
        mutating func append(_ posting: Posting) {
            if first == nil { first = posting } else { appendToOthers(posting) }
        }

        @inlinable
        @inline(never)
        mutating func appendToOthers(_ posting: Posting) {
            others.append(posting)
        }
    }

    /// What a member has yet to get, and how much of it has been dropped.
    @usableFromInline
    struct Backlog: Sendable {
        @usableFromInline
        var events: [(sequence: Int, event: Event<Value, Failure>)] = []
        /// The position after them.
        @usableFromInline
        var end: Int
        @usableFromInline
        var lost: Int

        @inlinable
        init(end: Int, lost: Int) {
            self.end = end
            self.lost = lost
        }
    }

    /// Somebody who waits until no callback of an observer is running.
    @usableFromInline
    struct Waiter: Sendable {
        @usableFromInline
        let observation: Observation
        @usableFromInline
        let wakeUp: DispatchSemaphore

        @inlinable
        init(observation: Observation, wakeUp: DispatchSemaphore) {
            self.observation = observation
            self.wakeUp = wakeUp
        }
    }
}
