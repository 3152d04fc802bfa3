extension SignalProducer {
    /// The error transformed by a function.
    @inlinable
    public func mapError<Other: Error>(
        _ transform: @escaping @Sendable (Failure) -> Other
    ) -> SignalProducer<Value, Other> {
        lift { observer, _ in { observer.send($0.mapError(transform)) } }
    }
}

extension Signal {
    /// The error transformed by a function.
    @inlinable
    public func mapError<Other: Error>(
        _ transform: @escaping @Sendable (Failure) -> Other
    ) -> Signal<Value, Other> {
        lift { observer, _ in { observer.send($0.mapError(transform)) } }
    }
}
