extension SignalProducer {
    /// The values that differ from the one before.
    @inlinable
    public func skipRepeats(
        _ isRepeat: @escaping @Sendable (Value, Value) -> Bool
    ) -> SignalProducer<Value, Failure> {
        lift { observer, _ in
            let latest = Latest<Value>()
            return { event in
                if !latest.isRepeated(by: event, isRepeat) { observer.send(event) }
            }
        }
    }
}

extension Signal {
    /// The values that differ from the one before.
    @inlinable
    public func skipRepeats(
        _ isRepeat: @escaping @Sendable (Value, Value) -> Bool
    ) -> Signal<Value, Failure> {
        lift { observer, _ in
            let latest = Latest<Value>()
            return { event in
                if !latest.isRepeated(by: event, isRepeat) { observer.send(event) }
            }
        }
    }
}

extension SignalProducer where Value: Equatable {
    /// The values that differ from the one before.
    @inlinable
    public func skipRepeats() -> SignalProducer<Value, Failure> { skipRepeats(==) }
}

extension Signal where Value: Equatable {
    /// The values that differ from the one before.
    @inlinable
    public func skipRepeats() -> Signal<Value, Failure> { skipRepeats(==) }
}

/// The value that came last.
@usableFromInline
final class Latest<Value: Sendable>: Sendable {
    @usableFromInline
    let value = Locked<Value?>(nil)

    @inlinable
    init() {}

    /// Keeps the value of an event; whether it repeats the one before.
    @inlinable
    func isRepeated<Failure>(
        by event: Event<Value, Failure>,
        _ isRepeat: (Value, Value) -> Bool
    ) -> Bool {
        guard case .value(let new) = event else { return false }
        let previous = value.withLock { value in
            let previous = value
            value = new
            return previous
        }
        return previous.map { isRepeat($0, new) } ?? false
    }
}
