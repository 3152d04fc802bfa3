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

    private var position = [Double](repeating: .nan, count: 3)
    private var positionCount = 0
    private var positionPlace = Place.none
    private var arraysBegun = 0
    private var type: [UInt8] = []
    private var featureDevice: UInt32?
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
            arraysBegun = 1
            positionCount = 0
            stack.append(.coordinates)
        case (.coordinates, _):
            arraysBegun += 1
            positionCount = 0
            stack.append(.coordinates)
        case (.properties, .coordTimes), (.properties, .times),
            (.coordinateProperties, .coordTimes), (.coordinateProperties, .times):
            line.beginTimes()
            stack.append(.times)
        case (.times, _):
            line.beginTimesOfLine()
            stack.append(.times)
        default:
            if key == .geometries {
                sink.log.add(.note, at: place, "geometry collections are not used")
            }
            stack.append(.ignored)
        }
    }

    func endArray(at place: Place) {
        let context = stack.popLast()
        if context == .coordinates, positionCount > 0 { finishPosition() }
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
            if positionCount == 0 { positionPlace = place }
            // A number that no Double holds becomes not-a-number, which is no coordinate.
            if positionCount < 3 {
                position[positionCount] = Decimal.parse(text, 0..<text.count) ?? .nan
            }
            positionCount += 1
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
            takeTime(times.parse(text, 0..<text.count), text, place)
        case .properties:
            if key == .name { featureName = text.indices.map { text[$0] } }
            record.string(text, at: place)
        case .root, .feature, .geometry:
            if key == .id { featureID = text.indices.map { text[$0] } }
            if key == .type { type = text.indices.map { text[$0] } }
        default: break
        }
    }

    func literal(_ literal: JSONLiteral, at place: Place) {
        switch stack.last {
        case .times: line.appendTime(TrackPoint.noTime)
        case .properties: record.literal(literal, at: place)
        default: break
        }
    }

    private func beginFeature(at place: Place) {
        record.begin(at: place, areProperties: true)
        line.forget()
        type = []
        featureID = []
        featureName = []
        hasNumericID = false
        key = .other
    }

    private func finishPosition() {
        defer { positionCount = 0 }
        if positionCount < 3 { position[2] = .nan }
        if positionCount < 2 { position[1] = .nan }
        line.append(
            longitude: position[0],
            latitude: position[1],
            altitude: position[2],
            place: positionPlace,
            depth: stack.reversed().prefix { $0 == .coordinates }.count + 1,
            arraysBegun: arraysBegun
        )
        arraysBegun = 0
    }

    private func takeTime(_ outcome: TimestampParser.Outcome, _ text: Span<UInt8>, _ place: Place) {
        switch outcome {
        case .time(let time, let assumedZone):
            if assumedZone { zoneNote.add(to: sink, at: place) }
            line.appendTime(time.milliseconds)
        case .invalid:
            sink.log.add(
                .warning,
                at: place,
                "time \(quote(text)) is no date and time and not used"
            )
            line.appendTime(TrackPoint.noTime)
        }
    }

    private func finishFeature(isCutOff: Bool) {
        guard line.count > 0 else { return }
        let type = String(decoding: type, as: UTF8.self)
        if type.hasSuffix("Polygon") || type == "MultiPoint" || line.depth > 3 {
            sink.log.add(.note, at: line.place, "geometries of type \(type) are not used")
            return line.forget()
        }
        let id = String(decoding: featureID, as: UTF8.self)
        if line.depth == 1 {
            // Numbers count the features of a table; a name is a device.
            let device = id.isEmpty || hasNumericID ? 0 : sink.device(named: id)
            line.deliverPoint(to: record, device: device)
        } else {
            let name = String(decoding: featureName, as: UTF8.self)
            line.finish(id: id, name: name, record: record, isCutOff: isCutOff)
        }
    }
}
