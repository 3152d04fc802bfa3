import Reactive

/// One run of a replay.
///
/// Every fix has an absolute deadline, `lapOrigin` plus the offset its pace says; nothing is added
/// up from one timer to the next. Fixes go out in batches of at most 20, one every 2.02 ms and up
/// to five at once to make up for late timers: in no second more than 10,000. A run that is late by
/// more than a second, because the machine was busy or stopped, goes on from there at its pace: no
/// fix is lost and there is no burst.
struct ReplayEngine: RunEngine {
    private static let batch = 20
    private static let batchTime = ReplayPace.shortestStep * batch
    private static let catchUp = batchTime * 5
    private static let tolerance = Duration.seconds(1)
    private static let pullsPerStep = 2_000

    /// A fix and the device that it is of.
    private struct Played {
        var fix: TrackFix
        var device: String
    }

    private struct Head {
        var played: Played
        var due: Duration
    }

    private let path: String
    private let names: [String?: String]
    private let notice: String?
    private let settings: ReplaySettings
    private let clock: any WallClock
    private let progress: ReplayProgress
    private let opening: TrackOpening

    private var track: (any TrackPoints)?
    private var anchor: PresentationAnchor?
    private var pace: ReplayPace
    private var head: Head?
    /// When the next batch may go out.
    private var nextBatch = Duration.zero
    private var lapOrigin = Duration.zero
    private var place = ReplayProgress.Place()
    /// How many fixes of the lap are still to be passed over, to where the last run stopped.
    private var skipped = 0
    /// Where on the scheduler's clock a run that never stopped would be; nil once there.
    private var target: Duration?
    /// The newest fix of each device before the target.
    private var passed: [String: TrackFix] = [:]
    private var passedOrder: [String] = []
    /// Devices whose next fix does not continue their last one.
    private var interrupted: Set<String> = []
    /// What the file calls the device of the newest fix, where it is the only one.
    private var newestID: String??

    init(
        path: String,
        names: [String?: String],
        notice: String? = nil,
        settings: ReplaySettings,
        clock: any WallClock,
        progress: ReplayProgress,
        opening: @escaping TrackOpening
    ) {
        self.path = path
        self.names = names
        self.notice = notice
        self.settings = settings
        self.clock = clock
        self.progress = progress
        self.opening = opening
        pace = ReplayPace(rate: settings.rate, maxGap: settings.maxGap)
    }

    mutating func step(now: Duration) -> RunStep {
        do {
            var events: [SourceEvent] = []
            if anchor == nil { begin(now: now, &events) }
            return try play(now: now, events)
        } catch {
            return RunStep(next: .failed(error))
        }
    }

    mutating func close() {
        track = nil
        head = nil
        passed = [:]
    }

    /// Finds where the run begins.
    private mutating func begin(now: Duration, _ events: inout [SourceEvent]) {
        if let notice { events.append(.status(device: nil, state: "running", message: notice)) }
        anchor = PresentationAnchor(clock: clock, now: now)
        lapOrigin = now
        let (state, hasRun) = progress.update { state in
            let hasRun = state.hasRun
            state.hasRun = true
            if state.origin == nil { state.origin = now }
            return (state, hasRun)
        }
        guard hasRun else { return }
        switch settings.resume {
        case .restart:
            interruptAll()
        case .pause:
            // Nowhere is where a track has not begun, or has ended.
            if state.place == ReplayProgress.Place() { interruptAll() }
            place.lap = state.place.lap
            skipped = state.place.sent
        case .wallclock:
            interruptAll()
            lapOrigin = state.origin ?? now
            target = now
            if let length = state.lapLength, settings.isLooping { jump(to: now, lapLength: length) }
        }
    }
}

extension ReplayEngine {
    /// Sends what is due.
    private mutating func play(
        now: Duration,
        _ first: [SourceEvent]
    ) throws(SourceFailure) -> RunStep {
        var events = first
        for _ in 0..<Self.pullsPerStep {
            if head == nil {
                switch try load(now: now, &events) {
                case .loaded: break
                case .pending: continue
                case .finished: return RunStep(events: events, next: .finished)
                }
            }
            guard let head else { continue }
            if let target {
                if head.due <= target {
                    pass(head.played)
                    continue
                }
                events += arrive(now: now)
            }
            if now - head.due > Self.tolerance { postpone(by: now - head.due) }
            let due = self.head?.due ?? head.due
            if due > now || events.count >= Self.batch {
                return RunStep(events: events, next: .at(max(due, endBatch(events, now: now))))
            }
            self.head = nil
            place.sent += 1
            if let event = event(head.played, due: due, now: now) { events.append(event) }
        }
        return RunStep(events: events, next: .at(max(now, endBatch(events, now: now))))
    }

