/// One device's way through the rules: doubtful times, then segments and holes, then order,
/// duplicates and derived values.
struct Lane {
    private enum Mode {
        /// Fewer than two distinct times were seen in the segment.
        case undecided
        /// The segment has times; positions without one are interpolated or dropped.
        case timed
        /// The segment has none: it is travelled at the chosen speed.
        case untimed
    }

    /// How a hole that is longer than the window is got over.
    private enum Hole {
        /// It is held back until its end is known.
        case held
        /// Its end is known from a first reading.
        case bridged(end: Foresight.Hole, travelled: Double, newest: TrackPoint)
        /// It does not end, or that is not known: its positions are dropped.
        case dropped
    }

    private var check: NeighbourCheck
    private var mode = Mode.undecided
    private var hole = Hole.held
    private var segment: UInt32 = 0
    private var ordinal = 0
    private var segmentStart = 0
    private var held: [TrackPoint] = []
    private var firstTime = TrackPoint.noTime
    private var latest = TrackPoint.noTime
    private var anchor: TrackPoint?
    private var anchorOrdinal = 0
    /// The newest time that was taken of a live feed, whose clock may since have been set back.
    private var newestTime = TrackPoint.noTime
    /// Whether the feed has begun anew, and no position has come since.
    private var hasBegunAnew = false
    /// Whether it may only be repeating what it gave before.
    private var isCatchingUp = false
    /// The newest time that was left out for that.
    private var newestRepeated = TrackPoint.noTime
    /// Whether the feed's clock was set back, and no position has come since.
    private var hasSetClock = false
    private var emission: Emission

    init(name: String?, _ rules: NormaliserRules) {
        check = NeighbourCheck(rules.order)
        emission = Emission(name: name)
    }

    /// Takes the device's next position.
    mutating func accept(
        _ point: TrackPoint,
        _ rules: NormaliserRules,
        _ output: inout NormaliserOutput,
        _ log: inout DiagnosticLog
    ) {
        if rules.isLive { return acceptLive(point, rules, &output, &log) }
        if check.admits(point) {
            enter(point, rules, &output, &log)
        } else if !check.passed.isEmpty || !check.rejected.isEmpty {
            takeChecked(rules, &output, &log)
        }
    }

    /// The feed begins anew: what was taken before is left out when it comes again.
    mutating func beginCatchingUp() {
        hasBegunAnew = true
        isCatchingUp = newestTime != TrackPoint.noTime
        newestRepeated = TrackPoint.noTime
    }

    /// What the feed held before has been gone through.
    ///
    /// Where all that it holds now is far older its clock was set back, and what follows counts.
    mutating func endCatchingUp() {
        guard isCatchingUp else { return }
        isCatchingUp = false
        guard newestRepeated != TrackPoint.noTime,
            newestTime - newestRepeated >= NormaliserRules.liveReach
        else { return }
        latest = newestRepeated
        newestTime = newestRepeated
        hasSetClock = true
    }

    /// No more positions come.
    mutating func finish(
        _ rules: NormaliserRules,
        _ output: inout NormaliserOutput,
        _ log: inout DiagnosticLog
    ) {
        check.finish()
        takeChecked(rules, &output, &log)
        finishSegment(rules, &output, &log)
    }

    /// Takes a position of the device that the sorting has let go.
    mutating func emitSorted(
        _ point: TrackPoint,
        _ rules: NormaliserRules,
        _ output: inout NormaliserOutput,
        _ log: inout DiagnosticLog
    ) {
        emission.emit(point, rules, &output, &log)
    }

    /// Lets go the last position.
    mutating func flush(_ rules: NormaliserRules, _ output: inout NormaliserOutput) {
        emission.flush(rules, &output)
    }

    private mutating func takeChecked(
        _ rules: NormaliserRules,
        _ output: inout NormaliserOutput,
        _ log: inout DiagnosticLog
    ) {
        for point in check.rejected {
            output.rejected += 1
            log.add(
                .warning,
                at: point.place,
                "time \(Timestamp(milliseconds: point.time)) is more than a day off the times "
                    + "around it, the position is rejected"
            )
        }
        let points = check.passed
        check.rejected.removeAll()
        check.passed.removeAll()
        for point in points { enter(point, rules, &output, &log) }
    }

