private import Dispatch
private import Glibc
internal import Reactive
private import Synchronization

/// Runs actions one at a time, in the order in which they were handed over, on the threads that
/// hand them over.
///
/// This is the service's one order: an event gets its id and reaches every stream's queue in one
/// action, and a stream joins in one, so that ids only grow on every stream, over all sources. No
/// lock is held while an action runs; an action that hands over another has it run after itself.
///
/// ## Thread safety Any thread may call. The thread that finds nothing running becomes the one that
/// runs; after a batch it passes what is left to `relief`, so that a thread with other duties, such
/// as the one that serves sockets, is not held for long. A thread that finds a full backlog waits
/// for a batch to end, unless it is the one that runs: a fast source is slowed down rather than
/// piled up.
final class OrderedStep: Sendable {
    private let state = Mutex(State())
    private let relief: any Scheduler

    /// How many actions one thread runs before it passes the rest on.
    static let batch = 256
    /// How many actions may wait before those who add more are made to wait.
    static let backlogLimit = 4096

    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var runner: pthread_t?
        var blocked: [DispatchSemaphore] = []
    }

    init(relief: any Scheduler) {
        self.relief = relief
    }

    /// Runs `action` after all that were handed over before it; often before this call returns.
    func perform(_ action: @escaping @Sendable () -> Void) {
        let this = pthread_self()
        let (mayRun, turn) = state.withLock { state -> (Bool, DispatchSemaphore?) in
            state.waiting.append(action)
            guard let runner = state.runner else {
                state.runner = this
                return (true, nil)
            }
            guard state.waiting.count > Self.backlogLimit, runner != this else {
                return (false, nil)
            }
            let turn = DispatchSemaphore(value: 0)
            state.blocked.append(turn)
            return (false, turn)
        }
        if mayRun { run() }
        turn?.wait()
    }

    /// How many threads wait because the backlog is full.
    var blockedCount: Int {
        state.withLock { $0.blocked.count }
    }

    private func run() {
        var finished = 0
        while let batch = nextBatch() {
            for action in batch { action() }
            finished += batch.count
            if finished >= Self.batch { return passOn() }
        }
    }

    private func nextBatch() -> [@Sendable () -> Void]? {
        let (batch, blocked) = state.withLock { state in
            let batch = state.waiting
            let blocked = state.blocked
            state.waiting = []
            state.blocked = []
            if batch.isEmpty { state.runner = nil }
            return (batch, blocked)
        }
        for turn in blocked { turn.signal() }
        return batch.isEmpty ? nil : batch
    }

    private func passOn() {
        let isDone = state.withLock { state in
            state.runner = nil
            return state.waiting.isEmpty
        }
        guard !isDone else { return }
        relief.schedule(after: .zero) { [self] in
            let mayRun = state.withLock { state in
                guard state.runner == nil, !state.waiting.isEmpty else { return false }
                state.runner = pthread_self()
                return true
            }
            if mayRun { run() }
        }
    }
}
