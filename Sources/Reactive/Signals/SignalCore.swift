import Dispatch
import Synchronization

/// What a ``Signal`` stands for: its members, whether it has ended, and what its end disposes.
///
/// ## Thread safety
/// `state` is the only lock. Observers, the disposal of `resources`, and the release of values and
/// closures happen outside of it.
final class SignalCore<Value: Sendable, Failure: Error>: FanoutOwner {
    private struct State {
        var fanout = Fanout<Value, Failure>(lagLimit: Defaults.lagLimit)
        var hasEnded = false
    }

    private let state = Mutex(State())
    /// Disposed when the terminating event has been delivered, or when nobody can observe.
    let resources = CompositeDisposable()

    init() {}

    deinit {
        resources.dispose()
    }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }
    var isUnlocked: Bool { state.withLockIfAvailable { _ in true } ?? false }

    func withFanout<Result>(
        _ body: (inout Fanout<Value, Failure>) -> sending Result
    ) -> Result {
        state.withLock { body(&$0.fanout) }
    }

    /// Adds a member; nil after the end.
    func insert(_ action: @escaping Fanout<Value, Failure>.Action) -> Observation? {
        let observation = Observation(owner: self)
        let isMember = state.withLock { state in
            guard !state.hasEnded else { return false }
            state.fanout.insert(observation, action: action)
            return true
        }
        return isMember ? observation : nil
    }

    func remove(_ observation: Observation) {
        _ = withFanout { $0.remove(observation) }
    }

    func didLose(_ count: Int) {}

    /// Sends an event; after a terminating one nothing has an effect any more.
    func send(_ event: Event<Value, Failure>) {
        let thread = ThreadIdentity.current
        let isTerminating = event.isTerminating
        var dropped = Fanout<Value, Failure>.Remains()
        let (isAccepted, pass) = state.withLock { state in
            guard !state.hasEnded else { return (false, Fanout<Value, Failure>.Pass?.none) }
            var audience: [Fanout<Value, Failure>.Member]?
            if isTerminating {
                state.hasEnded = true
                audience = state.fanout.removeAll { _ in true }
            }
            let pass = state.fanout.post(event, to: audience, thread: thread, dropped: &dropped)
            return (true, pass)
        }
        guard isAccepted else { return }
        deliver(pass, thread: thread)
        if isTerminating { resources.dispose() }
    }
}
