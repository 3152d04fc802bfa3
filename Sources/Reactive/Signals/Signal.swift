/// A stream of events that happen whether or not anybody looks.
///
/// Each observer gets the events sent after it came, serially and in the order in which they were
/// sent, also when they are sent from several threads; a value sent from inside a callback is
/// delivered after that callback. One whose callback is still running may lag behind by 4,096
/// events; beyond that it loses the oldest of them. A signal lives as long as somebody holds or
/// observes it.
public final class Signal<Value: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    let core: SignalCore<Value, Failure>

    @inlinable
    init(core: SignalCore<Value, Failure>) {
        self.core = core
    }

    /// A signal and the observer that feeds it.
    ///
    /// When the observer is released, the signal is interrupted, unless it has ended.
    @inlinable
    public static func pipe() -> (output: Signal, input: Observer<Value, Failure>) {
        let core = SignalCore<Value, Failure>()
        let inlet = SignalInlet(core)
        return (Signal(core: core), Observer { inlet.core.send($0) })
    }

    /// Whether a terminating event has been sent.
    @inlinable
    public var hasEnded: Bool { core.hasEnded }

    /// Calls `action` with every event from now on, on the threads that send them.
    ///
    /// Disposing the result silences this observer only and sends it nothing. After the end of
    /// the signal `action` gets `interrupted` at once and the result is nil.
    @discardableResult
    @inlinable
    public func observe(
        _ action: @escaping @Sendable (Event<Value, Failure>) -> Void
    ) -> Observation? {
        if let observation = core.insert(action) { return observation }
        action(.interrupted)
        return nil
    }

    /// Sends every event from now on to `observer`, as the other form does.
    @discardableResult
    @inlinable
    public func observe(_ observer: Observer<Value, Failure>) -> Observation? {
        observe { observer.send($0) }
    }

    /// Calls `action` with every value from now on.
    @discardableResult
    @inlinable
    public func observeValues(_ action: @escaping @Sendable (Value) -> Void) -> Observation? {
        observe { event in
            if case .value(let value) = event { action(value) }
        }
    }
}

/// The sending end of a pipe; its release is the end of the signal.
@usableFromInline
final class SignalInlet<Value: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    let core: SignalCore<Value, Failure>

    @inlinable
    init(_ core: SignalCore<Value, Failure>) {
        self.core = core
    }

    @inlinable
    deinit {
        core.send(.interrupted)
    }
}
