extension SignalProducer where Value == Duration, Failure == Never {
    /// Sends the time once, `delay` after its start, and completes.
    public static func timer(after delay: Duration, on scheduler: any Scheduler) -> SignalProducer {
        SignalProducer { observer, lifetime in
            lifetime += scheduler.schedule(after: delay) {
                observer.send(value: scheduler.now)
                observer.sendCompleted()
            }
        }
    }

    /// Sends the time of each tick, the first one `interval` after its start.
    ///
    /// The ticks do not drift: each is due at a multiple of the interval after the start. Those
    /// that are missed because the scheduler is late are left out. The interval is positive.
    public static func interval(
        _ interval: Duration,
        on scheduler: any Scheduler
    ) -> SignalProducer {
        precondition(interval > .zero, "an interval of \(interval) would never let time pass")
        return SignalProducer { observer, lifetime in
            let ticks = Ticks(interval: interval, scheduler: scheduler, observer: observer)
            lifetime += ticks.timer
            ticks.scheduleNext(after: scheduler.now)
        }
    }
}

/// One start of an interval.
private final class Ticks: Sendable {
    let timer = SerialDisposable()
    private let interval: Duration
    private let scheduler: any Scheduler
    private let observer: Observer<Duration, Never>

    init(interval: Duration, scheduler: any Scheduler, observer: Observer<Duration, Never>) {
        self.interval = interval
        self.scheduler = scheduler
        self.observer = observer
    }

    /// The next timer is set before the tick is sent, so that an observer that ends the work ends
    /// the timer too.
    func scheduleNext(after tick: Duration) {
        let next = tick + interval
        timer.inner = scheduler.schedule(at: next) {
            let missed = max(0, Int64((self.scheduler.now - next) / self.interval))
            let last = next + self.interval * missed
            self.scheduleNext(after: last)
            self.observer.send(value: last)
        }
    }
}
