public import Reactive

/// Virtual time: it stands still until the test moves it.
///
/// Actions run on the thread that moves the time, in the order of their deadlines, and those with
/// the same deadline in the order in which they were scheduled. While one runs, ``now`` is its
/// deadline.
public final class TestScheduler: Scheduler {
    private struct Entry {
        let deadline: Duration
        let order: Int
        let action: @Sendable () -> Void
        let token: SimpleDisposable
    }

    private struct State {
        var now: Duration
        var order = 0
        var entries: [Entry] = []
    }

    private let state: Locked<State>

    /// Creates a scheduler whose time is `start`.
    public init(startingAt start: Duration = .zero) {
        state = Locked(State(now: start))
    }

    /// The virtual time.
    public var now: Duration { state.withLock { $0.now } }

    /// How many actions wait that have not been disposed.
    public var pendingCount: Int {
        state.withLock { state in state.entries.count { !$0.token.isDisposed } }
    }

    /// Runs `action` when the time is moved to or beyond `deadline`.
    @discardableResult
    public func schedule(
        at deadline: Duration,
        _ action: @escaping @Sendable () -> Void
    ) -> any Disposable {
        let token = SimpleDisposable()
        state.withLock { state in
            state.entries.append(
                Entry(deadline: deadline, order: state.order, action: action, token: token)
            )
            state.order += 1
        }
        return ActionDisposable { [weak self] in
            token.dispose()
            self?.discardDisposed()
        }
    }

    /// Runs what is due now, in the past included.
    public func advance() {
        run(until: now)
    }

    /// Moves the time on and runs what becomes due, at its deadline.
    public func advance(by duration: Duration) {
        run(until: now + duration)
    }

    /// Moves the time to `time` and runs what becomes due, at its deadline.
    public func run(until time: Duration) {
        while let entry = takeNext(until: time) {
            if !entry.token.isDisposed { entry.action() }
        }
        state.withLock { $0.now = max($0.now, time) }
    }

    private func takeNext(until time: Duration) -> Entry? {
        state.withLock { state in
            let due = state.entries.indices.filter { state.entries[$0].deadline <= time }
            let next = due.min { left, right in
                let (left, right) = (state.entries[left], state.entries[right])
                return (left.deadline, left.order) < (right.deadline, right.order)
            }
            guard let next else { return nil }
            let entry = state.entries.remove(at: next)
            state.now = max(state.now, entry.deadline)
            return entry
        }
    }

    private func discardDisposed() {
        let discarded = state.withLock { state in
            let discarded = state.entries.filter { $0.token.isDisposed }
            state.entries.removeAll { $0.token.isDisposed }
            return discarded
        }
        // Released here, for an action's captures may do anything when they go.
        _ = discarded
    }
}
