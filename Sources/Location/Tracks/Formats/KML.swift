extension TrackFormat {
    /// KML: `gx:Track`, `gx:MultiTrack` and `Track` of KML 2.3, else `LineString`.
    static let kml = TrackFormat(
        name: "kml",
        title: "KML",
        recognises: { $0.rootElement == "kml" },
        makeParser: { sink, settings in
            XMLTrackParser(
                handler: KMLHandler(sink, settings),
                sink: sink,
                vocabulary: KMLHandler.Element.allCases.map(\.rawValue)
            )
        }
    )
}

/// Reads KML.
///
/// The nth `when` of a track belongs to its nth `coord`, however they are interleaved. Links to
/// other files are never followed.
final class KMLHandler: XMLTrackHandler {
    enum Element: String, CaseIterable {
        case other = ""
        case placemark = "Placemark"
        case name, when, coord, coordinates, altitudeMode
        case track = "Track"
        case lineString = "LineString"
        case point = "Point"
    }

    private static let elements = Element.allCases
    /// So many positions wait for a time at most; then the track is taken for one without times.
    private static let mostWaiting = 65_536

    private let times: TimestampParser
    private let outlet: KMLOutlet
    private var zoneNote = ZoneNote()

    private var placemarkDepth = 0
    private var placemark = 0
    private var placemarkName: [UInt8] = []
    private var placemarkPlace = Place.none
    private var hasPoint = false
    private var hasWhen = false
    private var unusedPoints = 0
    private var firstUnusedPoint = Place.none
    private var line = 0
    private var geometryDepth = 0
    private var source = KMLOutlet.Source.track
    private var altitudeMode: [UInt8] = []
    private var value = Element.other
    private var valueDepth = 0

    private var whens = WordQueue()
    private var waiting: [TrackPoint?] = []
    private var waitingIndex = 0
    private var whenCount = 0
    private var coordCount = 0
    private var isUntimed = false
    private var trackPlace = Place.none

    private var tuple: [UInt8] = []
    private var tuplePlace = Place.none

    init(_ sink: TrackSink, _ settings: ParserSettings) {
        times = TimestampParser(timeZone: settings.options.timeZone)
        outlet = KMLOutlet(sink, settings)
        super.init(sink: sink)
    }

    override func start(_ element: Int, _ attributes: XMLAttributes) {
        let element = KMLHandler.elements[element]
        switch element {
        case .placemark:
            placemarkDepth = depth
            placemark += 1
            placemarkName = []
            placemarkPlace = place
            hasPoint = false
            hasWhen = false
        case .point: hasPoint = true
        case .when where geometryDepth == 0: hasWhen = true
        case .track: beginGeometry(.track)
        case .lineString: beginGeometry(.lineString)
        case .name where placemarkDepth > 0 && depth == placemarkDepth + 1: collect(element)
        case .when, .coord:
            if geometryDepth > 0, source == .track, depth == geometryDepth + 1 { collect(element) }
        case .coordinates:
            if geometryDepth > 0, source == .lineString { collect(element) }
        case .altitudeMode where geometryDepth > 0: collect(element)
        default: break
        }
    }

    override func end(_ element: Int) {
        if value != .other, depth == valueDepth {
            finishValue()
        } else if geometryDepth > 0, depth == geometryDepth {
            if source == .track { finishTrack() }
            geometryDepth = 0
        } else if placemarkDepth > 0, depth == placemarkDepth {
            placemarkDepth = 0
            if hasPoint, hasWhen {
                if unusedPoints == 0 { firstUnusedPoint = placemarkPlace }
                unusedPoints += 1
            }
        }
    }

    override func text(_ piece: Span<UInt8>) {
        guard value == .coordinates else { return super.text(piece) }
        let start = place
        for index in piece.indices {
            if Decimal.isSpace(piece[index]) {
                finishTuple()
            } else {
                if tuple.isEmpty {
                    tuplePlace = Place(line: Int(start.line), column: Int(start.column) + index)
                }
                if tuple.count < XMLTrackHandler.longestValue { tuple.append(piece[index]) }
            }
        }
    }

    private func collect(_ element: Element) {
        value = element
        valueDepth = depth
        beginText()
    }

    private func beginGeometry(_ source: KMLOutlet.Source) {
        guard geometryDepth == 0 else { return }
        geometryDepth = depth
        self.source = source
        altitudeMode = []
        line += 1
        trackPlace = place
        whens.removeAll()
        waiting.removeAll(keepingCapacity: true)
        waitingIndex = 0
        whenCount = 0
        coordCount = 0
        isUntimed = false
    }

