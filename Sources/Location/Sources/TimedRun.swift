import Reactive
import Synchronization

/// What a run does each time its timer fires; used by one thread at a time.
protocol RunEngine: SendableMetatype {
    /// Does what is due at `now` on the scheduler's clock, and says when to be called again.
    mutating func step(now: Duration) -> RunStep

    /// Lets go of files; the engine is not stepped again.
    mutating func close()
}

/// What came of one step.
struct RunStep {
    enum Next {
        /// Step again at or after this time.
        case at(Duration)
        /// The run is over.
        case finished
        /// The run cannot go on.
        case failed(SourceFailure)
    }

    /// What is to be sent, in order.
    var events: [SourceEvent] = []
    var next: Next
}

/// One run of a source whose fixes are due at known times.
///
/// Steps and events happen on the scheduler's queue, never inside `start`. Disposing stops the
/// timer at once and closes the engine's files at once, or, while a step is under way, at its end.
///
/// ## Thread safety
/// `control` is held only to read and write its fields; `engine` is held during a step, which may
/// read a file but calls nobody back. No event is sent under either.
final class TimedRun<Engine: RunEngine>: Sendable {
    private struct Control {
        var isDisposed = false
        var timer: (any Disposable)?
        /// Which scheduling `timer` belongs to; the one that schedules may be overtaken by the
        /// timer it has just started.
        var timerNumber = 0
        var scheduled = 0
    }

    private let control = Mutex(Control())
    private let engine: Mutex<Engine>
    private let scheduler: any Scheduler
    private let observer: Observer<SourceEvent, SourceFailure>

    /// A run that is started by `start()`.
    init(
        _ engine: sending Engine,
        scheduler: any Scheduler,
        observer: Observer<SourceEvent, SourceFailure>
    ) {
        self.engine = Mutex(engine)
        self.scheduler = scheduler
        self.observer = observer
    }

    /// Lets the first step happen as soon as possible.
    func start() {
        schedule(at: scheduler.now)
    }

    /// Ends the run without another event; more than once has no effect.
    func dispose() {
        let timer = control.withLock { control in
            control.isDisposed = true
            return control.timer.take()
        }
        timer?.dispose()
        closeUnlessStepping()
    }

    private var isDisposed: Bool { control.withLock { $0.isDisposed } }

    private func schedule(at deadline: Duration) {
        let number = control.withLock { control in
            control.scheduled += 1
            return control.scheduled
        }
        let timer = scheduler.schedule(at: deadline) { [self] in fire() }
        let isUnwanted = control.withLock { control in
            guard !control.isDisposed else { return true }
            if control.timerNumber < number {
                control.timerNumber = number
                control.timer = timer
            }
            return false
        }
        if isUnwanted { timer.dispose() }
    }

    private func fire() {
        guard !isDisposed else { return }
        let step = engine.withLock { $0.step(now: scheduler.now) }
        for event in step.events {
            guard !isDisposed else { break }
            observer.send(value: event)
        }
        guard !isDisposed else { return closeUnlessStepping() }
        switch step.next {
        case .at(let deadline):
            schedule(at: deadline)
        case .finished:
            dispose()
            observer.sendCompleted()
        case .failed(let failure):
            dispose()
            observer.send(error: failure)
        }
    }

    /// A step that is under way closes the engine itself when it ends, since it then sees that the
    /// run is disposed.
    private func closeUnlessStepping() {
        _ = engine.withLockIfAvailable { $0.close() }
    }
}

extension SignalProducer where Value == SourceEvent, Failure == SourceFailure {
    /// Every start is a run of the engine that `make` then makes.
    static func timed<Engine: RunEngine>(
        on scheduler: any Scheduler,
        _ make: @escaping @Sendable () -> sending Engine
    ) -> SignalProducer {
        SignalProducer { observer, lifetime in
            let run = TimedRun(make(), scheduler: scheduler, observer: observer)
            lifetime += ActionDisposable { run.dispose() }
            run.start()
        }
    }
}