    private mutating func acceptLive(
        _ point: TrackPoint,
        _ rules: NormaliserRules,
        _ output: inout NormaliserOutput,
        _ log: inout DiagnosticLog
    ) {
        var point = point
        if hasBegunAnew {
            // A file may hold nothing but its newest position: beginning is no break.
            hasBegunAnew = false
            emission.passOver(point)
        }
        if point.hasTime {
            if isCatchingUp, point.time <= newestTime {
                // With the last position that was taken the feed has come to where it was, also
                // where its clock was once set back.
                isCatchingUp = point.time != latest
                newestRepeated = max(newestRepeated, point.time)
                output.duplicates += 1
                return emission.passOver(point)
            }
            isCatchingUp = false
            if rules.order == .drop, point.time < latest {
                guard latest - point.time >= NormaliserRules.liveReach else {
                    return countOutOfOrder(point, &output, &log)
                }
                // So far back a feed goes where its clock was set, or where the time before was
                // wrong, which must not keep out all that follow.
                point.isBreak = true
            }
            if point.time == latest {
                output.duplicates += 1
                return
            }
            latest = point.time
            newestTime = max(newestTime, latest)
        } else {
            point.clock = .counted
            point.time = latest == TrackPoint.noTime ? 0 : latest
        }
        if hasSetClock {
            point.isBreak = true
            hasSetClock = false
        }
        emission.output(point, rules, &output)
    }

    private mutating func enter(
        _ point: TrackPoint,
        _ rules: NormaliserRules,
        _ output: inout NormaliserOutput,
        _ log: inout DiagnosticLog
    ) {
        if point.segment != segment {
            finishSegment(rules, &output, &log)
            segment = point.segment
            segmentStart = ordinal
        }
        ordinal += 1
        switch mode {
        case .timed:
            enterTimed(point, ordinal, rules, &output, &log)
        case .untimed:
            count(point, rules, &output, &log)
        case .undecided:
            held.append(point)
            if point.hasTime {
                if firstTime == TrackPoint.noTime {
                    firstTime = point.time
                } else if point.time != firstTime {
                    return decide(.timed, rules, &output, &log)
                }
            }
            guard held.count > rules.window else { return }
            let key = Foresight.Key(device: point.device, ordinal: segmentStart)
            let hasTimes = rules.foresight?.timedSegments.contains(key) ?? false
            decide(hasTimes ? .timed : .untimed, rules, &output, &log)
        }
    }

    private mutating func decide(
        _ mode: Mode,
        _ rules: NormaliserRules,
        _ output: inout NormaliserOutput,
        _ log: inout DiagnosticLog
    ) {
        self.mode = mode
        let points = held
        held = []
        for (index, point) in points.enumerated() {
            if mode == .timed {
                enterTimed(point, segmentStart + 1 + index, rules, &output, &log)
            } else {
                count(point, rules, &output, &log)
            }
        }
    }

    private mutating func finishSegment(
        _ rules: NormaliserRules,
        _ output: inout NormaliserOutput,
        _ log: inout DiagnosticLog
    ) {
        if mode == .undecided, !held.isEmpty { decide(.untimed, rules, &output, &log) }
        for point in held { drop(point, &output, &log) }
        held.removeAll(keepingCapacity: true)
        mode = .undecided
        hole = .held
        firstTime = TrackPoint.noTime
        anchor = nil
    }

    private mutating func enterTimed(
        _ point: TrackPoint,
        _ ordinal: Int,
        _ rules: NormaliserRules,
        _ output: inout NormaliserOutput,
        _ log: inout DiagnosticLog
    ) {
        guard point.hasTime else { return enterHole(point, rules, &output, &log) }
        var point = point
        if point.time < latest {
            if rules.order == .drop { return countOutOfOrder(point, &output, &log) }
        } else {
            latest = point.time
        }
        switch hole {
        case .held:
            if !held.isEmpty { closeHole(at: point, rules, &output, &log) }
        case .dropped:
            point.isBreak = true
            hole = .held
        case .bridged:
            hole = .held
        }
        anchor = point
        anchorOrdinal = ordinal
        release(point, rules, &output, &log)
    }

