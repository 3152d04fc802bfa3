import Dispatch
import Synchronization

/// What a ``SharedSignal`` stands for: it drives the pure values with one lock.
///
/// The upstream's observer, the observations and the facade hold it; it holds the run's resources
/// and the members. Those cycles end with the run and with the observations.
///
/// ## Thread safety
/// `state` is the only lock. Everything foreign happens outside of it: closures, schedulers, the
/// release of values and closures.
final class SharedCore<Value: Sendable, Failure: Error>: FanoutOwner {
    typealias Action = Fanout<Value, Failure>.Action
    typealias Remains = Fanout<Value, Failure>.Remains

    /// A run's number and what its end disposes.
    struct Run {
        let generation: Int
        let resources = CompositeDisposable()
    }

    /// Something to be done after unlocking.
    enum Work {
        case start(Run)
        case stop(Run)
    }

    struct State {
        var machine: SharedSignalMachine
        var replay: ReplayBuffer<Value>
        var fanout: Fanout<Value, Failure>
        var run: Run?
        var replays = 0
        var drops = 0
        var alarmVersion = 0
        var alarmDeadline: Duration?
        /// Changes that state observers have not been told; nil when there are no such observers.
        var news: [SharedSignalSnapshot]?
        var isTellingNews = false
    }

    let upstream: SignalProducer<Value, Failure>
    let configuration: SharedSignal<Value, Failure>.Configuration
    let scheduler: any Scheduler
    let states = SignalCore<SharedSignalSnapshot, Never>()
    private let alarm: Alarm
    private let state: Mutex<State>
    private let timesValues: Bool
    private let timesMembers: Bool

    init(
        _ upstream: SignalProducer<Value, Failure>,
        configuration: SharedSignal<Value, Failure>.Configuration,
        scheduler: any Scheduler
    ) {
        self.upstream = upstream
        self.configuration = configuration
        self.scheduler = scheduler
        alarm = Alarm(scheduler: scheduler)
        timesValues =
            configuration.replayCount > 0
            && configuration.replayMaximumAge != nil
        timesMembers =
            timesValues || configuration.linger > .zero
            || configuration.replayAtStop.isTimed
        state = Mutex(
            State(
                machine: SharedSignalMachine(
                    linger: configuration.linger,
                    backOff: configuration.backOff,
                    retriesOnFailure: configuration.retriesOnFailure
                ),
                replay: ReplayBuffer(
                    capacity: configuration.replayCount,
                    isKeyed: configuration.replayKey != nil,
                    maximumAge: configuration.replayMaximumAge,
                    atStop: configuration.replayAtStop
                ),
                fanout: Fanout(lagLimit: configuration.lagLimit)
            )
        )
    }

    deinit {
        alarm.cancel()
        state.withLock { $0.run }?.resources.dispose()
        states.send(.interrupted)
    }

    /// Whether no thread holds the lock; for tests.
    var isUnlocked: Bool { state.withLockIfAvailable { _ in true } ?? false }

    // Observing

    func observe(isCounted: Bool, _ action: @escaping Action) -> Observation {
        let thread = ThreadIdentity.current
        let now = timesMembers ? scheduler.now : .zero
        let observation = Observation(owner: self, isCounted: isCounted, thread: thread)
        var replayed: [ReplayBuffer<Value>.Entry] = []
        var isMember = false
        let effects = change(now: now) { state -> SharedSignalMachine.Action? in
            guard !state.machine.isDrained else { return nil }
            isMember = true
            replayed = state.replay.entries(now: now)
            state.replays += replayed.count
            state.fanout.insert(observation, action: action)
            state.fanout.beginJoin(thread: thread)
            return isCounted ? state.machine.join(now: now) : nil
        }
        guard isMember else {
            action(.interrupted)
            _ = observation.close()
            return observation
        }
        for entry in replayed where !observation.isDisposed {
            action(.value(entry.value))
        }
        leave(Member(observation: observation, action: action), thread: thread)
        var delivered = Remains()
        let pass = withFanout { $0.endJoin(thread: thread, delivered: &delivered) }
        deliver(pass, thread: thread)
        perform(effects)
        return observation
    }

