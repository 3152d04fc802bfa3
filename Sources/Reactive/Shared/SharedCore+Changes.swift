import Synchronization

/// How a change of the state is made, and what follows from it done.
extension SharedCore {
    /// Runs `body` under the lock, and finds out what follows from it.
    @inlinable
    func change(
        now: Duration,
        _ body: (inout State) -> SharedSignalMachine.Action?
    ) -> Effects {
        state.withLock { state in
            let revision = state.machine.revision
            let action = body(&state)
            var effects = Effects()
            if let action { resolve(action, &state, &effects, now: now) }
            if state.replay.expiry != nil {
                effects.forgotten += state.replay.expire(now: now)
            }
            if state.machine.revision != revision {
                noteNews(&state)
                effects.hasNews = true
            }
            effects.alarm = state.nextAlarm()
            return effects
        }
    }

    @inlinable
    @inline(never)
    func resolve(
        _ action: SharedSignalMachine.Action,
        _ state: inout State,
        _ effects: inout Effects,
        now: Duration
    ) {
        switch action {
        case .start(let generation):
            let run = Run(generation: generation)
            state.run = run
            effects.forgotten += state.replay.runBegan(now: now)
            effects.work = .start(run)
        case .stop:
            effects.forgotten += state.replay.runEnded(now: now)
            effects.work = state.run.map { .stop($0) }
            state.run = nil
        }
    }

    /// Does what follows from a change, and from what that causes in turn.
    @inlinable
    func perform(_ first: consuming Effects) {
        var effects = first
        while true {
            if effects.hasNews { tellNews() }
            if let (version, deadline) = effects.alarm {
                alarm.set(version: version, at: deadline) { [weak self] in
                    self?.alarmRang(version: version)
                }
            }
            guard let work = effects.work else { return }
            effects = perform(work)
        }
    }

    @inlinable
    @inline(never)
    func perform(_ work: Work) -> Effects {
        switch work {
        case .start(let run):
            start(run)
            let now = scheduler.now
            return change(now: now) {
                $0.machine.startReturned(generation: run.generation, now: now)
            }
        case .stop(let run):
            run.resources.dispose()
            let now = scheduler.now
            return change(now: now) {
                $0.machine.stopReturned(generation: run.generation, now: now)
            }
        }
    }

    @inlinable
    func alarmRang(version: Int) {
        let now = scheduler.now
        perform(
            change(now: now) { state in
                guard version == state.alarmVersion else { return nil }
                state.alarmDeadline = nil
                return state.machine.tick(now: now)
            }
        )
    }

    // News

    @inlinable
    func noteNews(_ state: inout State) {
        guard state.hasReaders else { return }
        state.news.append(News(revision: state.machine.revision, snapshot: state.snapshot))
    }

    /// Tells the observers of the state what they have not been told, in order.
    ///
    /// One thread does it at a time, and goes on until nothing is left.
    @inlinable
    func tellNews() {
        var isTeller = false
        while let next = takeNews(isTeller: isTeller) {
            isTeller = true
            news.send(.value(next))
        }
    }

    @inlinable
    func takeNews(isTeller: Bool) -> News? {
        state.withLock { state in
            guard isTeller || !state.isTelling else { return nil }
            guard !state.news.isEmpty else {
                state.isTelling = false
                return nil
            }
            state.isTelling = true
            return state.news.removeFirst()
        }
    }

    @inlinable
    func observeState(
        sendsCurrent: Bool,
        _ action: @escaping @Sendable (SharedSignalSnapshot) -> Void
    ) -> any Disposable {
        let reader = NewsReader(action)
        let observation = news.insert { [self] in
            reader.read($0)
            // The signal is kept alive by being observed.
            _ = self
        } after: {
            let (revision, snapshot) = state.withLock { state in
                state.hasReaders = true
                return (state.machine.revision, state.snapshot)
            }
            reader.begin(after: revision, with: sendsCurrent ? snapshot : nil)
        }
        guard let observation else { return ActionDisposable.disposed() }
        return observation
    }
}

/// An observer of a shared signal's state, which is told what is newer than what it has seen.
@usableFromInline
final class NewsReader: Sendable {
    private let revision = Atomic(0)
    private let action: @Sendable (SharedSignalSnapshot) -> Void

    @usableFromInline
    init(_ action: @escaping @Sendable (SharedSignalSnapshot) -> Void) {
        self.action = action
    }

    @usableFromInline
    func begin(after revision: Int, with snapshot: SharedSignalSnapshot?) {
        self.revision.store(revision, ordering: .relaxed)
        if let snapshot { action(snapshot) }
    }

    @usableFromInline
    func read(_ event: Event<News, Never>) {
        guard case .value(let news) = event,
            news.revision > revision.load(ordering: .relaxed)
        else { return }
        action(news.snapshot)
    }
}

extension ActionDisposable {
    /// One that has been disposed.
    @usableFromInline
    static func disposed() -> ActionDisposable {
        let disposable = ActionDisposable {}
        disposable.dispose()
        return disposable
    }
}
