extension TrackFormat {
    /// GPX 1.0 and 1.1: tracks, else routes, else waypoints.
    static let gpx = TrackFormat(
        name: "gpx",
        title: "GPX",
        recognises: { $0.rootElement == "gpx" },
        makeParser: { sink, settings in
            XMLTrackParser(
                handler: GPXHandler(sink, settings),
                sink: sink,
                vocabulary: GPXHandler.Element.allCases.map(\.rawValue)
            )
        }
    )
}

/// Reads GPX.
///
/// Routes and waypoints count only in a file without track points, which is known at its end: up to
/// `heldPoints` of them are held till then; for more the file is read again. Standard input is not:
/// there, once so many are held, it is decided that the file has no tracks.
final class GPXHandler: XMLTrackHandler {
    enum Element: String, CaseIterable {
        case other = ""
        case trk
        case trkseg
        case trkpt
        case rte
        case rtept
        case wpt
        case name
        case ele
        case time
        case speed
        case course
        case bearing
        case accuracy
    }

    private static let elements = Element.allCases
    private static let heldPoints = 16_384

    /// What positions are taken from, by rank.
    private enum Source: String {
        case undecided
        case wpt
        case rte
        case trk
    }

    private let splitsTracks: Bool
    private let isRewindable: Bool
    private let times: TimestampParser
    private var source = Source.undecided
    private var held: [HeldPoint] = []
    private var heldOverflow = false
    private var unused: [Source: (count: Int, place: Place)] = [:]

    private var point = TrackPoint()
    private var pointSource = Source.undecided
    private var pointDepth = 0
    private var pointProblem: String?
    private var segmentCount = 0
    private var trackCounts: [Source: Int] = [:]
    private var trackNumber = 0
    private var trackDepth = 0
    private var trackName: [UInt8] = []
    private var trackNeedsDevice = false
    private var device: UInt32 = 0
    private var deviceNames: Set<String> = []
    private var value = Element.other
    private var valueDepth = 0
    private var assumedZone = false

    private struct HeldPoint {
        var point: TrackPoint
        var problem: String?
        var source: Source
        var route: Int
    }

    init(_ sink: TrackSink, _ settings: ParserSettings) {
        splitsTracks = settings.options.split == .track
        isRewindable = settings.isRewindable
        times = TimestampParser(timeZone: settings.options.timeZone)
        source = settings.rereadAs.flatMap(Source.init) ?? .undecided
        super.init(sink: sink)
        sink.countsTracks = false
    }

    override var hasOpenPoint: Bool { pointDepth > 0 }

    override func start(_ element: Int, _ attributes: XMLAttributes) {
        let element = GPXHandler.elements[element]
        switch element {
        case .trkpt: beginPoint(.trk, attributes)
        case .rtept: beginPoint(.rte, attributes)
        case .wpt: beginPoint(.wpt, attributes)
        case .trkseg: beginSegment()
        case .trk: beginTrack(.trk)
        case .rte: beginTrack(.rte)
        case .name where pointDepth == 0 && trackDepth > 0 && depth == trackDepth + 1:
            collect(element)
        case .ele, .time:
            if pointDepth > 0, depth == pointDepth + 1 { collect(element) }
        case .speed, .course, .bearing, .accuracy:
            // Children of the point in GPX 1.0, of its extensions in 1.1.
            if pointDepth > 0 { collect(element) }
        default: break
        }
    }

    override func end(_ element: Int) {
        if value != .other, depth == valueDepth {
            finishValue()
        } else if pointDepth > 0, depth == pointDepth {
            finishPoint()
        } else if trackDepth > 0, depth == trackDepth {
            trackDepth = 0
        }
    }

    private func collect(_ element: Element) {
        value = element
        valueDepth = depth
        beginText()
    }

    private func beginSegment() {
        segmentCount += 1
        sink.beginSegment(device: device)
    }

    private func beginTrack(_ source: Source) {
        guard pointDepth == 0 else { return }
        trackDepth = depth
        trackNumber += 1
        trackCounts[source, default: 0] += 1
        trackName = []
        trackNeedsDevice = true
        if !splitsTracks { sink.beginTrack() }
    }

    private func beginPoint(_ source: Source, _ attributes: XMLAttributes) {
        guard pointDepth == 0 else { return }
        pointDepth = depth
        pointSource = source
        point = TrackPoint()
        point.place = place
        pointProblem = nil
        point.latitude = coordinate("lat", attributes)
        point.longitude = coordinate("lon", attributes)
    }