    private mutating func enterHole(
        _ point: TrackPoint,
        _ rules: NormaliserRules,
        _ output: inout NormaliserOutput,
        _ log: inout DiagnosticLog
    ) {
        guard let anchor else { return drop(point, &output, &log) }
        switch hole {
        case .dropped:
            drop(point, isBeyondSight: !rules.canReadAgain, &output, &log)
        case .bridged(let end, let travelled, let newest):
            let distance = travelled + newest.distance(to: point)
            let share = end.distance > 0 ? distance / end.distance : 0
            interpolate(point, anchor.time, end.endTime, share, rules, &output, &log)
            hole = .bridged(end: end, travelled: distance, newest: point)
        case .held:
            held.append(point)
            guard held.count > rules.window else { return }
            let key = Foresight.Key(device: point.device, ordinal: anchorOrdinal)
            if let end = rules.foresight?.holes[key] {
                hole = .bridged(end: end, travelled: 0, newest: anchor)
            } else {
                hole = .dropped
            }
            let points = held
            held = []
            for point in points { enterHole(point, rules, &output, &log) }
        }
    }

    /// Gives the held positions between two times theirs, by the way travelled.
    private mutating func closeHole(
        at end: TrackPoint,
        _ rules: NormaliserRules,
        _ output: inout NormaliserOutput,
        _ log: inout DiagnosticLog
    ) {
        let points = held
        held.removeAll(keepingCapacity: true)
        guard let anchor else {
            for point in points { drop(point, &output, &log) }
            return
        }
        var newest = anchor
        var travelled: [Double] = []
        travelled.reserveCapacity(points.count)
        var distance = 0.0
        for point in points {
            distance += newest.distance(to: point)
            travelled.append(distance)
            newest = point
        }
        let total = distance + newest.distance(to: end)
        for (index, point) in points.enumerated() {
            let share =
                total > 0
                ? travelled[index] / total
                : Double(index + 1) / Double(points.count + 1)
            interpolate(point, anchor.time, end.time, share, rules, &output, &log)
        }
    }

    private mutating func interpolate(
        _ point: TrackPoint,
        _ start: Int64,
        _ end: Int64,
        _ share: Double,
        _ rules: NormaliserRules,
        _ output: inout NormaliserOutput,
        _ log: inout DiagnosticLog
    ) {
        var point = point
        point.time = start + Int64((Double(end - start) * min(share, 1)).rounded())
        point.clock = .interpolated
        release(point, rules, &output, &log)
    }

    /// Lets go a position of a segment without times, which gets one by distance and speed.
    ///
    /// Sorting leaves it behind the times that came before it.
    private mutating func count(
        _ point: TrackPoint,
        _ rules: NormaliserRules,
        _ output: inout NormaliserOutput,
        _ log: inout DiagnosticLog
    ) {
        var point = point
        point.time = latest
        point.clock = .counted
        release(point, rules, &output, &log)
    }

    private mutating func release(
        _ point: TrackPoint,
        _ rules: NormaliserRules,
        _ output: inout NormaliserOutput,
        _ log: inout DiagnosticLog
    ) {
        if output.sorts {
            output.sorted.insert(point)
        } else {
            emission.emit(point, rules, &output, &log)
        }
    }

    private func drop(
        _ point: TrackPoint,
        isBeyondSight: Bool = false,
        _ output: inout NormaliserOutput,
        _ log: inout DiagnosticLog
    ) {
        output.dropped += 1
        let reason =
            isBeyondSight
            ? "no time, in a hole of more than 65,536 positions, beyond which standard input "
                + "cannot be looked ahead"
            : "no time, and none before or after it in its segment to derive one from"
        log.add(.warning, at: point.place, "\(reason); dropped")
    }

    private func countOutOfOrder(
        _ point: TrackPoint,
        _ output: inout NormaliserOutput,
        _ log: inout DiagnosticLog
    ) {
        output.outOfOrder += 1
        let newest = latest
        let remedy =
            point.isOfLaterTrack
            ? "order=sort, order=file or split=track" : "order=sort or order=file"
        log.add(
            .warning,
            at: point.place,
            "time \(Timestamp(milliseconds: point.time)) lies before that of an earlier position, "
                + "\(Timestamp(milliseconds: newest)); left out (\(remedy) keeps it)"
        )
    }
}

extension TrackPoint {
    /// Metres to another position.
    func distance(to other: TrackPoint) -> Double {
        Leg.between(latitude, longitude, other.latitude, other.longitude).distance
    }
}
