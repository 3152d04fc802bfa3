import Dispatch

/// One action on a queue at a time to come, unless it is disposed before.
final class DispatchTimer: Disposable {
    private struct State {
        var action: (@Sendable () -> Void)?
        /// Refers to this object by its handler; the action's run or disposal breaks that cycle.
        var source: (any DispatchSourceTimer)?
    }

    private let state: Locked<State>

    /// Schedules `action` at once when `deadline` is nil, else at that time since boot.
    init(
        on queue: DispatchQueue,
        at deadline: DispatchTime?,
        _ action: @escaping @Sendable () -> Void
    ) {
        guard let deadline else {
            state = Locked(State(action: action))
            queue.async { self.run() }
            return
        }
        let source = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
        source.schedule(deadline: deadline, leeway: .nanoseconds(0))
        state = Locked(State(action: action, source: source))
        state.withLock { state in
            state.source?.setEventHandler { self.run() }
            state.source?.activate()
        }
    }

    var isDisposed: Bool { state.withLock { $0.action == nil } }

    func dispose() {
        _ = take()
    }

    private func run() {
        take()?()
    }

    /// Takes the action and gives up the timer.
    ///
    /// A cancelled source releases its handler on its queue, so nothing of the user's is released
    /// under the lock.
    private func take() -> (@Sendable () -> Void)? {
        state.withLock { state in
            let action = state.action
            state.action = nil
            state.source?.cancel()
            state.source = nil
            return action
        }
    }
}
