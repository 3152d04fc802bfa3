import Reactive
import Synchronization

/// The motion simulator: devices that move along a route and report what a receiver would.
final class SimulatorSource: FixSource {
    let kind = SourceKind.simulator
    let devices: [String]
    let isLooping = true

    private let settings: SimulatorSettings
    private let trajectory: Trajectory
    private let scheduler: any Scheduler
    private let clock: any WallClock
    private let progress = SimulatorProgress()

    /// A simulator of one device named `device`, or of `settings.count` named `device-1` and so on.
    init(
        device: String,
        settings: SimulatorSettings,
        scheduler: any Scheduler,
        clock: any WallClock
    ) {
        devices =
            settings.count == 1
            ? [device] : (1...settings.count).map { DeviceName.numbered(device, $0) }
        let route =
            settings.route
            ?? Route.builtIn.scaled(by: settings.profile.limits.loopScale)
        trajectory = Trajectory(route: route, profile: settings.profile)
        self.settings = settings
        self.scheduler = scheduler
        self.clock = clock
    }

    var fixes: SignalProducer<SourceEvent, SourceFailure> {
        .timed(on: scheduler) { [self] in
            SimulatorEngine(
                receivers: devices.map { device in
                    SimulatedReceiver(
                        device: device,
                        trajectory: trajectory,
                        settings: settings,
                        isSpread: devices.count > 1
                    )
                },
                settings: settings,
                clock: clock,
                progress: progress
            )
        }
    }

    func report(for device: String) -> TrackReport? { nil }
}

/// What a simulator remembers from run to run.
final class SimulatorProgress: Sendable {
    private struct State {
        var hasRun = false
        var nextTick: Int64 = 0
        var firstOrigin: Duration?
    }

    private let state = Mutex(State())
    let presented = PresentedTime()

    init() {}

    /// When tick 0 is, or would have been, due for a run whose first fix is due at `start`, and
    /// whether that fix does not continue the last one.
    func begin(
        at start: Duration,
        interval: Duration,
        resume: ResumePolicy
    ) -> (origin: Duration, isDiscontinuous: Bool) {
        state.withLock { state in
            defer { state.hasRun = true }
            switch resume {
            case .restart:
                return (start, state.hasRun)
            case .pause:
                return (start - interval * state.nextTick, false)
            case .wallclock:
                let origin = state.firstOrigin ?? start
                state.firstOrigin = origin
                return (origin, state.hasRun)
            }
        }
    }

    func didReach(tick: Int64) {
        state.withLock { $0.nextTick = tick + 1 }
    }
}

/// One run of the simulator: ticks on a grid of absolute deadlines.
///
/// A step that comes late does the current tick only: what was missed is skipped, not sent in a
/// burst.
private struct SimulatorEngine: RunEngine {
    private struct Grid {
        var origin: Duration
        var start: Duration
        var anchor: PresentationAnchor
        var lastTick: Int64?
    }

    private var receivers: [SimulatedReceiver]
    private let settings: SimulatorSettings
    private let clock: any WallClock
    private let progress: SimulatorProgress
    private var grid: Grid?

    init(
        receivers: [SimulatedReceiver],
        settings: SimulatorSettings,
        clock: any WallClock,
        progress: SimulatorProgress
    ) {
        self.receivers = receivers
        self.settings = settings
        self.clock = clock
        self.progress = progress
    }

    mutating func step(now: Duration) -> RunStep {
        var events: [SourceEvent] = []
        var grid = self.grid ?? begin(now: now, &events)
        guard now >= grid.start else {
            self.grid = grid
            return RunStep(events: events, next: .at(grid.start))
        }
        let tick = Int64((now - grid.origin).ticks(of: settings.interval))
        if tick > grid.lastTick ?? .min {
            events += self.events(tick: tick, now: now, &grid)
            grid.lastTick = tick
            progress.didReach(tick: tick)
        }
        self.grid = grid
        return RunStep(
            events: events,
            next: .at(grid.origin + settings.interval * (tick + 1))
        )
    }

    mutating func close() {
        receivers = []
    }

    private mutating func begin(now: Duration, _ events: inout [SourceEvent]) -> Grid {
        let start = now + settings.timeToFirstFix
        if settings.timeToFirstFix > .zero {
            events.append(.status(device: nil, state: "nofix", message: "waiting for a first fix"))
        }
        let (origin, isDiscontinuous) = progress.begin(
            at: start,
            interval: settings.interval,
            resume: settings.resume
        )
        if isDiscontinuous {
            for index in receivers.indices { receivers[index].interrupt() }
        }
        return Grid(
            origin: origin,
            start: start,
            anchor: PresentationAnchor(clock: clock, now: now)
        )
    }

    private mutating func events(tick: Int64, now: Duration, _ grid: inout Grid) -> [SourceEvent] {
        let due = grid.origin + settings.interval * tick
        let time = progress.presented.advance(to: grid.anchor.time(of: due, now: now))
        var events: [SourceEvent] = []
        events.reserveCapacity(receivers.count)
        for index in receivers.indices {
            guard let event = receivers[index].event(tick: tick, presentedAt: time) else {
                continue
            }
            events.append(event)
        }
        return events
    }
}

extension Duration {
    /// How many whole times `interval`, which is positive, fits into a duration that is not
    /// negative.
    fileprivate func ticks(of interval: Duration) -> Int64 {
        let estimate = Int64((self / interval).rounded(.down))
        // The estimate is rounded to 53 bits; it is off by one at most.
        if interval * (estimate + 1) <= self { return estimate + 1 }
        if interval * estimate > self { return estimate - 1 }
        return estimate
    }
}
