/// Reads a whole file ahead for what becomes of stretches longer than the window, and keeps only
/// that.
struct Scout {
    private let rules: NormaliserRules
    private var lanes: [ScoutLane] = []
    private(set) var foresight = Foresight()

    init(options: TrackOptions) {
        rules = NormaliserRules(options: options, isLive: false) { nil }
    }

    mutating func accept(_ point: TrackPoint) {
        let index = Int(point.device)
        while lanes.count <= index { lanes.append(ScoutLane(rules)) }
        lanes[index].accept(point, rules, &foresight)
    }

    mutating func finish() {
        for index in lanes.indices { lanes[index].finish(rules, &foresight) }
    }
}

/// Follows one device as `Lane` does, without holding its positions.
private struct ScoutLane {
    private var check: NeighbourCheck
    private var segment: UInt32 = 0
    private var ordinal = 0
    private var segmentStart = 0
    private var firstTime = TrackPoint.noTime
    private var isTimed = false
    private var latest = TrackPoint.noTime
    private var anchorOrdinal: Int?
    private var newest = TrackPoint()
    private var distance = 0.0
    private var holeCount = 0

    init(_ rules: NormaliserRules) {
        check = NeighbourCheck(rules.order)
    }

    mutating func accept(
        _ point: TrackPoint,
        _ rules: NormaliserRules,
        _ foresight: inout Foresight
    ) {
        if check.admits(point) {
            enter(point, rules, &foresight)
        } else {
            takeChecked(rules, &foresight)
        }
    }

    mutating func finish(_ rules: NormaliserRules, _ foresight: inout Foresight) {
        check.finish()
        takeChecked(rules, &foresight)
    }

    private mutating func takeChecked(_ rules: NormaliserRules, _ foresight: inout Foresight) {
        let points = check.passed
        check.passed.removeAll()
        check.rejected.removeAll()
        for point in points { enter(point, rules, &foresight) }
    }

    private mutating func enter(
        _ point: TrackPoint,
        _ rules: NormaliserRules,
        _ foresight: inout Foresight
    ) {
        if point.segment != segment {
            segment = point.segment
            segmentStart = ordinal
            firstTime = TrackPoint.noTime
            isTimed = false
            anchorOrdinal = nil
        }
        ordinal += 1
        guard point.hasTime else {
            guard anchorOrdinal != nil else { return }
            distance += newest.distance(to: point)
            holeCount += 1
            newest = point
            return
        }
        if firstTime == TrackPoint.noTime { firstTime = point.time }
        if !isTimed, point.time != firstTime {
            isTimed = true
            if rules.order != .drop || firstTime >= latest { latest = max(latest, firstTime) }
            if ordinal - segmentStart > rules.window {
                foresight.timedSegments.insert(
                    Foresight.Key(device: point.device, ordinal: segmentStart)
                )
            }
        }
        if rules.order == .drop, point.time < latest { return }
        if let anchorOrdinal, holeCount > rules.window {
            let key = Foresight.Key(device: point.device, ordinal: anchorOrdinal)
            foresight.holes[key] = Foresight.Hole(
                distance: distance + newest.distance(to: point),
                endTime: point.time
            )
        }
        anchorOrdinal = ordinal
        newest = point
        distance = 0
        holeCount = 0
        if isTimed { latest = max(latest, point.time) }
    }
}
