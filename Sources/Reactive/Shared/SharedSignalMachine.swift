/// When a shared signal's upstream is started and stopped: a pure value.
///
/// Its methods say what happened and return what has to be done, after unlocking. A run's number
/// is its generation; whatever an older generation reports is ignored. The next `start` is only
/// returned when both the start and the stop of the run before have returned, so that two runs
/// never overlap and a stop never lands after a later start.
@usableFromInline
struct SharedSignalMachine {
    /// What the owner has to do.
    @usableFromInline
    enum Action: Equatable {
        /// Call the upstream's start handler, then report ``startReturned(generation:now:)``.
        case start(generation: Int)
        /// Dispose the run's resources, then report ``stopReturned(generation:now:)``.
        case stop(generation: Int)
    }

    /// How a run ended by itself.
    @usableFromInline
    enum Ending: Equatable {
        case completed
        case failed(String)
    }

    private struct Run {
        var hasStarted = false
        var hasSentValue = false
        /// The stop has been ordered, or the upstream has ended by itself.
        var isOver = false
        var hasStopped = false
        var hasFailed = false
    }

    let linger: Duration
    let backOff: BackOff
    let retriesOnFailure: Bool

    @usableFromInline
    var state = SharedSignalState.idle { didSet { revision += 1 } }
    /// The number of the current or last run.
    @usableFromInline
    var generation = 0
    /// The run whose values need no further look: it has sent one that ends the failures, and is
    /// not over; else 0.
    @usableFromInline
    var acceptedGeneration = 0
    @usableFromInline
    var observers = 0
    /// How often demand, not a retry, has started the upstream.
    @usableFromInline
    var starts = 0
    /// How often somebody came back to a lingering run.
    @usableFromInline
    var lingers = 0
    @usableFromInline
    var isDrained = false
    /// The text of the last failure, until a run sends a value that ends the failures.
    @usableFromInline
    var failure: String?
    /// Grows with each change of the state, of the generation and of the failure.
    @usableFromInline
    var revision = 0

    private var run: Run?
    private var leaseEnd: Duration?
    private var lingerEnd: Duration?
    private var backOffEnd: Duration?
    private var failuresInARow = 0
    private var isRetrying = false
    private var jitter: JitterGenerator

    @usableFromInline
    init(linger: Duration, backOff: BackOff, retriesOnFailure: Bool) {
        self.linger = linger
        self.backOff = backOff
        self.retriesOnFailure = retriesOnFailure
        jitter = JitterGenerator(seed: backOff.seed)
    }

    /// When ``tick(now:)`` is due.
    @usableFromInline
    var nextDeadline: Duration? {
        .earlier(leaseEnd, .earlier(lingerEnd, backOffEnd))
    }

    private var isWanted: Bool { !isDrained && (observers > 0 || leaseEnd != nil) }

    // Demand

    /// A counted observer came.
    @usableFromInline
    mutating func join(now: Duration) -> Action? {
        observers += 1
        return reconcile(now: now)
    }

    /// A counted observer left by itself.
    @usableFromInline
    mutating func leave(now: Duration) -> Action? {
        precondition(observers > 0, "an observer left that had not come")
        observers -= 1
        return reconcile(now: now)
    }

    /// The upstream is wanted until `deadline`, or until a later one asked for before.
    @usableFromInline
    mutating func lease(until deadline: Duration, now: Duration) -> Action? {
        guard !isDrained, deadline > now else { return nil }
        leaseEnd = max(deadline, leaseEnd ?? deadline)
        return reconcile(now: now)
    }

    /// There will be no further run.
    ///
    /// The observers are gone by this.
    @usableFromInline
    mutating func drain(now: Duration) -> Action? {
        isDrained = true
        observers = 0
        leaseEnd = nil
        lingerEnd = nil
        backOffEnd = nil
        if state == .backoff { state = .idle }
        return isRunning ? end() : nil
    }

    /// Time has passed.
    @usableFromInline
    mutating func tick(now: Duration) -> Action? {
        if let deadline = leaseEnd, deadline <= now { leaseEnd = nil }
        if let deadline = backOffEnd, deadline <= now {
            backOffEnd = nil
            state = .idle
            isRetrying = isRetrying && isWanted
        }
        if let deadline = lingerEnd, deadline <= now {
            lingerEnd = nil
            return end()
        }
        return reconcile(now: now)
    }

    // The run

    /// The upstream sent a value of a run that is not accepted yet.
    ///
    /// False: the run is over, and the value to be dropped.
    @usableFromInline
    mutating func acceptsValue(generation: Int, endsFailures: Bool) -> Bool {
        guard generation == self.generation, run?.isOver == false else { return false }
        run?.hasSentValue = true
        if endsFailures {
            acceptedGeneration = generation
            failuresInARow = 0
            if failure != nil {
                failure = nil
                revision += 1
            }
        }
        if state == .starting { state = .running }
        return true
    }

    /// The upstream ended by itself.
    ///
    /// Nil: that run was over; else whether its observers leave.
    ///
    /// They are gone by this. The stop is due after they have been told.
    @usableFromInline
    mutating func endByItself(
        _ ending: Ending,
        generation: Int
    ) -> (observersLeave: Bool, stop: Action)? {
        guard generation == self.generation, run?.isOver == false else { return nil }
        var observersLeave = true
        if case .failed(let text) = ending {
            run?.hasFailed = true
            failure = text
            failuresInARow += 1
            observersLeave = !retriesOnFailure
        }
        if observersLeave {
            observers = 0
            leaseEnd = nil
        }
        return (observersLeave, end())
    }

    /// The upstream's start handler returned.
    @usableFromInline
    mutating func startReturned(generation: Int, now: Duration) -> Action? {
        guard generation == self.generation else { return nil }
        run?.hasStarted = true
        if state == .starting { state = .running }
        return finishIfOver(now: now)
    }

    /// The disposal of the run's resources returned.
    @usableFromInline
    mutating func stopReturned(generation: Int, now: Duration) -> Action? {
        guard generation == self.generation else { return nil }
        run?.hasStopped = true
        return finishIfOver(now: now)
    }

    // Private

    private var isRunning: Bool { run?.isOver == false }

    private mutating func reconcile(now: Duration) -> Action? {
        switch state {
        case .idle where isWanted:
            generation += 1
            if !isRetrying { starts += 1 }
            isRetrying = false
            run = Run()
            state = .starting
            return .start(generation: generation)
        case .starting where !isWanted, .running where !isWanted:
            guard linger > .zero else { return end() }
            lingerEnd = now + linger
            state = .lingering
            return nil
        case .lingering where isWanted:
            lingerEnd = nil
            lingers += 1
            state = run?.hasStarted == true || run?.hasSentValue == true ? .running : .starting
            return nil
        case .idle, .starting, .running, .lingering, .stopping, .backoff:
            return nil
        }
    }

    private mutating func end() -> Action {
        run?.isOver = true
        acceptedGeneration = 0
        lingerEnd = nil
        state = .stopping
        return .stop(generation: generation)
    }

    private mutating func finishIfOver(now: Duration) -> Action? {
        guard let run, run.isOver, run.hasStarted, run.hasStopped else { return nil }
        self.run = nil
        if run.hasFailed && !isDrained {
            backOffEnd =
                now + backOff.delay(afterFailures: failuresInARow, random: jitter.next())
            isRetrying = isWanted
            state = .backoff
            return nil
        }
        state = .idle
        return reconcile(now: now)
    }
}