    func remove(_ observation: Observation) {
        let now = timesMembers ? scheduler.now : .zero
        var member: Member?
        let effects = change(now: now) { state -> SharedSignalMachine.Action? in
            member = state.fanout.remove(observation)
            guard member != nil, observation.isCounted else { return nil }
            return state.machine.leave(now: now)
        }
        member = nil
        perform(effects)
    }

    func withFanout<Result>(
        _ body: (inout Fanout<Value, Failure>) -> sending Result
    ) -> Result {
        state.withLock { body(&$0.fanout) }
    }

    func didLose(_ count: Int) {
        state.withLock { $0.drops += count }
    }

    // Demand

    func warmUp(for duration: Duration) {
        let now = scheduler.now
        perform(change(now: now) { $0.machine.lease(until: now + duration, now: now) })
    }

    func drain() {
        let now = scheduler.now
        let thread = ThreadIdentity.current
        var dropped = Remains()
        var pass: Pass?
        let effects = change(now: now) { state -> SharedSignalMachine.Action? in
            guard !state.machine.isDrained else { return nil }
            let leaving = state.fanout.removeAll { _ in true }
            pass = state.fanout.post(
                .interrupted,
                to: leaving,
                thread: thread,
                dropped: &dropped
            )
            return state.machine.drain(now: now)
        }
        deliver(pass, thread: thread)
        perform(effects)
    }

    // The run

    private func start(_ run: Run) {
        if !run.resources.isDisposed {
            let generation = run.generation
            upstream.startHandler(
                Observer { self.receive($0, generation: generation) },
                Lifetime(run.resources)
            )
        }
    }

    private func receive(_ event: Event<Value, Failure>, generation: Int) {
        guard case .value(let value) = event else {
            receiveEnd(event, generation: generation)
            return
        }
        let thread = ThreadIdentity.current
        let key = configuration.replayKey?(value) ?? 0
        let now = timesValues ? scheduler.now : .zero
        var dropped = Remains()
        // Released when it goes out of scope, like what is dropped.
        let (pass, hasNews, _) = state.withLock { state in
            let before = state.machine.state
            guard state.machine.acceptsValue(generation: generation) else {
                return (Pass?.none, false, ReplayBuffer<Value>.Entry?.none)
            }
            let replaced = state.replay.append(value, key: key, now: now)
            let pass = state.fanout.post(event, thread: thread, dropped: &dropped)
            let hasNews = state.machine.state != before
            if hasNews { state.noteNews() }
            return (pass, hasNews, replaced)
        }
        deliver(pass, thread: thread)
        if hasNews { tellNews() }
    }

    private func receiveEnd(_ event: Event<Value, Failure>, generation: Int) {
        let thread = ThreadIdentity.current
        let now = scheduler.now
        var ending = SharedSignalMachine.Ending.completed
        if case .failed(let error) = event { ending = .failed(String(describing: error)) }
        var dropped = Remains()
        var pass: Pass?
        var isAccepted = false
        let effects = change(now: now) { state -> SharedSignalMachine.Action? in
            guard let end = state.machine.endByItself(ending, generation: generation)
            else { return nil }
            isAccepted = true
            if end.observersLeave {
                let leaving = state.fanout.removeAll { $0.observation.isCounted }
                pass = state.fanout.post(
                    event,
                    to: leaving,
                    isForAll: false,
                    thread: thread,
                    dropped: &dropped
                )
            }
            return end.stop
        }
        if isAccepted, case .failed(let error) = event { configuration.onFailure?(error) }
        deliver(pass, thread: thread)
        perform(effects)
    }

    private func alarmRang(version: Int) {
        let now = scheduler.now
        let effects = change(now: now) { state -> SharedSignalMachine.Action? in
            guard version == state.alarmVersion else { return nil }
            state.alarmDeadline = nil
            return state.machine.tick(now: now)
        }
        perform(effects)
    }

    // Changes

    /// What a change of the state leaves to be done.
    struct Effects {
        var work: Work?
        var alarm: (version: Int, deadline: Duration)?
        var hasNews = false
        /// Forgotten values, to be released.
        var forgotten: ReplayBuffer<Value>?
    }

