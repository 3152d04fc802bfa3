/// What a ``SharedSignal`` stands for: it drives the pure values with one lock.
///
/// The upstream's observer, the observations and the facade hold it; it holds the run's resources
/// and the members. Those cycles end with the run and with the observations.
///
/// ## Thread safety
/// `state` is the only lock. Everything foreign happens outside of it: closures, schedulers, the
/// release of values and closures.
@usableFromInline
final class SharedCore<Value: Sendable, Failure: Error>: FanoutOwner {
    @usableFromInline
    let upstream: SignalProducer<Value, Failure>
    @usableFromInline
    let configuration: SharedSignal<Value, Failure>.Configuration
    @usableFromInline
    let scheduler: any Scheduler
    @usableFromInline
    let alarm: Alarm
    @usableFromInline
    let state: Locked<State>
    /// Where changes of the state are told.
    @usableFromInline
    let news = SignalCore<News, Never>()
    /// Whether the time of a value matters.
    @usableFromInline
    let timesValues: Bool
    /// Whether the time at which an observer comes or leaves matters.
    @usableFromInline
    let timesMembers: Bool

    @inlinable
    init(
        _ upstream: SignalProducer<Value, Failure>,
        configuration: SharedSignal<Value, Failure>.Configuration,
        scheduler: any Scheduler
    ) {
        self.upstream = upstream
        self.configuration = configuration
        self.scheduler = scheduler
        alarm = Alarm(scheduler: scheduler)
        timesValues = configuration.replayCount > 0 && configuration.replayMaximumAge != nil
        timesMembers =
            timesValues || configuration.linger > .zero || configuration.replayAtStop.isTimed
        state = Locked(State(configuration))
    }

    deinit {
        alarm.cancel()
        state.withLock { $0.run }?.resources.dispose()
        news.send(.interrupted)
    }

    /// Whether no thread holds the lock; for tests.
    var isUnlocked: Bool { state.withLockIfAvailable { _ in true } ?? false }

    @inlinable
    func withFanout<Result: ~Copyable>(
        _ body: (inout Fanout<Value, Failure>) -> sending Result
    ) -> sending Result {
        state.withLock { body(&$0.fanout) }
    }

    @inlinable
    func didLose(_ count: Int) {
        state.withLock { $0.drops += count }
    }

    // Looking

    @inlinable
    var snapshot: SharedSignalSnapshot { state.withLock { $0.snapshot } }

    @inlinable
    var replay: [(value: Value, age: Duration)] {
        let now = scheduler.now
        let entries = state.withLock { $0.replay.entries(now: now) }
        return entries.map { ($0.value, now - $0.time) }
    }

    @inlinable
    func resetReplay() {
        _ = state.withLock { $0.replay.removeAll() }
    }
}