    private func finishValue() {
        let element = value
        value = .other
        endText()
        let text = self.text
        let range = Decimal.trimmed(text.span)
        switch element {
        case .name: placemarkName = Array(text[range])
        case .altitudeMode: altitudeMode = Array(text[range])
        case .coordinates: finishTuple()
        case .when: takeWhen(text.span, range)
        case .coord:
            coordCount += 1
            // An empty one says that there is no position at that time.
            takeCoord(range.isEmpty ? nil : position(text.span, range, at: place))
        default: break
        }
    }

    private func takeWhen(_ text: Span<UInt8>, _ range: Range<Int>) {
        whenCount += 1
        var time = TrackPoint.noTime
        switch times.parse(text, range) {
        case .time(let timestamp, let assumedZone):
            time = timestamp.milliseconds
            if assumedZone { zoneNote.add(to: sink, at: place) }
        case .invalid:
            if !range.isEmpty {
                sink.log.add(
                    .warning,
                    at: place,
                    "when \(quote(text)) is no date and time and not used"
                )
            }
        }
        guard !isUntimed else { return }
        if waitingIndex < waiting.count {
            let point = waiting[waitingIndex]
            waitingIndex += 1
            if waitingIndex == waiting.count {
                waiting.removeAll(keepingCapacity: true)
                waitingIndex = 0
            }
            finish(point, time: time)
        } else {
            whens.append(time)
        }
    }

    private func takeCoord(_ point: TrackPoint?) {
        if isUntimed {
            finish(point, time: TrackPoint.noTime)
        } else if let time = whens.popFirst() {
            finish(point, time: time)
        } else {
            waiting.append(point)
            guard waiting.count - waitingIndex > KMLHandler.mostWaiting else { return }
            isUntimed = true
            releaseWaiting()
        }
    }

    private func releaseWaiting() {
        let points = waiting.dropFirst(waitingIndex)
        waiting = []
        waitingIndex = 0
        for point in points { finish(point, time: TrackPoint.noTime) }
    }

    private func finishTrack() {
        if let failure = whens.failure {
            sink.log.add(.error, at: trackPlace, "times of the track are lost: \(failure.message)")
        }
        releaseWaiting()
        guard whenCount != coordCount else { return }
        sink.log.add(
            .warning,
            at: trackPlace,
            "the track has \(whenCount) times and \(coordCount) positions"
        )
    }

    private func finish(_ point: TrackPoint?, time: Int64) {
        guard var point else { return }
        point.time = time
        offer(point, nil)
    }

    private func finishTuple() {
        guard !tuple.isEmpty else { return }
        let text = tuple
        tuple.removeAll(keepingCapacity: true)
        guard let point = position(text.span, 0..<text.count, at: tuplePlace) else { return }
        offer(point, nil)
    }

    /// Longitude, latitude and height, separated by commas or spaces; nil, and offered as one that
    /// cannot be used, where they are none.
    private func position(_ text: Span<UInt8>, _ range: Range<Int>, at place: Place) -> TrackPoint?
    {
        var numbers: [Double?] = []
        var start = range.lowerBound
        while start < range.upperBound, numbers.count < 3 {
            var end = start
            while end < range.upperBound, text[end] != UInt8(ascii: ","),
                !Decimal.isSpace(text[end])
            {
                end += 1
            }
            numbers.append(Decimal.parse(text, start..<end))
            start = end + 1
            while start < range.upperBound, Decimal.isSpace(text[start]) { start += 1 }
        }
        var point = TrackPoint()
        point.place = place
        guard numbers.count >= 2, let longitude = numbers[0], let latitude = numbers[1] else {
            offer(point, "\(quote(text.extracting(range))) is no longitude and latitude in degrees")
            return nil
        }
        point.longitude = longitude
        point.latitude = latitude
        if numbers.count > 2, let altitude = numbers[2], isAbsolute(altitude) {
            point.altitude = altitude
        }
        return point
    }

    /// Whether a height counts from the level of the sea; zero without a mode is a placeholder.
    private func isAbsolute(_ altitude: Double) -> Bool {
        altitudeMode.isEmpty ? altitude != 0 : altitudeMode.elementsEqual("absolute".utf8)
    }

    private func offer(_ point: TrackPoint, _ problem: String?) {
        outlet.offer(
            point,
            problem,
            source,
            KMLOutlet.Line(number: line, placemark: placemark),
            name: placemarkName
        )
    }

    override func finish() {
        // The document may have ended inside a track.
        if geometryDepth > 0 { releaseWaiting() }
        outlet.finish()
        rereadAs = outlet.rereadAs
        if unusedPoints > 0 {
            sink.log.add(
                .note,
                at: firstUnusedPoint,
                "placemarks with a point and a time (\(unusedPoints)) are not used, "
                    + "a Track or a LineString was expected"
            )
        }
    }
}