    /// When the next batch may go out after these events.
    private mutating func endBatch(_ events: [SourceEvent], now: Duration) -> Duration {
        guard !events.isEmpty else { return .zero }
        nextBatch = max(nextBatch, now - Self.catchUp) + Self.batchTime
        return nextBatch
    }

    private enum Loading {
        case loaded
        case pending
        case finished
    }

    /// Gets the next fix and its deadline; at the end of the track, begins the next lap.
    private mutating func load(
        now: Duration,
        _ events: inout [SourceEvent]
    ) throws(SourceFailure) -> Loading {
        let pull: TrackPull
        do {
            if track == nil { track = try opening() }
            pull = try track?.pull() ?? .end
        } catch {
            throw SourceFailure(message: error.description)
        }
        switch pull {
        case .pending:
            return .pending
        case .fix(let fix):
            guard let device = device(of: fix) else { return .pending }
            if skipped > 0 {
                skipped -= 1
                place.sent += 1
                return .pending
            }
            head = Head(
                played: Played(fix: fix, device: device),
                due: lapOrigin + pace.offset(of: fix)
            )
            return .loaded
        case .end:
            return try endLap(now: now, &events)
        }
    }

    /// Begins the next lap, or ends the run.
    private mutating func endLap(
        now: Duration,
        _ events: inout [SourceEvent]
    ) throws(SourceFailure) -> Loading {
        track = nil
        guard pace.hasFixes || place.sent > 0 else {
            throw SourceFailure(message: "\(path): the file has no fix of its devices any more")
        }
        let length = pace.lapLength
        if settings.resume == .wallclock { progress.update { $0.lapLength = length } }
        if target != nil, !settings.isLooping {
            // Had it never stopped it would have ended: it begins anew.
            forgetPassed()
            target = nil
            lapOrigin = now
            progress.update { $0.origin = now }
        } else if settings.isLooping {
            if target != nil, now - lapOrigin >= length {
                forgetPassed()
                lapOrigin += length
                place.lap += 1
                jump(to: now, lapLength: length)
            } else {
                if target != nil { events += arrive(now: now) }
                lapOrigin += length
                place.lap += 1
            }
        } else {
            progress.update { state in
                state.place = ReplayProgress.Place()
                state.origin = nil
            }
            return .finished
        }
        place.sent = 0
        skipped = 0
        pace = ReplayPace(rate: settings.rate, maxGap: settings.maxGap)
        interruptAll()
        return .pending
    }

    /// Goes on to the lap that is being played at `moment`.
    private mutating func jump(to moment: Duration, lapLength: Duration) {
        let laps = Int(((moment - lapOrigin) / lapLength).rounded(.down))
        guard laps > 0 else { return }
        lapOrigin += lapLength * laps
        place.lap += laps
    }

    private mutating func pass(_ played: Played) {
        if passed.updateValue(played.fix, forKey: played.device) == nil {
            passedOrder.append(played.device)
        }
        place.sent += 1
        head = nil
    }

    private mutating func forgetPassed() {
        passed = [:]
        passedOrder = []
    }

    /// The fixes at which a run that never stopped would be, now that they are found.
    private mutating func arrive(now: Duration) -> [SourceEvent] {
        target = nil
        let fixes = passedOrder.compactMap { device in
            passed[device].map { Played(fix: $0, device: device) }
        }
        forgetPassed()
        return fixes.compactMap { event($0, due: now, now: now) }
    }

    private mutating func postpone(by delay: Duration) {
        lapOrigin += delay
        head?.due += delay
    }

    private mutating func interruptAll() {
        interrupted = Set(names.values)
    }

    /// The device that a fix is of; nil: one that the file had not when it was looked through.
    private func device(of fix: TrackFix) -> String? {
        // A file of one device may be replaced by one that calls it otherwise.
        names.count == 1 ? names.values.first : names[fix.device]
    }

    private mutating func event(_ played: Played, due: Duration, now: Duration) -> SourceEvent? {
        let place = place
        progress.update { $0.place = place }
        guard let time = anchor?.time(of: due, now: now) else { return nil }
        var fix = Fix(
            played.fix,
            device: played.device,
            timestamp: progress.presented.advance(to: time),
            origin: .replayed
        )
        fix.recordedAt = played.fix.recordedAt
        fix.lap = place.lap
        let isInterrupted = interrupted.remove(played.device) != nil
        let isOther = isOther(played.fix)
        fix.discontinuity = isInterrupted || isOther || played.fix.discontinuity
        return .fix(fix)
    }

    /// Whether a fix is of another device of the file than the one before, though the file had one
    /// device only when it was looked through.
    private mutating func isOther(_ fix: TrackFix) -> Bool {
        guard names.count == 1 else { return false }
        defer { newestID = fix.device }
        return newestID.map { $0 != fix.device } ?? false
    }
}
