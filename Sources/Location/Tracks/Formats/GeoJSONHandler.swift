/// Reads the features of GeoJSON.
///
/// The positions of a line wait in a queue until its feature has ended, because its times may stand
/// before or after them.
final class GeoJSONHandler: JSONHandler {
    private enum Context: UInt8 {
        case root
        case features
        case feature
        case geometry
        case coordinates
        case properties
        case coordinateProperties
        case times
        case ignored
    }

    private enum Key: Int, CaseIterable {
        case other, type, features, geometry, geometries, coordinates, properties, id
        case coordinateProperties, coordTimes, times, name
    }

    private static let keys = Key.allCases
    private static let names = NameTable(keys.map { $0 == .other ? "" : "\($0)" })
    /// How many points are delivered before they must be taken away.
    private static let batch = 8192

    private let sink: TrackSink
    private let times: TimestampParser
    private let record: FixRecord
    private let outlet: GeoJSONOutlet
    private var zoneNote: ZoneNote
    private var stack: [Context] = []
    private var key = Key.other
    private var isCollection = false
    private var line: GeoJSONLine

    /// The values of the array that is read, as far as a position has them.
    private var position = [Double](repeating: .nan, count: 3)
    private var positionCount = 0
    private var positionPlace = Place.none
    private var fault: GeoJSONFault?
    /// Whether the values stand beside arrays, and so are no position.
    private var areStray = false
    private var coordinatesDepth = 0
    /// How many arrays of coordinates have begun since the last value or end of one.
    private var arraysBegun = 0
    private var arrayPlace = Place.none
    private var hasNotedFourth = false
    private var leftovers = Leftovers<GeoJSONGeometry>()
    /// The type of the geometry, and that of the object around it, which may be one itself.
    private var type = GeoJSONGeometry.other
    private var outerType = GeoJSONGeometry.other
    private var hasNumericID = false
    private var featureID: [UInt8] = []
    private var featureName: [UInt8] = []

    init(_ sink: TrackSink, _ settings: ParserSettings) {
        self.sink = sink
        times = TimestampParser(timeZone: settings.options.timeZone)
        outlet = GeoJSONOutlet(sink, settings)
        record = FixRecord(sink, settings, outlet: outlet)
        zoneNote = ZoneNote()
        line = GeoJSONLine(sink, settings, outlet)
    }

    /// After the end: why the file must be read again.
    var rereadAs: String? { outlet.rereadAs }

    /// The file has ended, and all lines are delivered.
    func finish() {
        outlet.finish()
        leftovers.note(in: &sink.log) { type, count in
            "geometries of type \(type.name) (\(count)) are not used"
        }
    }

    /// Whether points of a long line are still to be delivered.
    var isPaused: Bool { line.isDelivering }

    /// Why points were lost.
    var failure: TrackError? { line.failure }

    /// Delivers the next points of a line that has ended.
    func deliver() {
        if line.isDelivering { line.deliver(GeoJSONHandler.batch) }
    }

    /// The text has ended inside a feature: what was read of it is used.
    func abandon() {
        if !stack.isEmpty { finishFeature(isCutOff: true) }
        stack = []
        isCollection = false
    }

    /// What was read of the feature is not used.
    func forget() {
        stack = []
        isCollection = false
        line.forget()
    }

    func beginObject(at place: Place) {
        if stack.last == .coordinates { takeValue(.nan, .numbers, place) }
        switch stack.last {
        case nil:
            isCollection = false
            beginFeature(at: place)
            stack.append(.root)
        case .features:
            beginFeature(at: place)
            stack.append(.feature)
        case .root where key == .geometry, .feature where key == .geometry:
            stack.append(.geometry)
        case .root where key == .properties, .feature where key == .properties:
            stack.append(.properties)
        case .properties where key == .coordinateProperties:
            stack.append(.coordinateProperties)
        default:
            stack.append(.ignored)
        }
    }

    func endObject(at place: Place) {
        switch stack.popLast() {
        case .feature: finishFeature(isCutOff: false)
        case .root: if !isCollection { finishFeature(isCutOff: false) }
        default: break
        }
    }

