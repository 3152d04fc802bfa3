/// What a ``Signal`` stands for: its members, whether it has ended, and what its end disposes.
///
/// ## Thread safety
/// `state` is the only lock. Observers, the disposal of `resources`, and the release of values and
/// closures happen outside of it.
@usableFromInline
final class SignalCore<Value: Sendable, Failure: Error>: FanoutOwner {
    @usableFromInline
    struct State {
        @usableFromInline
        var fanout = Fanout<Value, Failure>(lagLimit: 4096)
        @usableFromInline
        var hasEnded = false

        @inlinable
        init() {}
    }

    @usableFromInline
    let state = Locked(State())
    /// Disposed when the terminating event has been delivered, or when nobody can observe.
    @usableFromInline
    let resources = CompositeDisposable()

    @inlinable
    init() {}

    deinit {
        resources.dispose()
    }

    @inlinable
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Whether no thread holds the lock; for tests.
    var isUnlocked: Bool { state.withLockIfAvailable { _ in true } ?? false }

    @inlinable
    func withFanout<Result: ~Copyable>(
        _ body: (inout Fanout<Value, Failure>) -> sending Result
    ) -> sending Result {
        state.withLock { body(&$0.fanout) }
    }

    /// Adds a member; nil after the end.
    @inlinable
    func insert(_ action: @escaping @Sendable (Event<Value, Failure>) -> Void) -> Observation? {
        let observation = Observation { self.answer($0, $1) }
        let isMember = state.withLock { state in
            guard !state.hasEnded else { return false }
            state.fanout.insert(observation, action: action)
            return true
        }
        return isMember ? observation : nil
    }

    /// Adds a member that gets nothing until `prepare` has returned, and then all it has missed.
    @inlinable
    func insert(
        _ action: @escaping @Sendable (Event<Value, Failure>) -> Void,
        after prepare: () -> Void
    ) -> Observation? {
        let thread = ThreadIdentity.current
        let observation = Observation(thread: thread) { self.answer($0, $1) }
        let isMember = state.withLock { state in
            guard !state.hasEnded else { return false }
            state.fanout.insert(observation, action: action)
            state.fanout.beginJoin(thread: thread)
            return true
        }
        guard isMember else { return nil }
        prepare()
        finishJoin(Member(observation: observation, action: action), thread: thread)
        return observation
    }

    @inlinable
    func remove(_ observation: Observation) {
        _ = withFanout { $0.remove(observation) }
    }

    @inlinable
    func didLose(_ count: Int) {}

    /// Sends an event; after a terminating one nothing has an effect any more.
    @inlinable
    func send(_ event: Event<Value, Failure>) {
        let thread = ThreadIdentity.current
        guard !event.isTerminating else { return end(event, thread: thread) }
        var dropped = Fanout<Value, Failure>.Remains()
        let pass = state.withLock { state -> Pass? in
            guard !state.hasEnded else { return nil }
            return state.fanout.post(event, thread: thread, dropped: &dropped)
        }
        deliver(pass, thread: thread)
    }

    @inlinable
    func end(_ event: Event<Value, Failure>, thread: UInt) {
        var dropped = Fanout<Value, Failure>.Remains()
        var isFirst = false
        let pass = state.withLock { state -> Pass? in
            guard !state.hasEnded else { return nil }
            isFirst = true
            state.hasEnded = true
            return state.fanout.postLast(
                event,
                onlyCounted: false,
                thread: thread,
                dropped: &dropped
            )
        }
        guard isFirst else { return }
        deliver(pass, thread: thread)
        resources.dispose()
    }
}
