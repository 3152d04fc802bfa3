/// An upstream that is shared by all observers and runs only while there are any.
///
/// It is started for the first counted observer, stopped when the last one has left, and can start
/// again. A newcomer gets the kept values first and then every later one: no gap, no duplicate,
/// never out of order, each observer serially. There is never more than one run at a time.
///
/// It lives while somebody holds or observes it; dropping it does not disturb its observers.
///
/// ## Thread safety
/// Everything may be called from any thread and from inside any callback. No lock is held while a
/// closure of the user's runs. Values are delivered on the threads that send them, kept values on
/// the thread that observes; the upstream is started and stopped on the thread whose call is the
/// cause, or on the scheduler's.
public final class SharedSignal<Value: Sendable, Failure: Error>: Sendable {
    /// The name by which ``SharedSignalState`` is known here.
    public typealias State = SharedSignalState

    @usableFromInline
    let core: SharedCore<Value, Failure>

    /// Creates a shared signal of `upstream`; nothing is started by this.
    @inlinable
    public init(
        _ upstream: SignalProducer<Value, Failure>,
        configuration: Configuration = Configuration(),
        scheduler: any Scheduler
    ) {
        core = SharedCore(upstream, configuration: configuration, scheduler: scheduler)
    }

    /// Observes, and counts: while the result is not disposed, the upstream is kept running.
    ///
    /// The kept values are delivered inside this call, on the calling thread, before anything
    /// else; then the upstream is started if it has to be. The end of a run is delivered as its
    /// terminating event, before which the observer has left. After ``drain()`` the action gets
    /// `interrupted` at once.
    @discardableResult
    @inlinable
    public func observe(
        _ action: @escaping @Sendable (Event<Value, Failure>) -> Void
    ) -> Observation {
        core.observe(isCounted: true, action)
    }

    /// A producer each start of which observes, and counts, until it is disposed.
    ///
    /// Unlike ``observe(_:)`` it can be given up from inside its own first value, also when that
    /// comes before the start has returned.
    @inlinable
    public var producer: SignalProducer<Value, Failure> {
        SignalProducer { [core] observer, lifetime in
            core.observe(isCounted: true, { observer.send($0) }, attach: { lifetime += $0 })
        }
    }

    /// Observes without being a reason to run, as a metric does.
    ///
    /// It gets the values of every run, and no terminating event but the `interrupted` of
    /// ``drain()``.
    @discardableResult
    @inlinable
    public func observeWithoutCounting(
        _ action: @escaping @Sendable (Event<Value, Failure>) -> Void
    ) -> Observation {
        core.observe(isCounted: false, action)
    }

    /// Calls `action` with a snapshot after every change of the state, of the number of the run,
    /// and of the failure; in order, on the threads that cause them.
    ///
    /// With `sendsCurrent` the present one is delivered first, inside this call. A change of the
    /// number of observers alone is not reported.
    @discardableResult
    @inlinable
    public func observeState(
        sendsCurrent: Bool = false,
        _ action: @escaping @Sendable (Snapshot) -> Void
    ) -> any Disposable {
        core.observeState(sendsCurrent: sendsCurrent, action)
    }

    /// Keeps the upstream running for `duration` from now, as an observer would.
    ///
    /// A further call extends that time, it does not add to it. Its end is like the leaving of an
    /// observer; so is a terminating event, which ends it early.
    @inlinable
    public func warmUp(for duration: Duration) {
        core.warmUp(for: duration)
    }

    /// What the signal is doing, and what it has done.
    @inlinable
    public var snapshot: Snapshot { core.snapshot }

    /// The kept values that a newcomer would get now, each with its age.
    @inlinable
    public var replay: [(value: Value, age: Duration)] { core.replay }

    /// Forgets the kept values.
    @inlinable
    public func resetReplay() {
        core.resetReplay()
    }

    /// Ends the signal for good: its run is disposed, its observers get `interrupted`.
    @inlinable
    public func drain() {
        core.drain()
    }
}
