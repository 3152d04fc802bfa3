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
        case multiTrack = "MultiTrack"
        case lineString = "LineString"
        case point = "Point"
        case timeStamp = "TimeStamp"
        case timeSpan = "TimeSpan"
        case polygon = "Polygon"
        case ring = "LinearRing"
        case model = "Model"
        case tour = "Tour"
        case link = "NetworkLink"
    }

    private static let elements = Element.allCases
    /// So many positions wait for a time at most; then the track is taken for one without times.
    private static let mostWaiting = 65_536
    /// A longer tuple is none: it has no end.
    private static let longestTuple = 1 << 20

    private let times: TimestampParser
    private let outlet: KMLOutlet
    private var zoneNote = ZoneNote()

    private var placemarkDepth = 0
    private var placemark = 0
    private var placemarkName: [UInt8] = []
    private var placemarkPlace = Place.none
    private var pointCount = 0
    private var hasTime = false
    private var leftovers = Leftovers<KMLLeftover>()
    private var polygonDepth = 0
    private var line = 0
    private var multiTrackDepth = 0
    private var multiTrackMode = KMLAltitudeMode.unstated
    private var geometryDepth = 0
    private var source = KMLOutlet.Source.track
    private var altitudeMode = KMLAltitudeMode.unstated
    private var hasNotedMode = false
    private var value = Element.other
    private var valueDepth = 0
    private var valueOffset = 0

    private var whens = WordQueue()
    private var waiting: [TrackPoint?] = []
    private var waitingIndex = 0
    private var whenCount = 0
    private var coordCount = 0
    private var isUntimed = false
    private var trackPlace = Place.none

    private var tuple: [UInt8] = []
    private var tuplePlace = Place.none
    /// Whether the tuple goes on behind blanks that followed commas.
    private var hasBlanks = false
    private var isEndless = false
    /// The memory of the tuple before.
    private var finishedTuple: [UInt8] = []

    init(_ sink: TrackSink, _ settings: ParserSettings) {
        times = TimestampParser(timeZone: settings.options.timeZone)
        outlet = KMLOutlet(sink, settings)
        super.init(sink: sink)
    }

    override func start(_ element: Int, _ attributes: XMLAttributes) {
        let element = KMLHandler.elements[element]
        switch element {
        case .placemark: beginPlacemark()
        case .multiTrack:
            multiTrackDepth = depth
            multiTrackMode = .unstated
        case .track: beginGeometry(.track)
        case .lineString: beginGeometry(.lineString)
        case .name where placemarkDepth > 0 && depth == placemarkDepth + 1: collect(element)
        case .when, .coord:
            if geometryDepth > 0, source == .track, depth == geometryDepth + 1 { collect(element) }
        case .coordinates:
            if geometryDepth > 0, source == .lineString { collect(element) }
        case .altitudeMode:
            if depth == geometryDepth + 1 || depth == multiTrackDepth + 1 { collect(element) }
        default: if geometryDepth == 0 { countLeftover(element) }
        }
    }

    override func end(_ element: Int) {
        if value != .other, depth == valueDepth {
            finishValue()
        } else if geometryDepth > 0, depth == geometryDepth {
            if source == .track { finishTrack() }
            geometryDepth = 0
        } else if depth == multiTrackDepth {
            multiTrackDepth = 0
        } else if depth == polygonDepth {
            polygonDepth = 0
        } else if placemarkDepth > 0, depth == placemarkDepth {
            finishPlacemark()
        }
    }

    override func text(_ piece: Span<UInt8>) {
        guard value == .coordinates else { return super.text(piece) }
        let start = place
        for index in piece.indices {
            if Decimal.isSpace(piece[index]) {
                if !tuple.isEmpty { endWord() }
                continue
            }
            if tuple.isEmpty {
                tuplePlace = Place(line: Int(start.line), column: Int(start.column) + index)
            }
            if tuple.count < KMLHandler.longestTuple {
                tuple.append(piece[index])
            } else {
                isEndless = true
            }
        }
    }

    private func collect(_ element: Element) {
        value = element
        valueDepth = depth
        valueOffset = offset
        beginText()
    }

    private func beginPlacemark() {
        placemarkDepth = depth
        placemark += 1
        placemarkName = []
        placemarkPlace = place
        pointCount = 0
        hasTime = false
    }

    private func finishPlacemark() {
        placemarkDepth = 0
        guard pointCount > 0 else { return }
        leftovers.add(hasTime ? .timedPoint : .point, pointCount, at: placemarkPlace)
    }

    private func countLeftover(_ element: Element) {
        switch element {
        case .point:
            if placemarkDepth > 0 {
                pointCount += 1
            } else {
                leftovers.add(.point, at: place)
            }
        // Deeper ones are those of a view, which is no one's time but the reader's.
        case .timeStamp, .timeSpan: if depth == placemarkDepth + 1 { hasTime = true }
        case .polygon:
            polygonDepth = depth
            leftovers.add(.polygon, at: place)
        case .ring: if polygonDepth == 0 { leftovers.add(.ring, at: place) }
        case .model: leftovers.add(.model, at: place)
        case .tour: leftovers.add(.tour, at: place)
        case .link: leftovers.add(.link, at: place)
        default: break
        }
    }

    private func beginGeometry(_ source: KMLOutlet.Source) {
        guard geometryDepth == 0 else { return }
        geometryDepth = depth
        self.source = source
        altitudeMode = multiTrackDepth > 0 ? multiTrackMode : .unstated
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
        case .altitudeMode: takeMode(KMLAltitudeMode(text.span, range))
        case .coordinates: finishTuple()
        case .when: takeWhen(text.span, range)
        case .coord:
            coordCount += 1
            // An empty one says that there is no position at that time.
            takeCoord(range.isEmpty ? nil : coord(text.span, range, at: place(of: valueOffset)))
        default: break
        }
    }

    private func takeMode(_ mode: KMLAltitudeMode) {
        if geometryDepth > 0 { altitudeMode = mode } else { multiTrackMode = mode }
    }

    private func takeWhen(_ text: Span<UInt8>, _ range: Range<Int>) {
        whenCount += 1
        var time = TrackPoint.noTime
        switch times.parseTimeOrEpoch(text, range) {
        case .time(let timestamp, let assumedZone):
            time = timestamp.milliseconds
            if assumedZone { zoneNote.add(to: sink, at: place(of: valueOffset)) }
        case .invalid:
            if !range.isEmpty {
                sink.log.add(
                    .warning,
                    at: place(of: valueOffset),
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

    /// A blank behind a word of the coordinates ends the tuple, unless it stands behind a comma
    /// that cannot end one.
    private func endWord() {
        let last = tuple[tuple.count - 1]
        if hasBlanks, last == 0x20 { return }
        let isOpen =
            last == KMLTuple.comma
            && (hasBlanks || tuple.firstIndex(of: KMLTuple.comma) == tuple.count - 1)
        guard isOpen else { return finishTuple() }
        hasBlanks = true
        tuple.append(0x20)
    }

    private func finishTuple() {
        if tuple.last == 0x20 { tuple.removeLast() }
        guard !tuple.isEmpty else { return }
        swap(&tuple, &finishedTuple)
        tuple.removeAll(keepingCapacity: true)
        let text = finishedTuple
        let problem =
            if isEndless {
                "\(quote(text.span)) is longer than 1 MiB, and not used"
            } else if hasBlanks, text.contains(0x20) {
                "\(quote(text.span)) has blanks behind its commas, which coordinates must not have"
            } else {
                String?.none
            }
        hasBlanks = false
        isEndless = false
        if let problem {
            reject(at: tuplePlace, problem)
        } else {
            takeTuple(text.span)
        }
    }

    /// Takes a tuple, or a run of them with commas only, which is read in threes as others read it.
    private func takeTuple(_ text: Span<UInt8>) {
        let (count, end) = KMLTuple.extent(text)
        guard count <= 3 || count.isMultiple(of: 3) else {
            return reject(
                at: tuplePlace,
                "\(quote(text)) has \(count) values, longitude,latitude,altitude was expected"
            )
        }
        guard count < 6 || count % 2 > 0 || !KMLTuple.areLikelyPairs(text, end) else {
            return reject(
                at: tuplePlace,
                "\(quote(text)) may be pairs or threes of values, blanks between positions were "
                    + "expected"
            )
        }
        var start = 0
        while start < end {
            let place = Place(line: Int(tuplePlace.line), column: Int(tuplePlace.column) + start)
            let first = start
            let tuple = KMLTuple(text, &start, end)
            if let point = position(tuple, text, first..<end, at: place) { offer(point, nil) }
        }
    }

    /// The position of a track; nil, and offered as one that cannot be used, where it is none.
    private func coord(_ text: Span<UInt8>, _ range: Range<Int>, at place: Place) -> TrackPoint? {
        var start = range.lowerBound
        let tuple = KMLTuple(text, &start, range.upperBound)
        guard start == range.upperBound else {
            reject(
                at: place,
                "\(quote(text.extracting(range))) has more than three values, "
                    + "longitude latitude altitude was expected"
            )
            return nil
        }
        return position(tuple, text, range, at: place)
    }

    private func position(
        _ tuple: KMLTuple,
        _ text: Span<UInt8>,
        _ range: Range<Int>,
        at place: Place
    ) -> TrackPoint? {
        guard let longitude = tuple.longitude, let latitude = tuple.latitude else {
            let text = text.extracting(range)
            reject(at: place, "\(quote(text)) is no longitude and latitude in degrees")
            return nil
        }
        var point = TrackPoint()
        point.place = place
        point.longitude = longitude
        point.latitude = latitude
        if !tuple.height.isEmpty { point.altitude = altitude(text, tuple.height, at: place) }
        return point
    }

    /// A height, where it counts from the level of the sea; else not-a-number.
    private func altitude(_ text: Span<UInt8>, _ range: Range<Int>, at place: Place) -> Double {
        guard let number = Decimal.parse(text, range) else {
            sink.log.add(
                .warning,
                at: place,
                "altitude \(quote(text.extracting(range))) is not a decimal number and not used"
            )
            return .nan
        }
        switch altitudeMode {
        case .absolute: return number
        // Zero without a mode is a placeholder.
        case .unstated: return number != 0 ? number : .nan
        case .other(let mode):
            if number != 0 { noteMode(mode, at: place) }
            return .nan
        }
    }

    private func noteMode(_ mode: String, at place: Place) {
        guard !hasNotedMode else { return }
        hasNotedMode = true
        sink.log.add(
            .note,
            at: place,
            "altitudes with the altitudeMode \(mode) are not used: they do not count from the "
                + "level of the sea"
        )
    }

    private func reject(at place: Place, _ problem: String) {
        var point = TrackPoint()
        point.place = place
        offer(point, problem)
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
        leftovers.note(in: &sink.log) { $0.sentence($1) }
    }
}
