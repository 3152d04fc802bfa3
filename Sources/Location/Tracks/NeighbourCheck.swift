/// Rejects a time that is more than a day off both neighbours, which agree within an hour.
///
/// One such point would otherwise be the newest for years. The first time of a device has no
/// neighbour before it: it is rejected where it lies more than a day after the next two, which
/// agree within an hour, because all the others would be out of order. So is one that is more than
/// a day off the time before it, with more positions without a time behind it than may wait: it
/// would make the others out of order, and its loss costs one position.
struct NeighbourCheck {
    private var lastTime = TrackPoint.noTime
    /// Points that wait for a neighbour; the first of them is in doubt.
    private var waiting: [TrackPoint] = []
    /// Points that have passed, in their order; the caller takes them away.
    var passed: [TrackPoint] = []
    /// Points that were rejected; the caller takes them away.
    var rejected: [TrackPoint] = []

    /// Whether the point may go on at once; otherwise look at `passed` and `rejected`.
    mutating func admits(_ point: TrackPoint) -> Bool {
        if waiting.isEmpty {
            guard point.hasTime else { return true }
            if lastTime != TrackPoint.noTime, isNear(point.time, lastTime, NormaliserRules.day) {
                lastTime = point.time
                return true
            }
        }
        waiting.append(point)
        if point.hasTime || waiting.count > NormaliserRules.neighbourReach {
            settle(isLast: false, isFull: waiting.count > NormaliserRules.neighbourReach)
        }
        return false
    }

    /// No more points come: those that wait pass.
    mutating func finish() {
        settle(isLast: true, isFull: false)
    }

    private mutating func settle(isLast: Bool, isFull: Bool) {
        while let suspect = waiting.first {
            let later = waiting.dropFirst().lazy.filter(\.hasTime)
            let next = later.first?.time
            let isOff: Bool
            if lastTime != TrackPoint.noTime {
                guard next != nil || isLast || isFull else { return }
                isOff = next.map { isOutlier(suspect.time, between: lastTime, and: $0) } ?? isFull
            } else {
                guard next != nil || isLast || isFull else { return }
                let isLate = next.map { suspect.time > $0 + NormaliserRules.day } ?? false
                let afterNext = later.dropFirst().first?.time
                guard !isLate || afterNext != nil || isLast || isFull else { return }
                if isLate, let next, let afterNext {
                    isOff = isOutlier(suspect.time, between: next, and: afterNext)
                } else {
                    isOff = false
                }
            }
            waiting.removeFirst()
            if isOff {
                rejected.append(suspect)
            } else {
                lastTime = suspect.time
                passed.append(suspect)
            }
            release()
        }
    }

    /// Lets pass what is not in doubt after the newest decision.
    private mutating func release() {
        var count = 0
        for point in waiting {
            if point.hasTime {
                guard lastTime != TrackPoint.noTime,
                    isNear(point.time, lastTime, NormaliserRules.day)
                else { break }
                lastTime = point.time
            }
            count += 1
        }
        passed.append(contentsOf: waiting.prefix(count))
        waiting.removeFirst(count)
    }

    private func isOutlier(_ time: Int64, between one: Int64, and other: Int64) -> Bool {
        isNear(one, other, NormaliserRules.hour)
            && !isNear(time, one, NormaliserRules.day)
            && !isNear(time, other, NormaliserRules.day)
    }

    private func isNear(_ one: Int64, _ other: Int64, _ reach: Int64) -> Bool {
        // Times are within the years 1 to 9999, so the difference cannot overflow.
        abs(one - other) <= reach
    }
}
