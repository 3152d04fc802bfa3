/// Observers, demand, and what the upstream sends.
extension SharedCore {
    /// Adds an observer.
    ///
    /// `attach` gets the observation before anything is delivered to it.
    @discardableResult
    @inlinable
    func observe(
        isCounted: Bool,
        _ action: @escaping @Sendable (Event<Value, Failure>) -> Void,
        attach: (Observation) -> Void = { _ in }
    ) -> Observation {
        let thread = ThreadIdentity.current
        let now = timesMembers ? scheduler.now : .zero
        let observation = Observation(isCounted: isCounted, thread: thread) { self.answer($0, $1) }
        var newest: ReplayBuffer<Value>.Entry?
        var others: [ReplayBuffer<Value>.Entry] = []
        var isMember = false
        let effects = change(now: now) { state in
            guard !state.machine.isDrained else { return nil }
            isMember = true
            if state.replay.keepsOne {
                newest = state.replay.newest(now: now)
                if newest != nil { state.replays += 1 }
            } else {
                others = state.replay.entries(now: now)
                state.replays += others.count
            }
            state.fanout.insert(observation, action: action)
            state.fanout.beginJoin(thread: thread)
            return isCounted ? state.machine.join(now: now) : nil
        }
        guard isMember else {
            action(.interrupted)
            _ = observation.close()
            return observation
        }
        attach(observation)
        if let newest, !observation.isDisposed { action(.value(newest.value)) }
        for entry in others where !observation.isDisposed { action(.value(entry.value)) }
        finishJoin(Member(observation: observation, action: action), thread: thread)
        perform(effects)
        return observation
    }

    @inlinable
    func remove(_ observation: Observation) {
        let now = timesMembers ? scheduler.now : .zero
        // Released when it goes out of scope, and its closure with it.
        var member: Member?
        let effects = change(now: now) { state in
            member = state.fanout.remove(observation)
            guard member != nil, observation.isCounted else { return nil }
            return state.machine.leave(now: now)
        }
        perform(effects)
    }

    @inlinable
    func warmUp(for duration: Duration) {
        let now = scheduler.now
        perform(change(now: now) { $0.machine.lease(until: now + duration, now: now) })
    }

    @inlinable
    func drain() {
        let now = scheduler.now
        let thread = ThreadIdentity.current
        var dropped = Fanout<Value, Failure>.Remains()
        var pass: Pass?
        let effects = change(now: now) { state in
            guard !state.machine.isDrained else { return nil }
            pass = state.fanout.postLast(
                .interrupted,
                onlyCounted: false,
                thread: thread,
                dropped: &dropped
            )
            return state.machine.drain(now: now)
        }
        deliver(pass, thread: thread)
        perform(effects)
    }

    @inlinable
    func start(_ run: Run) {
        guard !run.resources.isDisposed else { return }
        let generation = run.generation
        upstream.startHandler(
            Observer { self.receive($0, generation: generation) },
            Lifetime(run.resources)
        )
    }

    @inlinable
    func receive(_ event: Event<Value, Failure>, generation: Int) {
        guard case .value(let value) = event else {
            return receiveEnd(event, generation: generation)
        }
        let thread = ThreadIdentity.current
        let key = configuration.replayKey?(value) ?? 0
        let endsFailures = configuration.endsFailures?(value) ?? true
        let now = timesValues ? scheduler.now : .zero
        var hasNews = false
        // What these hold is released when they go out of scope.
        var dropped = Fanout<Value, Failure>.Remains()
        var replaced: ReplayBuffer<Value>.Entry?
        let pass = state.withLock { state -> Pass? in
            if state.machine.acceptedGeneration != generation {
                let revision = state.machine.revision
                guard
                    state.machine.acceptsValue(
                        generation: generation,
                        endsFailures: endsFailures
                    )
                else { return nil }
                hasNews = state.machine.revision != revision
                if hasNews { noteNews(&state) }
            }
            replaced = state.replay.append(value, key: key, now: now)
            return state.fanout.post(event, thread: thread, dropped: &dropped)
        }
        deliver(pass, thread: thread)
        withExtendedLifetime(replaced) {}
        if hasNews { tellNews() }
    }

    @inlinable
    @inline(never)
    func receiveEnd(_ event: Event<Value, Failure>, generation: Int) {
        let thread = ThreadIdentity.current
        let now = scheduler.now
        var ending = SharedSignalMachine.Ending.completed
        if case .failed(let error) = event { ending = .failed(String(describing: error)) }
        var dropped = Fanout<Value, Failure>.Remains()
        var pass: Pass?
        var isAccepted = false
        let effects = change(now: now) { state in
            guard let end = state.machine.endByItself(ending, generation: generation)
            else { return nil }
            isAccepted = true
            if end.observersLeave {
                pass = state.fanout.postLast(
                    event,
                    onlyCounted: true,
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
}
