extension SignalProducer {
    /// The values transformed by a function, without those for which it gives nil.
    @inlinable
    public func compactMap<Other: Sendable>(
        _ transform: @escaping @Sendable (Value) -> Other?
    ) -> SignalProducer<Other, Failure> {
        lift { observer, _ in
            { event in
                if let other = event.compactMap(transform) { observer.send(other) }
            }
        }
    }
}

extension Signal {
    /// The values transformed by a function, without those for which it gives nil.
    @inlinable
    public func compactMap<Other: Sendable>(
        _ transform: @escaping @Sendable (Value) -> Other?
    ) -> Signal<Other, Failure> {
        lift { observer, _ in
            { event in
                if let other = event.compactMap(transform) { observer.send(other) }
            }
        }
    }
}
