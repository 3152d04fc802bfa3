import Reactive
import Synchronization
import TestSupport

@testable import Location

/// A wall clock that shows what a test tells it, in step with a scheduler.
final class TestWallClock: WallClock {
    private let scheduler: TestScheduler
    private let shift = Mutex<Int64>(1_700_000_000_000)

    init(_ scheduler: TestScheduler) {
        self.scheduler = scheduler
    }

    var now: Timestamp {
        Timestamp(milliseconds: shift.withLock { $0 } + scheduler.now.wholeMilliseconds)
    }

    /// Sets the clock forward, or back, by so many milliseconds.
    func step(by milliseconds: Int64) {
        shift.withLock { $0 += milliseconds }
    }
}

/// A scheduler whose every action comes late.
final class LateScheduler: Scheduler {
    private let base: TestScheduler
    private let delay: Duration

    init(_ base: TestScheduler, _ delay: Duration) {
        self.base = base
        self.delay = delay
    }

    var now: Duration { base.now }

    func schedule(
        at deadline: Duration,
        _ action: @escaping @Sendable () -> Void
    ) -> any Disposable {
        base.schedule(at: deadline + delay, action)
    }
}

/// A track held in an array.
struct ArrayTrack: TrackPoints {
    let fixes: [TrackFix]
    var next = 0

    init(_ fixes: [TrackFix]) {
        self.fixes = fixes
    }

    mutating func pull() throws(TrackError) -> TrackPull {
        guard next < fixes.count else { return .end }
        defer { next += 1 }
        return .fix(fixes[next])
    }
}

extension TrackPoints {
    /// All fixes that have not been pulled yet.
    func all() throws -> [TrackFix] {
        var track = self
        var fixes: [TrackFix] = []
        while true {
            switch try track.pull() {
            case .fix(let fix): fixes.append(fix)
            case .pending: continue
            case .end: return fixes
            }
        }
    }
}

/// A source under test, with its time and all it has said.
final class SourceBench: Sendable {
    /// When an event came and what it was.
    struct Entry: Sendable {
        var at: Duration
        var event: Event<SourceEvent, SourceFailure>
    }

    let scheduler = TestScheduler(startingAt: .seconds(1_000))
    let clock: TestWallClock
    private let log = Mutex<[Entry]>([])

    init() {
        clock = TestWallClock(scheduler)
    }

    /// Starts a run whose events are kept.
    func start(_ source: some FixSource) -> any Disposable {
        source.fixes.start { [self] event in
            let entry = Entry(at: scheduler.now - .seconds(1_000), event: event)
            log.withLock { $0.append(entry) }
        }
    }

    var entries: [Entry] { log.withLock { $0 } }

    /// The fixes so far.
    var fixes: [Fix] { timedFixes.map(\.fix) }

    /// The fixes so far, with the time since the bench was made.
    var timedFixes: [(at: Duration, fix: Fix)] {
        entries.compactMap { entry in
            guard case .value(.fix(let fix)) = entry.event else { return nil }
            return (entry.at, fix)
        }
    }

    /// Whether the last event is a completion.
    var hasCompleted: Bool {
        if case .completed? = entries.last?.event { true } else { false }
    }

    /// The error a run has failed with.
    var failure: SourceFailure? {
        entries.lazy.compactMap { entry in
            guard case .failed(let failure) = entry.event else { return nil }
            return failure
        }
        .first
    }

    func forget() {
        log.withLock { $0 = [] }
    }

    /// A replay of a track in an array.
    func replay(
        _ fixes: [TrackFix],
        devices: [String] = [],
        on scheduler: (any Scheduler)? = nil,
        _ change: (inout ReplaySettings) -> Void = { _ in }
    ) -> ReplaySource {
        var settings = ReplaySettings()
        change(&settings)
        let names: [(id: String?, device: String)] =
            devices.isEmpty ? [(nil, "track")] : devices.map { ($0, $0) }
        return ReplaySource(
            path: "a.gpx",
            names: names,
            report: nil,
            settings: settings,
            scheduler: scheduler ?? self.scheduler,
            clock: clock,
            opening: { () throws(TrackError) in ArrayTrack(fixes) }
        )
    }
}

/// A fix of a track at so many seconds, a little further north with each.
func trackFix(_ seconds: Double, _ change: (inout TrackFix) -> Void = { _ in }) -> TrackFix {
    let time = Timestamp(milliseconds: 1_600_000_000_000 + Int64(seconds * 1_000))
    var fix = TrackFix(latitude: 46 + seconds / 100_000, longitude: 7, trackTime: time)
    fix.recordedAt = time
    change(&fix)
    return fix
}
