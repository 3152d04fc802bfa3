/// Lets the positions of a GeoJSON file through to the sink: those of the highest rank in it.
///
/// A place with a name beside a track is no part of it.
final class GeoJSONOutlet {
    private let sink: TrackSink
    private var ranking: SourceRanking
    /// What is still written cannot be waited for: all positions count.
    private let isLive: Bool

    private var track = 0
    private var segment = 0
    private var delivered = 0
    /// Points of devices, by whether they have a time.
    private var untimedDevices = DeviceTally()
    private var timedDevices = DeviceTally()

    /// Whether each of the points is a device of its own.
    private struct DeviceTally {
        private(set) var points = 0
        private(set) var place = Place.none
        private var devices = 0
        private var seen: [Bool] = []

        var isOfSinglePoints: Bool { points > 1 && points == devices }

        mutating func add(_ point: TrackPoint) {
            if points == 0 { place = point.place }
            points += 1
            let index = Int(point.device)
            while seen.count <= index { seen.append(false) }
            if !seen[index] { devices += 1 }
            seen[index] = true
        }
    }

    init(_ sink: TrackSink, _ settings: ParserSettings) {
        self.sink = sink
        isLive = settings.isLive
        ranking = SourceRanking(
            names: [
                "points without times", "lines without times", "points with times",
                "lines or devices with times",
            ],
            settings: settings
        )
    }

    /// After the end: the rank that counts, for a second reading.
    var rereadAs: String? { ranking.rereadAs }

    /// The next position of a line begins another track.
    func beginTrack() {
        track += 1
        segment = 0
    }

    /// The next position of a line continues nothing.
    func beginSegment() {
        segment += 1
    }

    /// A position of a line.
    func offerLine(_ point: TrackPoint, _ problem: String?, isTimed: Bool) {
        offer(point, problem, isTimed ? 3 : 1, group: track << 32 | segment)
    }

    /// A position that is a feature of its own; that of a device joins no line.
    ///
    /// One whose time is not known, though there is a member for it, is a hole between others.
    func offerPoint(_ point: TrackPoint, _ problem: String?, isOfDevice: Bool, isHole: Bool) {
        if isOfDevice, problem == nil {
            if point.hasTime { timedDevices.add(point) } else { untimedDevices.add(point) }
        }
        let rank = isOfDevice ? 3 : 2
        if isHole {
            offer(point, problem, rank, group: 0, lesserRank: 0)
        } else {
            offer(point, problem, point.hasTime ? rank : 0, group: 0)
        }
    }

    /// The file has ended.
    func finish() {
        guard !isLive else { return }
        ranking.finish()
        deliverReleased()
        ranking.note(in: &sink.log)
        noteDevices(ranking.chosen == 0 ? untimedDevices : timedDevices)
    }

    private func noteDevices(_ tally: DeviceTally) {
        guard tally.isOfSinglePoints else { return }
        sink.log.add(
            .note,
            at: tally.place,
            "each id occurs once: each of these \(tally.points) points is a device of its own, "
                + "with one fix and no time between (ids that are numbers name no devices)"
        )
    }

    private func offer(
        _ point: TrackPoint,
        _ problem: String?,
        _ rank: Int,
        group: Int,
        lesserRank: Int? = nil
    ) {
        guard !isLive, ranking.chosen != rank else {
            return deliver(point, problem, group)
        }
        let counts = ranking.offer(
            SourceRanking.Entry(
                point: point,
                problem: problem,
                rank: rank,
                group: group,
                lesserRank: lesserRank
            )
        )
        deliverReleased()
        if counts { deliver(point, problem, group) }
    }

    private func deliverReleased() {
        guard !ranking.released.isEmpty else { return }
        let entries = ranking.released
        ranking.released = []
        for entry in entries { deliver(entry.point, entry.problem, entry.group) }
    }

    private func deliver(_ point: TrackPoint, _ problem: String?, _ group: Int) {
        if group != delivered, group != 0 {
            if group >> 32 == delivered >> 32 {
                sink.beginSegment(device: point.device)
            } else {
                sink.beginTrack(device: point.device)
            }
            delivered = group
        }
        if let problem {
            sink.reject(at: point.place, problem)
        } else {
            sink.append(point)
        }
    }
}
