/// Lets the positions of a KML file through to the sink: those of the highest rank in it.
final class KMLOutlet {
    /// What positions are taken from, by rank.
    enum Source: Int {
        case lineString
        case track
    }

    /// Which line or track of the file a position belongs to.
    struct Line {
        var number: Int
        var placemark: Int
    }

    private let sink: TrackSink
    private let splitsTracks: Bool
    private var ranking: SourceRanking

    private var deliveredLine = 0
    private var deliveredPlacemark = 0
    private var heldNames: [Int: [UInt8]] = [:]
    private var placemarkOfLine: [Int: Int] = [:]
    private var trackNames = TrackNames()
    /// The device of the track that is read; nil for one too many.
    private var device: UInt32? = 0

    init(_ sink: TrackSink, _ settings: ParserSettings) {
        self.sink = sink
        splitsTracks = settings.options.split == .track
        ranking = SourceRanking(names: ["line positions", "track positions"], settings: settings)
    }

    /// After the end: the rank that counts, for a second reading.
    var rereadAs: String? { ranking.rereadAs }

    /// A position, or why it cannot be used, of a line in a placemark of that name.
    func offer(
        _ point: TrackPoint,
        _ problem: String?,
        _ source: Source,
        _ line: Line,
        name: [UInt8]
    ) {
        if ranking.chosen == source.rawValue {
            return deliver(point, problem, line, name)
        }
        if ranking.isHolding {
            placemarkOfLine[line.number] = line.placemark
            if splitsTracks { heldNames[line.number] = name }
        }
        let counts = ranking.offer(
            SourceRanking.Entry(
                point: point,
                problem: problem,
                rank: source.rawValue,
                group: line.number
            )
        )
        deliverReleased()
        if counts { deliver(point, problem, line, name) }
    }

    /// The file has ended.
    func finish() {
        ranking.finish()
        deliverReleased()
        ranking.note(in: &sink.log)
    }

    private func deliverReleased() {
        guard !ranking.released.isEmpty else { return }
        let entries = ranking.released
        ranking.released = []
        for entry in entries {
            deliver(
                entry.point,
                entry.problem,
                Line(number: entry.group, placemark: placemarkOfLine[entry.group] ?? 0),
                heldNames[entry.group] ?? []
            )
        }
        heldNames = [:]
        placemarkOfLine = [:]
    }

    private func deliver(_ point: TrackPoint, _ problem: String?, _ line: Line, _ name: [UInt8]) {
        if let problem { return sink.reject(at: point.place, problem) }
        if line.number != deliveredLine {
            deliveredLine = line.number
            if line.placemark != deliveredPlacemark || line.placemark == 0 {
                deliveredPlacemark = line.placemark
                if splitsTracks {
                    device = sink.device(named: trackNames.id(name, number: deliveredPlacemark))
                }
                if let device { sink.beginTrack(device: device) }
            } else {
                if let device { sink.beginSegment(device: device) }
            }
        }
        guard let device else { return sink.rejectDevice(at: point.place) }
        var point = point
        point.device = device
        sink.append(point)
    }
}
