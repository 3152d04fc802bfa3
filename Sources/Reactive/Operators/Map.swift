extension SignalProducer {
    /// The values transformed by a function.
    @inlinable
    public func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Value) -> Other
    ) -> SignalProducer<Other, Failure> {
        lift { observer, _ in { observer.send($0.map(transform)) } }
    }
}

extension Signal {
    /// The values transformed by a function.
    @inlinable
    public func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Value) -> Other
    ) -> Signal<Other, Failure> {
        lift { observer, _ in { observer.send($0.map(transform)) } }
    }
}
