extension SignalProducer {
    /// The events until `trigger` sends a value or completes, at which the result completes.
    ///
    /// The trigger is started first; if it fires at once, the work is not started. Its failure or
    /// interruption changes nothing.
    @inlinable
    public func take<Trigger, TriggerFailure>(
        until trigger: SignalProducer<Trigger, TriggerFailure>
    ) -> SignalProducer<Value, Failure> {
        SignalProducer { observer, lifetime in
            trigger.startWithSignal { signal, handle in
                lifetime += handle
                signal.observe { event in
                    switch event {
                    case .value, .completed: observer.sendCompleted()
                    case .failed, .interrupted: break
                    }
                }
            }
            guard !lifetime.hasEnded else { return }
            startWithSignal { signal, handle in
                lifetime += handle
                signal.observe(observer)
            }
        }
    }
}

extension Signal {
    /// The events until `trigger` sends a value or completes, at which the result completes.
    ///
    /// The trigger's failure or interruption changes nothing.
    @inlinable
    public func take<Trigger, TriggerFailure>(
        until trigger: Signal<Trigger, TriggerFailure>
    ) -> Signal<Value, Failure> {
        lift { observer, lifetime in
            lifetime += trigger.observe { event in
                switch event {
                case .value, .completed: observer.sendCompleted()
                case .failed, .interrupted: break
                }
            }
            return { observer.send($0) }
        }
    }
}
