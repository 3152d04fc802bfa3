/// The fixes of one device at equal steps of the track's time, interpolated along the geodesics
/// between the recorded ones.
///
/// The first fix, and each that does not continue the one before, comes as recorded and starts the
/// steps anew: nothing is interpolated across a discontinuity.
struct Resampler {
    private let interval: Duration
    private var leg: ResampledLeg?
    private var last: TrackFix?
    private var start: TrackFix?
    private var gridStart = Timestamp(milliseconds: 0)
    private var step: Int64 = 0

    /// Re-samples every `interval`, at least a millisecond.
    init(interval: Duration) {
        precondition(interval >= .milliseconds(1), "a step of at least a millisecond")
        self.interval = interval
    }

    /// Takes the next recorded fix; `next` must have returned nil since the last one.
    mutating func add(_ fix: TrackFix) {
        defer { last = fix }
        if let last, !fix.discontinuity, fix.device == last.device,
            fix.trackTime >= last.trackTime
        {
            leg = ResampledLeg(start: last, end: fix)
        } else {
            start = fix
            gridStart = fix.trackTime
            step = 1
        }
    }

    /// The next fix up to the last recorded one; nil when another recorded fix is needed.
    mutating func next() -> TrackFix? {
        if let fix = start.take() { return fix }
        guard let leg else { return nil }
        let time = Timestamp(
            milliseconds: gridStart.milliseconds + (interval * step).wholeMilliseconds
        )
        guard time <= leg.end.trackTime else {
            self.leg = nil
            return nil
        }
        step += 1
        return leg.fix(at: time)
    }
}

/// A track of one device, re-sampled.
struct ResampledTrack: TrackPoints {
    private var base: any TrackPoints
    private var resampler: Resampler

    /// Re-samples a track every `interval`, at least a millisecond.
    init(_ base: any TrackPoints, interval: Duration) {
        self.base = base
        resampler = Resampler(interval: interval)
    }

    mutating func pull() throws(TrackError) -> TrackPull {
        if let fix = resampler.next() { return .fix(fix) }
        switch try base.pull() {
        case .pending: return .pending
        case .end: return .end
        case .fix(let fix):
            resampler.add(fix)
            return .pending
        }
    }
}

/// The way from one recorded fix to the next.
private struct ResampledLeg {
    let start: TrackFix
    let end: TrackFix
    private let course: Double
    private let distance: Double
    private let milliseconds: Int64

    init(start: TrackFix, end: TrackFix) {
        self.start = start
        self.end = end
        let way = Geodesy.inverse(from: Self.position(start), to: Self.position(end))
        course = way.initialCourse
        distance = way.distance
        milliseconds = end.trackTime.milliseconds - start.trackTime.milliseconds
    }

    /// The fix at a time within the leg; at its end it is the recorded one.
    ///
    /// Speed and course in between are those of the leg, which is what the positions do.
    func fix(at time: Timestamp) -> TrackFix {
        guard time < end.trackTime, milliseconds > 0 else { return end }
        let elapsed = time.milliseconds - start.trackTime.milliseconds
        let share = Double(elapsed) / Double(milliseconds)
        let here = Geodesy.direct(
            from: Self.position(start),
            course: course,
            distance: distance * share
        )
        func between(_ value: KeyPath<TrackFix, Double?>) -> Double? {
            guard let first = start[keyPath: value], let second = end[keyPath: value] else {
                return nil
            }
            return first + (second - first) * share
        }
        var fix = TrackFix(
            latitude: here.position.latitude,
            longitude: here.position.longitude,
            trackTime: time
        )
        fix.altitude = between(\.altitude)
        fix.ellipsoidalAltitude = between(\.ellipsoidalAltitude)
        fix.horizontalAccuracy = between(\.horizontalAccuracy)
        fix.verticalAccuracy = between(\.verticalAccuracy)
        let speed = distance * 1_000 / Double(milliseconds)
        fix.speed = speed
        fix.course = speed >= 0.5 ? here.finalCourse : nil
        if let first = start.recordedAt, let second = end.recordedAt {
            let length = Double(second.milliseconds - first.milliseconds)
            fix.recordedAt = Timestamp(
                milliseconds: first.milliseconds + Int64((length * share).rounded())
            )
        }
        fix.device = end.device
        return fix
    }

    private static func position(_ fix: TrackFix) -> Geodesy.Position {
        Geodesy.Position(latitude: fix.latitude, longitude: fix.longitude)
    }
}