    /// Runs `body` under the lock, and finds out what follows from it.
    private func change(
        now: Duration,
        _ body: (inout State) -> SharedSignalMachine.Action?
    ) -> Effects {
        state.withLock { state in
            let before = state.machine.visible
            let action = body(&state)
            var effects = Effects()
            effects.forgotten = state.replay.expire(now: now)
            switch action {
            case .start(let generation)?:
                let run = Run(generation: generation)
                state.run = run
                effects.forgotten = state.replay.runBegan(now: now) ?? effects.forgotten
                effects.work = .start(run)
            case .stop?:
                effects.forgotten = state.replay.runEnded(now: now) ?? effects.forgotten
                effects.work = state.run.map(Work.stop)
                state.run = nil
            case nil:
                break
            }
            if state.machine.visible != before {
                state.noteNews()
                effects.hasNews = true
            }
            effects.alarm = state.nextAlarm()
            return effects
        }
    }

    /// Does what follows from a change, and from what that causes in turn.
    private func perform(_ first: consuming Effects) {
        var effects = first
        while true {
            if effects.hasNews { tellNews() }
            if let (version, deadline) = effects.alarm {
                alarm.set(version: version, at: deadline) { [weak self] in
                    self?.alarmRang(version: version)
                }
            }
            guard let work = effects.work else { return }
            switch work {
            case .start(let run):
                start(run)
                let now = scheduler.now
                effects = change(now: now) {
                    $0.machine.startReturned(generation: run.generation, now: now)
                }
            case .stop(let run):
                run.resources.dispose()
                let now = scheduler.now
                effects = change(now: now) {
                    $0.machine.stopReturned(generation: run.generation, now: now)
                }
            }
        }
    }

    // Looking

    var snapshot: SharedSignalSnapshot { state.withLock { $0.snapshot } }

    var replay: [(value: Value, age: Duration)] {
        let now = scheduler.now
        return state.withLock { $0.replay.entries(now: now) }
            .map { ($0.value, now - $0.time) }
    }

    func resetReplay() {
        _ = state.withLock { $0.replay.removeAll() }
    }

    func observeState(
        sendsCurrent: Bool,
        _ action: @escaping @Sendable (SharedSignalSnapshot) -> Void
    ) -> any Disposable {
        let current = state.withLock { state in
            if state.news == nil { state.news = [] }
            return state.snapshot
        }
        if sendsCurrent { action(current) }
        let observation = states.insert { event in
            if case .value(let snapshot) = event { action(snapshot) }
        }
        guard let observation else {
            let disposed = SimpleDisposable()
            disposed.dispose()
            return disposed
        }
        return observation
    }

    /// Tells the state observers what they have not been told, in order: one thread at a time.
    private func tellNews() {
        var isFirst = true
        while true {
            let wasFirst = isFirst
            let next = state.withLock { state -> SharedSignalSnapshot? in
                guard !state.isTellingNews || !wasFirst else { return nil }
                guard state.news?.isEmpty == false, let next = state.news?.removeFirst() else {
                    state.isTellingNews = false
                    return nil
                }
                state.isTellingNews = true
                return next
            }
            guard let next else { return }
            isFirst = false
            states.send(.value(next))
        }
    }
}

extension SharedCore.State {
    var snapshot: SharedSignalSnapshot {
        SharedSignalSnapshot(
            state: machine.state,
            subscribers: machine.observers,
            runs: machine.generation,
            starts: machine.starts,
            replays: replays,
            lingers: machine.lingers,
            drops: drops,
            failure: machine.failure
        )
    }

    mutating func noteNews() {
        guard news != nil else { return }
        let snapshot = snapshot
        news?.append(snapshot)
    }

    /// A new setting for the alarm, if it would ring too late as it is.
    mutating func nextAlarm() -> (version: Int, deadline: Duration)? {
        var deadlines = [machine.nextDeadline, replay.expiry].compactMap { $0 }
        guard let earliest = deadlines.min() else { return nil }
        deadlines = []
        if let alarmDeadline, alarmDeadline <= earliest { return nil }
        alarmDeadline = earliest
        alarmVersion += 1
        return (alarmVersion, earliest)
    }
}
