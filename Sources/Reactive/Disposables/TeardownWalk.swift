import Synchronization

/// The walk of one thread through a graph of disposables: how deep its actions have called each
/// other, and what they left for the outermost call to do.
final class TeardownWalk: Sendable {
    private struct State {
        var depth = 1
        var isOver = false
        var deferred: [TeardownStep] = []
    }

    private let thread = ThreadIdentity.current
    private let state = Mutex(State())

    /// The new depth, or nil when the walk is over or another thread's: a task started by an
    /// action inherits the task-local value, though not the thread.
    func enter() -> Int? {
        guard ThreadIdentity.current == thread else { return nil }
        return state.withLock { state in
            guard !state.isOver else { return nil }
            state.depth += 1
            return state.depth
        }
    }

    func leave(deferring step: sending TeardownStep? = nil) {
        let kept = Mutex(step)
        state.withLock { state in
            state.depth -= 1
            if let step = kept.withLock({ $0 }) { state.deferred.append(step) }
        }
    }

    /// What is left to do, or nil, which ends the walk.
    func takeDeferred() -> [TeardownStep]? {
        state.withLock { state in
            guard !state.deferred.isEmpty else {
                state.isOver = true
                return nil
            }
            let deferred = state.deferred
            state.deferred = []
            return deferred
        }
    }
}