    func beginArray(at place: Place) {
        switch (stack.last, key) {
        case (.root, .features):
            isCollection = true
            stack.append(.features)
        case (.root, .coordinates), (.geometry, .coordinates):
            coordinatesDepth = 0
            arraysBegun = 0
            positionCount = 0
            beginCoordinates(at: place)
        case (.coordinates, _):
            finishStrays()
            beginCoordinates(at: place)
        case (.properties, .coordTimes), (.properties, .times),
            (.coordinateProperties, .coordTimes), (.coordinateProperties, .times):
            line.beginTimes()
            stack.append(.times)
        case (.times, _):
            line.beginTimesOfLine()
            stack.append(.times)
        default:
            if key == .geometries { leftovers.add(.collection, at: place) }
            stack.append(.ignored)
        }
    }

    func endArray(at place: Place) {
        guard stack.popLast() == .coordinates else { return }
        if positionCount > 0 {
            if areStray { finishStrays() } else { finishPosition() }
        } else if arraysBegun > 0 {
            line.appendEmpty(
                place: arrayPlace,
                depth: coordinatesDepth,
                beginsLine: arraysBegun > 1
            )
        }
        arraysBegun = 0
        coordinatesDepth -= 1
    }

    func key(_ name: Span<UInt8>, at place: Place) {
        switch stack.last {
        case .root, .feature, .geometry, .coordinateProperties:
            key = GeoJSONHandler.keys[GeoJSONHandler.names.index(of: name)]
        case .properties:
            key = GeoJSONHandler.keys[GeoJSONHandler.names.index(of: name)]
            record.key(name, at: place)
        default: key = .other
        }
    }

    func number(_ text: Span<UInt8>, at place: Place) {
        switch stack.last {
        case .coordinates:
            // A number that no Double holds becomes not-a-number, which is no coordinate.
            takeValue(Decimal.parse(text, 0..<text.count) ?? .nan, .numbers, place)
            if positionCount > 3 { noteFourth(place) }
        case .times:
            takeTime(times.parseEpoch(text, 0..<text.count), text, place)
        case .properties:
            record.number(text, at: place)
        case .root, .feature:
            guard key == .id else { return }
            featureID = text.indices.map { text[$0] }
            hasNumericID = true
        default: break
        }
    }

    func string(_ text: Span<UInt8>, at place: Place) {
        switch stack.last {
        case .times:
            takeTime(times.parseTimeOrEpoch(text, 0..<text.count), text, place)
        case .properties:
            if key == .name { featureName = text.indices.map { text[$0] } }
            record.string(text, at: place)
        case .coordinates:
            takeValue(.nan, .string, place)
            guard positionCount == 3, !areStray, fault == nil else { return }
            sink.log.add(
                .warning,
                at: place,
                "altitude \(quote(text)) is a string and not used, a number was expected"
            )
        case .geometry:
            if key == .type { type = GeoJSONGeometry(named: text) }
        case .root, .feature:
            if key == .id { featureID = text.indices.map { text[$0] } }
            if key == .type { outerType = GeoJSONGeometry(named: text) }
        default: break
        }
    }

    func literal(_ literal: JSONLiteral, at place: Place) {
        switch stack.last {
        case .times: line.appendTime(TrackPoint.noTime)
        case .coordinates: takeValue(.nan, .null, place)
        case .properties: record.literal(literal, at: place)
        default: break
        }
    }

    private func beginFeature(at place: Place) {
        record.begin(at: place, areProperties: true)
        line.forget()
        type = .other
        outerType = .other
        featureID = []
        featureName = []
        hasNumericID = false
        key = .other
    }

    private func beginCoordinates(at place: Place) {
        stack.append(.coordinates)
        coordinatesDepth += 1
        arraysBegun += 1
        arrayPlace = place
    }

