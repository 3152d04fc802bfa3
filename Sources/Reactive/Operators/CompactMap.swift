extension SignalProducer {
    /// The values transformed by a function, without those for which it gives nil.
    @inlinable
    public func compactMap<Other: Sendable>(
        _ transform: @escaping @Sendable (Value) -> Other?
    ) -> SignalProducer<Other, Failure> {
        lift { observer, _ in
            { event in
                switch event {
                case .value(let value):
                    if let other = transform(value) { observer.send(value: other) }
                case .failed(let error):
                    observer.send(error: error)
                case .completed:
                    observer.sendCompleted()
                case .interrupted:
                    observer.sendInterrupted()
                }
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
                switch event {
                case .value(let value):
                    if let other = transform(value) { observer.send(value: other) }
                case .failed(let error):
                    observer.send(error: error)
                case .completed:
                    observer.sendCompleted()
                case .interrupted:
                    observer.sendInterrupted()
                }
            }
        }
    }
}
