/// The walk of one thread through a graph of disposables.
///
/// It knows how deep the actions have called each other, and what they left for the outermost
/// call to do.
final class TeardownWalk: Sendable {
    private struct State {
        var depth = 0
        var isOver = false
        var steps: [TeardownStep] = []
    }

    private let thread = ThreadIdentity.current
    private let state = Locked(State())

    /// The new depth, or nil when the walk is over or another thread's.
    ///
    /// A task that an action starts inherits the task-local value, though not the thread.
    func enter() -> Int? {
        guard ThreadIdentity.current == thread else { return nil }
        return state.withLock { state in
            guard !state.isOver else { return nil }
            state.depth += 1
            return state.depth
        }
    }

    func leave() {
        state.withLock { $0.depth -= 1 }
    }

    /// Leaves a step to the outermost call.
    func append(_ step: TeardownStep) {
        state.withLock { $0.steps.append(step) }
    }

    /// The step that was left last, or nil, which ends the walk.
    func takeNext() -> TeardownStep? {
        state.withLock { state in
            guard let step = state.steps.popLast() else {
                state.isOver = true
                return nil
            }
            return step
        }
    }
}
