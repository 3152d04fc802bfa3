/// Rejects a time, or a short run of them, that is more than a day off both neighbours, which agree
/// within an hour.
///
/// One such point would otherwise be the newest for years. The first time of a device has no
/// neighbour before it: it is rejected where it lies more than a day after the next two, which
/// agree within an hour, because all the others would be out of order. So is one that is more than
/// a day off the time before it, with more positions without a time behind it than may wait: it
/// would make the others out of order, and its loss costs one position.
struct NeighbourCheck {
    /// How many times may be off between two neighbours, where the order of times decides what is
    /// lost.
    static let longestRun = 8

    private let longestRun: Int
    private var lastTime = TrackPoint.noTime
    /// Points that wait for a neighbour; the first of them is in doubt.
    private var waiting: [TrackPoint] = []
    /// Points that have passed, in their order; the caller takes them away.
    var passed: [TrackPoint] = []
    /// Points that were rejected; the caller takes them away.
    var rejected: [TrackPoint] = []

    /// A check for what comes out in that order: where all positions come out, wherever their times
    /// lie, a run of times is no fault.
    init(_ order: TrackOptions.Order) {
        longestRun = order == .drop ? NeighbourCheck.longestRun : 1
    }

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
            guard let count = countOff(mustTell: isLast || isFull, isFull: isFull) else { return }
            if count == 0 {
                waiting.removeFirst()
                lastTime = suspect.time
                passed.append(suspect)
            } else {
                reject(count)
            }
            release()
        }
    }

    /// How many times of those that wait, from the first, are off; nil until more tell.
    private func countOff(mustTell: Bool, isFull: Bool) -> Int? {
        let times = waiting.lazy.filter(\.hasTime).map(\.time)
        guard lastTime == TrackPoint.noTime else {
            var count = 0
            for time in times.prefix(longestRun + 1) {
                if isNear(time, lastTime, NormaliserRules.day) {
                    return areOff(count, after: time) ? count : 0
                }
                count += 1
            }
            if count > longestRun { return 0 }
            guard mustTell else { return nil }
            return isFull && count == 1 ? 1 : 0
        }
        let head = Array(times.prefix(3))
        guard head.count > 1 else { return mustTell ? 0 : nil }
        guard head[0] > head[1] + NormaliserRules.day else { return 0 }
        guard head.count > 2 else { return mustTell ? 0 : nil }
        return isOutlier(head[0], between: head[1], and: head[2]) ? 1 : 0
    }

    /// Whether so many times that wait are off the time before them and that after them.
    private func areOff(_ count: Int, after next: Int64) -> Bool {
        waiting.lazy.filter(\.hasTime).prefix(count)
            .allSatisfy { isOutlier($0.time, between: lastTime, and: next) }
    }

    /// Takes the first times that wait away, and leaves the positions without one between them.
    private mutating func reject(_ count: Int) {
        var off: [TrackPoint] = []
        waiting.removeAll { point in
            guard off.count < count, point.hasTime else { return false }
            off.append(point)
            return true
        }
        rejected.append(contentsOf: off)
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
