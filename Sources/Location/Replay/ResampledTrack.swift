/// The fixes of one device at equal steps of the track's time, interpolated along the geodesics
/// between the recorded ones.
///
/// The first fix, and each that does not continue the one before, comes as recorded and starts the
/// steps anew: nothing is interpolated across a discontinuity.
struct ResampledTrack: TrackPoints {
    private var base: any TrackPoints
    private let interval: Duration
    private var leg: ResampledLeg?
    private var last: TrackFix?
    private var gridStart = Timestamp(milliseconds: 0)
    private var step: Int64 = 0

    /// Re-samples a track of one device every `interval`, at least a millisecond.
    init(_ base: any TrackPoints, interval: Duration) {
        precondition(interval >= .milliseconds(1), "a step of at least a millisecond")
        self.base = base
        self.interval = interval
    }

    mutating func pull() throws(TrackError) -> TrackPull {
        if let leg {
            let time = nextTime
            if time <= leg.end.trackTime {
                step += 1
                return .fix(leg.fix(at: time))
            }
            self.leg = nil
        }
        switch try base.pull() {
        case .pending: return .pending
        case .end: return .end
        case .fix(let fix):
            defer { last = fix }
            if let last, !fix.discontinuity, fix.trackTime >= last.trackTime {
                leg = ResampledLeg(start: last, end: fix)
                return .pending
            }
            gridStart = fix.trackTime
            step = 1
            return .fix(fix)
        }
    }

    private var nextTime: Timestamp {
        Timestamp(milliseconds: gridStart.milliseconds + (interval * step).wholeMilliseconds)
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
