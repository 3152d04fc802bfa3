extension SignalProducer {
    /// At most one value per `interval`: the first at once, then the newest at each end of it.
    ///
    /// The last value is never lost: one that waits when the work completes or fails is sent
    /// before that.
    @inlinable
    public func throttle(
        _ interval: Duration,
        on scheduler: any Scheduler
    ) -> SignalProducer<Value, Failure> {
        lift { observer, lifetime in
            Throttle(interval, scheduler, observer, lifetime).action
        }
    }
}

extension Signal {
    /// At most one value per `interval`: the first at once, then the newest at each end of it.
    ///
    /// The last value is never lost: one that waits when the signal completes or fails is sent
    /// before that.
    @inlinable
    public func throttle(
        _ interval: Duration,
        on scheduler: any Scheduler
    ) -> Signal<Value, Failure> {
        lift { observer, lifetime in
            Throttle(interval, scheduler, observer, lifetime).action
        }
    }
}

/// One start of a throttle.
///
/// While a thread sends, what comes is kept for it, so that nothing overtakes.
@usableFromInline
final class Throttle<Value: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    struct State {
        @usableFromInline
        var windowEnd: Duration?
        @usableFromInline
        var pending: Value?
        /// When the timer rings that has been set, so that one window sets one timer.
        @usableFromInline
        var timerEnd: Duration?
        @usableFromInline
        var ending: Event<Value, Failure>?
        @usableFromInline
        var isSending = false
        @usableFromInline
        var hasEnded = false

        @inlinable
        init() {}
    }

    /// What the thread does next.
    @usableFromInline
    enum Step {
        case send(Event<Value, Failure>)
        case wait(until: Duration)
        case rest
    }

    @usableFromInline
    let state = Locked(State())
    @usableFromInline
    let timer = SerialDisposable()
    @usableFromInline
    let interval: Duration
    @usableFromInline
    let scheduler: any Scheduler
    @usableFromInline
    let observer: Observer<Value, Failure>

    @inlinable
    init(
        _ interval: Duration,
        _ scheduler: any Scheduler,
        _ observer: Observer<Value, Failure>,
        _ lifetime: Lifetime
    ) {
        self.interval = interval
        self.scheduler = scheduler
        self.observer = observer
        lifetime += timer
    }

    @inlinable
    var action: @Sendable (Event<Value, Failure>) -> Void {
        { self.receive($0) }
    }

    @inlinable
    func receive(_ event: Event<Value, Failure>) {
        // The value that is replaced is released outside of the lock.
        var replaced: Value?
        state.withLock { state in
            if case .value(let value) = event {
                replaced = state.pending
                state.pending = value
            } else {
                state.ending = event
                if case .interrupted = event { replaced = state.pending.take() }
            }
        }
        withExtendedLifetime(replaced) {}
        run()
    }

    /// Sends what is due, unless another thread, or this one further out, is at it.
    @inlinable
    func run() {
        var isSender = false
        while true {
            let now = scheduler.now
            let step = state.withLock { $0.next(now: now, interval, isSender: isSender) }
            switch step {
            case .send(let event):
                isSender = true
                observer.send(event)
            case .wait(let deadline):
                timer.inner = scheduler.schedule(at: deadline) { [weak self] in self?.run() }
                return
            case .rest:
                return
            }
        }
    }
}

extension Throttle.State {
    @inlinable
    mutating func next(now: Duration, _ interval: Duration, isSender: Bool) -> Throttle.Step {
        guard isSender || !isSending, !hasEnded else { return .rest }
        isSending = false
        if pending == nil {
            guard let ending else { return .rest }
            hasEnded = true
            return .send(ending)
        }
        if ending == nil, let windowEnd, windowEnd > now {
            guard timerEnd != windowEnd else { return .rest }
            timerEnd = windowEnd
            return .wait(until: windowEnd)
        }
        guard let value = pending.take() else { return .rest }
        isSending = true
        windowEnd = now + interval
        return .send(.value(value))
    }
}
