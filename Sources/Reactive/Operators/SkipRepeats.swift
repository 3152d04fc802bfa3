extension SignalProducer {
    /// The values that differ from the one before.
    @inlinable
    public func skipRepeats(
        _ isRepeat: @escaping @Sendable (Value, Value) -> Bool
    ) -> SignalProducer<Value, Failure> {
        lift { observer, _ in
            let latest = Latest<Value>()
            return { event in
                if case .value(let value) = event, let previous = latest.exchange(value),
                    isRepeat(previous, value)
                {
                    return
                }
                observer.send(event)
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
                if case .value(let value) = event, let previous = latest.exchange(value),
                    isRepeat(previous, value)
                {
                    return
                }
                observer.send(event)
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

    /// Keeps a value and hands the previous one back.
    @inlinable
    func exchange(_ new: Value) -> Value? {
        value.withLock { value in
            let previous = value
            value = new
            return previous
        }
    }
}
