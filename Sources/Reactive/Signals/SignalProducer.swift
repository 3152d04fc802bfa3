/// A recipe for a stream: every start makes one anew.
public struct SignalProducer<Value: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    let startHandler: @Sendable (Observer<Value, Failure>, Lifetime) -> Void

    /// Creates a producer whose every start calls `startHandler`, on the starting thread.
    ///
    /// The handler sends the events, at once or later and from any thread, and ties what it needs
    /// to the lifetime. One that sends synchronously polls ``Lifetime/hasEnded`` between values.
    @inlinable
    public init(
        _ startHandler: @escaping @Sendable (Observer<Value, Failure>, Lifetime) -> Void
    ) {
        self.startHandler = startHandler
    }

    /// A producer that sends one value and completes.
    @inlinable
    public init(value: Value) {
        self.init { observer, _ in
            observer.send(value: value)
            observer.sendCompleted()
        }
    }

    /// A producer that sends values in order, as long as they are wanted, and completes.
    @inlinable
    public init(values: some Sequence<Value> & Sendable) {
        self.init { observer, lifetime in
            for value in values {
                guard !lifetime.hasEnded else { return }
                observer.send(value: value)
            }
            observer.sendCompleted()
        }
    }

    /// A producer that fails at once.
    @inlinable
    public init(error: Failure) {
        self.init { observer, _ in observer.send(error: error) }
    }

    /// A producer that completes at once.
    @inlinable
    public static var empty: SignalProducer {
        SignalProducer { observer, _ in observer.sendCompleted() }
    }

    /// A producer that sends nothing and does not end by itself.
    @inlinable
    public static var never: SignalProducer {
        SignalProducer { _, _ in }
    }

    /// Starts the work and calls `action` with its events.
    ///
    /// Disposing the result sends `interrupted` and then ends the lifetime of the work, which
    /// frees its resources. Its `isDisposed` is true after any end.
    @discardableResult
    @inlinable
    public func start(
        _ action: @escaping @Sendable (Event<Value, Failure>) -> Void = { _ in }
    ) -> any Disposable {
        startWithSignal { signal, handle in
            signal.observe(action)
            return handle
        }
    }

    /// Starts the work and sends its events to `observer`.
    @discardableResult
    @inlinable
    public func start(_ observer: Observer<Value, Failure>) -> any Disposable {
        start { observer.send($0) }
    }

    /// Starts the work and calls `action` with its values.
    @discardableResult
    @inlinable
    public func startWithValues(_ action: @escaping @Sendable (Value) -> Void) -> any Disposable {
        start { event in
            if case .value(let value) = event { action(value) }
        }
    }

    /// Makes a signal, hands it to `setup` together with the handle that interrupts it, and then
    /// starts the work, unless the handle has been disposed by then.
    ///
    /// Observers that `setup` adds see every event.
    @discardableResult
    @inlinable
    public func startWithSignal<Result>(
        _ setup: (Signal<Value, Failure>, any Disposable) throws -> Result
    ) rethrows -> Result {
        let core = SignalCore<Value, Failure>()
        let handle = Interrupter(core)
        let result = try setup(Signal(core: core), handle)
        if !core.hasEnded {
            startHandler(Observer { core.send($0) }, Lifetime(core.resources))
        }
        return result
    }
}

/// Ends a started producer.
@usableFromInline
final class Interrupter<Value: Sendable, Failure: Error>: Disposable {
    @usableFromInline
    let core: SignalCore<Value, Failure>

    @inlinable
    init(_ core: SignalCore<Value, Failure>) {
        self.core = core
    }

    @inlinable
    var isDisposed: Bool { core.hasEnded }

    @inlinable
    func dispose() { core.send(.interrupted) }
}
