/// One step of a stream: `value* (failed | completed | interrupted)?`.
public enum Event<Value, Failure: Error> {
    /// A value; any number of them may come.
    case value(Value)
    /// The stream ended by an error. Nothing follows.
    case failed(Failure)
    /// The stream ended successfully. Nothing follows.
    case completed
    /// The stream was given up before its end. Nothing follows.
    case interrupted

    /// Whether nothing can follow.
    @inlinable
    public var isTerminating: Bool {
        if case .value = self { false } else { true }
    }

    /// The value, unless the event is a terminating one.
    @inlinable
    public var value: Value? {
        if case .value(let value) = self { value } else { nil }
    }

    /// The same event with its value replaced by a function of it.
    @inlinable
    public func map<Other>(_ transform: (Value) -> Other) -> Event<Other, Failure> {
        switch self {
        case .value(let value): .value(transform(value))
        case .failed(let error): .failed(error)
        case .completed: .completed
        case .interrupted: .interrupted
        }
    }

    /// The same event with its value replaced by a function of it; nil where that gives nil.
    @inlinable
    public func compactMap<Other>(_ transform: (Value) -> Other?) -> Event<Other, Failure>? {
        switch self {
        case .value(let value): transform(value).map { .value($0) }
        case .failed(let error): .failed(error)
        case .completed: .completed
        case .interrupted: .interrupted
        }
    }

    /// The same event with its error replaced by a function of it.
    @inlinable
    public func mapError<Other>(_ transform: (Failure) -> Other) -> Event<Value, Other> {
        switch self {
        case .value(let value): .value(value)
        case .failed(let error): .failed(transform(error))
        case .completed: .completed
        case .interrupted: .interrupted
        }
    }
}

extension Event: Sendable where Value: Sendable {}
extension Event: Equatable where Value: Equatable, Failure: Equatable {}
