extension SignalProducer {
    /// The values that satisfy a predicate.
    @inlinable
    public func filter(
        _ isIncluded: @escaping @Sendable (Value) -> Bool
    ) -> SignalProducer<Value, Failure> {
        lift { observer, _ in
            { event in
                if case .value(let value) = event, !isIncluded(value) { return }
                observer.send(event)
            }
        }
    }
}

extension Signal {
    /// The values that satisfy a predicate.
    @inlinable
    public func filter(
        _ isIncluded: @escaping @Sendable (Value) -> Bool
    ) -> Signal<Value, Failure> {
        lift { observer, _ in
            { event in
                if case .value(let value) = event, !isIncluded(value) { return }
                observer.send(event)
            }
        }
    }
}