    private func coordinate(_ name: StaticString, _ attributes: XMLAttributes) -> Double {
        let number: Double? =
            attributes.value(name) { text -> Double? in
                if let number = Decimal.parse(text) { return number }
                if pointProblem == nil {
                    pointProblem = "\(name)=\(quote(text)) is not a decimal number of degrees"
                }
                return .nan
            } ?? nil
        if let number { return number }
        if pointProblem == nil { pointProblem = "the point has no \(name)" }
        return .nan
    }

    private func finishValue() {
        let element = value
        value = .other
        endText()
        let text = self.text
        let range = Decimal.trimmed(text.span)
        if element == .name {
            trackName = Array(text[range])
            return
        }
        // An empty element is how some writers say that a value is not known.
        guard !range.isEmpty else { return }
        if element == .time {
            switch times.parse(text.span, range) {
            case .time(let time, let assumedZone):
                point.time = time.milliseconds
                if assumedZone { noteZone(at: point.place) }
            case .invalid:
                sink.log.add(
                    .warning,
                    at: point.place,
                    "time \(quote(text.span)) is no date and time and not used, "
                        + "2026-11-30T14:07:27Z was expected"
                )
            }
            return
        }
        guard let number = Decimal.parse(text.span, range) else {
            return sink.log.add(
                .warning,
                at: point.place,
                "\(element.rawValue) \(quote(text.span)) is not a decimal number and not used"
            )
        }
        switch element {
        case .ele: point.altitude = number
        case .speed: point.speed = number
        case .course, .bearing: point.course = number
        case .accuracy: point.horizontalAccuracy = number
        default: break
        }
    }

    private func finishPoint() {
        pointDepth = 0
        switch source {
        case .undecided where pointSource == .trk:
            source = .trk
            held = []
            deliver()
        case .undecided:
            hold()
        case pointSource:
            deliver()
        default:
            countUnused(pointSource, at: point.place)
        }
    }

    /// Keeps a point of a route or a waypoint until it is known whether it counts.
    private func hold() {
        countUnused(pointSource, at: point.place)
        guard !heldOverflow else { return }
        if held.count < GPXHandler.heldPoints {
            held.append(
                HeldPoint(
                    point: point,
                    problem: pointProblem,
                    source: pointSource,
                    route: trackNumber
                )
            )
        } else if isRewindable {
            heldOverflow = true
            held = []
        } else {
            let (point, pointSource, problem) = (point, pointSource, pointProblem)
            decideWithoutTracks()
            if source == pointSource {
                self.point = point
                pointProblem = problem
                deliver()
            }
        }
    }

    private func countUnused(_ source: Source, at place: Place) {
        unused[source, default: (0, place)].count += 1
    }

    private func deliver() {
        if let problem = pointProblem {
            return sink.reject(at: point.place, problem)
        }
        if splitsTracks, trackNeedsDevice { chooseDevice() }
        point.device = device
        sink.append(point)
    }

    private func chooseDevice() {
        trackNeedsDevice = false
        let name = String(decoding: trackName, as: UTF8.self)
        let isTaken = name.isEmpty || !deviceNames.insert(name).inserted
        let id = isTaken ? "\(name.isEmpty ? "track" : name)-\(trackNumber)" : name
        guard let index = sink.device(named: id) else { return }
        device = index
        sink.beginTrack(device: index)
    }

    /// Takes routes, else waypoints, and delivers those that are held.
    private func decideWithoutTracks() {
        source = unused[.rte] != nil ? .rte : .wpt
        let points = held
        held = []
        unused[source] = nil
        var newest = 0
        for entry in points where entry.source == source {
            point = entry.point
            pointProblem = entry.problem
            if source == .rte, entry.route != newest {
                newest = entry.route
                sink.beginTrack()
            }
            deliver()
        }
    }

    override func finish() {
        if source == .undecided, !unused.isEmpty {
            if heldOverflow {
                rereadAs = unused[.rte] != nil ? Source.rte.rawValue : Source.wpt.rawValue
                return
            }
            decideWithoutTracks()
        }
        sink.tracks = source == .wpt ? 1 : trackCounts[source] ?? 0
        sink.segments = source == .trk ? segmentCount : sink.tracks
        let names: [Source: String] = [
            .wpt: "waypoints", .rte: "route points", .trk: "track points",
        ]
        for rank in [Source.wpt, .rte, .trk] where rank != source {
            guard let (count, place) = unused[rank], let name = names[rank] else { continue }
            let used = source == .trk ? "tracks" : "routes"
            sink.log.add(
                .note,
                at: place,
                "\(name) (\(count)) are not used, because the file has \(used)"
            )
        }
    }

    private func noteZone(at place: Place) {
        guard !assumedZone else { return }
        assumedZone = true
        sink.log.add(.warning, at: place, "times do not name their zone, tz= or else UTC is taken")
    }
}
