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

/// Reads GPX: track points, else route points, else waypoints.
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
        /// How Apple calls the horizontal and the vertical accuracy.
        case hAcc, vAcc
        case hdop, vdop
        /// How Garmin shapes the way between the points of a route.
        case rpt
    }

    private static let elements = Element.allCases

    /// What positions are taken from, by rank.
    private enum Source: Int {
        case wpt
        case rte
        case trk
    }

    /// What a track point belongs to.
    private enum Segment: Equatable {
        case none
        case element(depth: Int)
        /// The one that points directly in a track imply.
        case implied
    }

    private let splitsTracks: Bool
    private let times: TimestampParser
    private var ranking: SourceRanking
    private var zoneNote = ZoneNote()

    private var point = TrackPoint()
    private var pointSource = Source.wpt
    private var pointDepth = 0
    private var pointProblem: String?
    private var horizontalDilution = Double.nan
    private var verticalDilution = Double.nan
    private var value = Element.other
    private var valueDepth = 0

    /// Where the first track, segment or route begins.
    private var firstParent = Place.none
    private var segmentCount = 0
    private var segment = Segment.none
    private var shapingPoints = 0
    private var firstShapingPoint = Place.none
    private var trackCounts: [Source: Int] = [:]
    private var trackNumber = 0
    private var trackDepth = 0
    private var trackName: [UInt8] = []
    /// The names of routes whose points are held.
    private var heldNames: [Int: [UInt8]] = [:]
    private var trackNames = TrackNames()
    private var deliveredTrack = 0
    /// The device of the track that is read; nil for one too many.
    private var device: UInt32? = 0

    init(_ sink: TrackSink, _ settings: ParserSettings) {
        splitsTracks = settings.options.split == .track
        times = TimestampParser(timeZone: settings.options.timeZone)
        ranking = SourceRanking(
            names: ["waypoints", "route points", "track points"],
            settings: settings
        )
        super.init(sink: sink)
        sink.countsTracks = false
    }

    override func start(_ element: Int, _ attributes: XMLAttributes) {
        let element = GPXHandler.elements[element]
        switch element {
        case .trkpt: beginPoint(.trk, attributes)
        case .rtept: beginPoint(.rte, attributes)
        case .wpt: beginPoint(.wpt, attributes)
        case .trkseg: beginSegment(.element(depth: depth))
        case .trk: beginTrack(.trk)
        case .rte: beginTrack(.rte)
        case .name where pointDepth == 0 && trackDepth > 0 && depth == trackDepth + 1:
            collect(element)
        case .ele, .time, .hdop, .vdop:
            if pointDepth > 0, depth == pointDepth + 1 { collect(element) }
        case .speed, .course, .bearing, .accuracy, .hAcc, .vAcc:
            // Children of the point in GPX 1.0, of its extensions in 1.1.
            if pointDepth > 0 { collect(element) }
        case .rpt:
            if shapingPoints == 0 { firstShapingPoint = place }
            shapingPoints += 1
        default: break
        }
    }

    override func end(_ element: Int) {
        if value != .other, depth == valueDepth {
            finishValue()
        } else if pointDepth > 0, depth == pointDepth {
            finishPoint()
        } else if segment == .element(depth: depth) {
            segment = .none
        } else if trackDepth > 0, depth == trackDepth {
            trackDepth = 0
        }
    }

    private func collect(_ element: Element) {
        value = element
        valueDepth = depth
        beginText()
    }

    private func beginSegment(_ segment: Segment) {
        self.segment = segment
        if firstParent == .none { firstParent = place }
        segmentCount += 1
        // Points of a lower rank have no segments.
        guard ranking.chosen == nil || ranking.chosen == Source.trk.rawValue else { return }
        if let device { sink.beginSegment(device: device) }
    }

    private func beginTrack(_ source: Source) {
        guard pointDepth == 0 else { return }
        if firstParent == .none { firstParent = place }
        trackDepth = depth
        trackNumber += 1
        trackCounts[source, default: 0] += 1
        trackName = []
        segment = .none
    }

    private func beginPoint(_ source: Source, _ attributes: XMLAttributes) {
        guard pointDepth == 0 else { return }
        if source == .trk, segment == .none { beginSegment(.implied) }
        pointDepth = depth
        pointSource = source
        point = TrackPoint()
        point.place = place
        pointProblem = nil
        horizontalDilution = .nan
        verticalDilution = .nan
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
            switch times.parseTimeOrEpoch(text.span, range) {
            case .time(let time, let assumedZone):
                point.time = time.milliseconds
                if assumedZone { zoneNote.add(to: sink, at: point.place) }
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
        case .accuracy, .hAcc: point.horizontalAccuracy = number
        case .vAcc: point.verticalAccuracy = number
        case .hdop: if number != TrackSink.unknown { horizontalDilution = number }
        case .vdop: if number != TrackSink.unknown { verticalDilution = number }
        default: break
        }
    }

    private func finishPoint() {
        pointDepth = 0
        if point.horizontalAccuracy.isNaN {
            point.horizontalAccuracy = horizontalDilution * NMEAEpoch.autonomousError
        }
        if point.verticalAccuracy.isNaN {
            point.verticalAccuracy = verticalDilution * NMEAEpoch.autonomousError
        }
        // Waypoints are of no track, wherever they stand.
        let track = pointSource == .wpt ? 0 : trackNumber
        if ranking.chosen == pointSource.rawValue {
            return deliver(point, pointProblem, track, trackName)
        }
        if splitsTracks, ranking.isHolding, pointSource == .rte {
            heldNames[track] = trackName
        }
        let counts = ranking.offer(
            SourceRanking.Entry(
                point: point,
                problem: pointProblem,
                rank: pointSource.rawValue,
                group: track
            )
        )
        deliverReleased()
        if counts { deliver(point, pointProblem, track, trackName) }
    }

    private func deliverReleased() {
        guard !ranking.released.isEmpty else { return }
        let entries = ranking.released
        ranking.released = []
        for entry in entries {
            deliver(entry.point, entry.problem, entry.group, heldNames[entry.group] ?? [])
        }
        heldNames = [:]
    }

    private func deliver(_ point: TrackPoint, _ problem: String?, _ track: Int, _ name: [UInt8]) {
        if let problem {
            return sink.reject(at: point.place, problem)
        }
        if track != deliveredTrack {
            deliveredTrack = track
            if splitsTracks {
                device = sink.device(named: trackNames.id(name, number: deliveredTrack))
            }
            if let device { sink.beginTrack(device: device) }
        }
        guard let device else { return sink.rejectDevice(at: point.place) }
        var point = point
        point.device = device
        sink.append(point)
    }

    override func finish() {
        ranking.finish()
        rereadAs = ranking.rereadAs
        deliverReleased()
        ranking.note(in: &sink.log)
        guard let source = ranking.chosen.flatMap(Source.init) else { return noteEmptiness() }
        if source == .rte, shapingPoints > 0 {
            sink.log.add(
                .note,
                at: firstShapingPoint,
                "points that shape the way between route points (\(shapingPoints)) are not used"
            )
        }
        sink.tracks = source == .wpt ? 1 : trackCounts[source] ?? 0
        sink.segments = source == .trk ? segmentCount : sink.tracks
    }

    /// Says what the file has where it has no point, so that no one looks for lost ones.
    private func noteEmptiness() {
        guard rereadAs == nil, firstParent != .none else { return }
        let tracks = trackCounts[.trk] ?? 0
        let routes = trackCounts[.rte] ?? 0
        sink.log.add(
            .note,
            at: firstParent,
            "tracks (\(tracks)), segments (\(segmentCount)) and routes (\(routes)) have no points"
        )
    }
}
