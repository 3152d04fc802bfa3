extension SignalProducer {
    /// The values transformed by a function.
    @inlinable
    public func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Value) -> Other
    ) -> SignalProducer<Other, Failure> {
        SignalProducer<Other, Failure> { observer, lifetime in
            lifetime += start { event in observer.send(event.map(transform)) }
        }
    }

    /// The errors transformed by a function.
    @inlinable
    public func mapError<Other: Error>(
        _ transform: @escaping @Sendable (Failure) -> Other
    ) -> SignalProducer<Value, Other> {
        SignalProducer<Value, Other> { observer, lifetime in
            lifetime += start { event in observer.send(event.mapError(transform)) }
        }
    }
}
