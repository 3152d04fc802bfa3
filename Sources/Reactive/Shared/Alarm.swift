/// One timer of which only the latest setting counts, whatever order the settings arrive in.
@usableFromInline
final class Alarm: Sendable {
    private struct State {
        var version = 0
        var timer: (any Disposable)?
    }

    private let state = Locked(State())
    private let scheduler: any Scheduler

    @usableFromInline
    init(scheduler: any Scheduler) {
        self.scheduler = scheduler
    }

    /// Replaces the timer, unless a setting with a higher version has come before.
    @usableFromInline
    func set(version: Int, at deadline: Duration, _ action: @escaping @Sendable () -> Void) {
        let (isLatest, previous) = state.withLock { state in
            guard version > state.version else { return (false, (any Disposable)?.none) }
            state.version = version
            let previous = state.timer
            state.timer = nil
            return (true, previous)
        }
        previous?.dispose()
        guard isLatest else { return }
        let timer = scheduler.schedule(at: deadline, action)
        let isStillLatest = state.withLock { state in
            guard state.version == version else { return false }
            state.timer = timer
            return true
        }
        if !isStillLatest { timer.dispose() }
    }

    /// Disposes the timer.
    @usableFromInline
    func cancel() {
        let timer = state.withLock { state in
            let timer = state.timer
            state.timer = nil
            return timer
        }
        timer?.dispose()
    }
}
