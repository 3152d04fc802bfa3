/// The last step of a device's way: positions without times get theirs, of equal times the last
/// one stays, and speed, course and discontinuity follow from the fix before.
struct Emission {
    let name: String?

    private var pending: TrackPoint?
    private var previous: TrackPoint?
    private var newestTime = TrackPoint.noTime
    /// The time of the newest position without one of its own, in milliseconds; they are added up
    /// from fractions.
    private var countedTime = 0.0

    init(name: String?) {
        self.name = name
    }

    /// Takes note of where the fix before is in a feed that has begun anew.
    mutating func passOver(_ point: TrackPoint) {
        previous?.segment = point.segment
        previous?.stretch = point.stretch
    }

    /// Takes the next position, in its final order.
    mutating func emit(
        _ point: TrackPoint,
        _ rules: NormaliserRules,
        _ output: inout NormaliserOutput,
        _ log: inout DiagnosticLog
    ) {
        var point = point
        if point.clock == .counted {
            count(&point, rules)
        } else {
            if point.time < newestTime, rules.order == .sort {
                output.outOfOrder += 1
                log.add(
                    .warning,
                    at: point.place,
                    "time \(Timestamp(milliseconds: point.time)) is farther out of order than "
                        + "\(NormaliserOutput.sortWindow) positions, and left out"
                )
                return
            }
            newestTime = max(newestTime, point.time)
        }
        if let last = pending {
            if last.time == point.time, last.clock != .counted, point.clock != .counted {
                output.duplicates += 1
                if last.isBreak { point.isBreak = true }
                log.add(
                    .warning,
                    at: last.place,
                    "time \(Timestamp(milliseconds: last.time)) is also that of the next position, "
                        + "which is used instead"
                )
            } else {
                self.output(last, rules, &output)
            }
        }
        pending = point
    }

    /// Gives a position of a segment without times one, by distance and speed.
    private mutating func count(_ point: inout TrackPoint, _ rules: NormaliserRules) {
        if let last = pending, last.segment == point.segment {
            countedTime += last.distance(to: point) / rules.pace
        } else {
            // A second, because the time must not be that of the segment before.
            countedTime = pending.map { Double($0.time) + 1000 } ?? 0
        }
        let end = Double(Timestamp.latest.milliseconds)
        point.time = Int64(min(countedTime, end).rounded())
    }

    /// Lets go the last position.
    mutating func flush(_ rules: NormaliserRules, _ output: inout NormaliserOutput) {
        guard let last = pending else { return }
        pending = nil
        self.output(last, rules, &output)
    }

    /// Makes a fix of a position.
    mutating func output(
        _ point: TrackPoint,
        _ rules: NormaliserRules,
        _ output: inout NormaliserOutput
    ) {
        var speed = point.speed
        var course = point.course
        var discontinuity = false
        if let previous {
            let step = point.time - previous.time
            discontinuity =
                point.isBreak || point.segment != previous.segment
                || point.stretch != previous.stretch
                || (point.clock != .counted && abs(step) > rules.maxGap)
            if !discontinuity {
                let leg = Leg.between(
                    previous.latitude,
                    previous.longitude,
                    point.latitude,
                    point.longitude
                )
                output.length += leg.distance
                if speed.isNaN, step > 0 {
                    speed =
                        point.clock == .counted
                        ? rules.speed
                        : leg.distance / Double(step) * 1000
                }
                if course.isNaN, leg.distance > 0 { course = leg.course }
            }
        }
        previous = point
        output.tally(point, discontinuity)
        var fix = TrackFix(
            latitude: point.latitude,
            longitude: point.longitude,
            trackTime: Timestamp(milliseconds: point.time)
        )
        fix.altitude = known(point.altitude)
        fix.ellipsoidalAltitude = known(point.ellipsoidalAltitude)
        fix.horizontalAccuracy = known(point.horizontalAccuracy)
        fix.verticalAccuracy = known(point.verticalAccuracy)
        fix.speed = known(speed)
        fix.course = speed >= 0.5 ? known(course) : nil
        fix.recordedAt = point.clock == .counted ? nil : fix.trackTime
        fix.discontinuity = discontinuity
        fix.device = name
        output.fixes.append(fix)
    }

    private func known(_ number: Double) -> Double? {
        number.isNaN ? nil : number
    }
}

extension NormaliserOutput {
    fileprivate mutating func tally(_ point: TrackPoint, _ discontinuity: Bool) {
        fixCount += 1
        if discontinuity { discontinuities += 1 }
        switch point.clock {
        case .own: break
        case .interpolated: interpolated += 1
        case .counted:
            untimed += 1
            countedFirst = min(countedFirst, point.time)
            countedLast = max(countedLast, point.time)
            return
        }
        first = min(first, point.time)
        last = max(last, point.time)
    }
}
