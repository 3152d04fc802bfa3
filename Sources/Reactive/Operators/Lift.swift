extension SignalProducer {
    /// The producer that sends what an operator makes of this one's events.
    ///
    /// For each start, `make` is given where to send and how long that is wanted, and returns what
    /// the events of this producer are handed to, serially. The work is interrupted when the
    /// result ends.
    @inlinable
    func lift<Other, OtherFailure>(
        _ make:
            @escaping @Sendable (Observer<Other, OtherFailure>, Lifetime) ->
            @Sendable (Event<Value, Failure>) -> Void
    ) -> SignalProducer<Other, OtherFailure> {
        SignalProducer<Other, OtherFailure> { observer, lifetime in
            startWithSignal { signal, handle in
                lifetime += handle
                signal.observe(make(observer, lifetime))
            }
        }
    }
}

extension Signal {
    /// The signal of what an operator makes of this one's events.
    ///
    /// It observes this one as long as somebody holds or observes it.
    @inlinable
    func lift<Other, OtherFailure>(
        _ make: (Observer<Other, OtherFailure>, Lifetime) ->
            @Sendable (Event<Value, Failure>) -> Void
    ) -> Signal<Other, OtherFailure> {
        let core = SignalCore<Other, OtherFailure>()
        let observer = Observer<Other, OtherFailure> { [weak core] in core?.send($0) }
        core.resources += observe(make(observer, Lifetime(core.resources)))
        return Signal<Other, OtherFailure>(core: core)
    }
}
