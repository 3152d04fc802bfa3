import Dispatch
public import Reactive

/// Keeps the events that it is given, from any thread.
public final class EventRecorder<Value: Sendable, Failure: Error>: Sendable {
    private struct State {
        var events: [Event<Value, Failure>] = []
    }

    private let state = Locked(State())

    /// Creates an empty recorder.
    public init() {}

    /// The events so far, in the order of their arrival.
    public var events: [Event<Value, Failure>] { state.withLock { $0.events } }

    /// The values among them.
    public var values: [Value] { events.compactMap(\.value) }

    /// Whether a terminating event has come.
    public var hasEnded: Bool { events.contains(where: \.isTerminating) }

    /// Whether the last event is `completed`.
    public var hasCompleted: Bool {
        if case .completed? = events.last { true } else { false }
    }

    /// Whether the last event is `interrupted`.
    public var isInterrupted: Bool {
        if case .interrupted? = events.last { true } else { false }
    }

    /// The error of the last event, if it is `failed`.
    public var failure: Failure? {
        if case .failed(let error)? = events.last { error } else { nil }
    }

    /// Keeps an event.
    public func record(_ event: Event<Value, Failure>) {
        state.withLock { $0.events.append(event) }
    }

    /// Forgets the events so far.
    public func clear() {
        state.withLock { $0.events = [] }
    }
}
