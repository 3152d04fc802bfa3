/// Where a stream's events are sent.
public final class Observer<Value: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    let action: @Sendable (Event<Value, Failure>) -> Void

    /// Creates an observer that hands every event to `action`, on the thread that sends it.
    @inlinable
    public init(_ action: @escaping @Sendable (Event<Value, Failure>) -> Void) {
        self.action = action
    }

    /// Sends an event.
    @inlinable
    public func send(_ event: Event<Value, Failure>) { action(event) }

    /// Sends a value.
    @inlinable
    public func send(value: Value) { action(.value(value)) }

    /// Ends the stream by an error.
    @inlinable
    public func send(error: Failure) { action(.failed(error)) }

    /// Ends the stream successfully.
    @inlinable
    public func sendCompleted() { action(.completed) }

    /// Ends the stream as given up.
    @inlinable
    public func sendInterrupted() { action(.interrupted) }
}