    /// Takes a value in the coordinates; where it is not a number there is a fault in it.
    private func takeValue(_ number: Double, _ fault: GeoJSONFault, _ place: Place) {
        if positionCount == 0 {
            positionPlace = place
            areStray = arraysBegun == 0
            self.fault = nil
        }
        if positionCount < 3 { position[positionCount] = number }
        positionCount += 1
        if positionCount < 3, number.isNaN, self.fault == nil { self.fault = fault }
    }

    private func noteFourth(_ place: Place) {
        guard !hasNotedFourth else { return }
        hasNotedFourth = true
        sink.log.add(
            .note,
            at: place,
            "a fourth number of positions is not used, GeoJSON has three (RFC 7946 §3.1.1)"
        )
    }

    private func finishPosition() {
        let beginsLine = arraysBegun > 1
        if let fault = positionCount < 2 ? fault ?? .numbers : fault {
            line.append(
                fault,
                place: positionPlace,
                depth: coordinatesDepth,
                beginsLine: beginsLine
            )
        } else {
            line.append(
                longitude: position[0],
                latitude: position[1],
                altitude: positionCount > 2 ? position[2] : .nan,
                place: positionPlace,
                depth: coordinatesDepth,
                beginsLine: beginsLine
            )
        }
        positionCount = 0
    }

    /// Counts values that stand where positions were expected.
    private func finishStrays() {
        for _ in 0..<positionCount {
            line.append(
                fault ?? .numbers,
                place: positionPlace,
                depth: coordinatesDepth + 1,
                beginsLine: arraysBegun > 0
            )
            arraysBegun = 0
        }
        positionCount = 0
    }

    private func takeTime(_ outcome: TimestampParser.Outcome, _ text: Span<UInt8>, _ place: Place) {
        switch outcome {
        case .time(let time, let assumedZone):
            if assumedZone { zoneNote.add(to: sink, at: place) }
            line.appendTime(time.milliseconds)
        case .invalid:
            // An empty string is how some writers say that a time is not known.
            if !Decimal.trimmed(text).isEmpty {
                sink.log.add(
                    .warning,
                    at: place,
                    "time \(quote(text)) is no date and time and not used"
                )
            }
            line.appendTime(TrackPoint.noTime)
        }
    }

    private func finishFeature(isCutOff: Bool) {
        let type = type == .other ? outerType : type
        line.settle(type)
        guard line.count > 0 else { return line.forget() }
        if type.isUnused {
            leftovers.add(type, at: line.place)
            return line.forget()
        }
        guard line.depth <= GeoJSONLine.deepest else { return refuseDepth(of: type) }
        let id = String(decoding: featureID, as: UTF8.self)
        if line.depth == 1 {
            line.deliverPoint(to: record, device: deviceOfPoint(id))
        } else {
            let name = String(decoding: featureName, as: UTF8.self)
            line.finish(id: id, name: name, record: record, isCutOff: isCutOff)
        }
    }

    private func refuseDepth(of type: GeoJSONGeometry) {
        let expected = type.depth ?? GeoJSONLine.deepest
        let name = type == .other ? "a geometry" : "a \(type.name)"
        sink.log.add(
            .warning,
            at: line.place,
            "the coordinates of \(name) are nested \(line.depth) arrays deep and not used, "
                + "\(expected) were expected"
        )
        line.forget()
    }

    /// The device of a point, where its properties name none; nil for one too many.
    private func deviceOfPoint(_ id: String) -> UInt32? {
        if id.isEmpty || hasNumericID || isRowNumber(featureID) { return 0 }
        if record.device != nil || record.hasTooManyDevices { return 0 }
        return sink.device(named: id)
    }

    /// Whether an id counts the features of a table, as numbers do: `17`, or `table.17`.
    private func isRowNumber(_ id: [UInt8]) -> Bool {
        let name = id[..<(id.lastIndex { $0 &- UInt8(ascii: "0") >= 10 }.map { $0 + 1 } ?? 0)]
        guard name.count < id.count else { return false }
        if name.isEmpty { return true }
        let dot = UInt8(ascii: ".")
        return name.count > 1 && name.firstIndex(of: dot) == name.count - 1
    }
}
