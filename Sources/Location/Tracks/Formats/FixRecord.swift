/// Reads one JSON object that describes a position, in any of the shapes that are met.
///
/// | shape | known by | peculiar |
/// | --- | --- | --- |
/// | fixcast | `latitude`, `timestamp` | `discontinuity` is kept |
/// | gpsd | `class` is `TPV` | errors are of 95 %; a `mode` below 2 is no fix |
/// | OwnTracks | `_type` is `location` | `tst` in seconds, `vel` in km/h, 0 accuracy is unknown |
/// | Traccar | `location.coords` | as a phone reports it |
/// | Traccar's server | `fixTime` | `speed` in knots |
/// | W3C | `coords` | errors are of 95 %, the altitude is above the ellipsoid |
/// | a feature of GeoJSON | `geometry` | a point, whose `properties` are any of the above |
final class FixRecord: JSONHandler {
    private enum Key: Int, CaseIterable {
        case other
        case latitude, lat, longitude, lon, lng
        case altitude, alt, ele, altMSL, ellipsoidalAltitude, altHAE, ellipsoidAltitude
        case horizontalAccuracy, accuracy, acc, eph, epx, epy
        case verticalAccuracy, altitudeAccuracy, altitudeError, vac, epv
        case speed, vel, course, cog, track, heading, bearing
        case timestamp, time, tst, datetime, dateTime, fixTime
        case device, deviceId, deviceID, topic, tid
        case `class`, mode, type, discontinuity, coords, location
        case geometry, coordinates, properties

        /// The name of the member.
        var name: String {
            switch self {
            case .other: ""
            case .type: "_type"
            case .deviceID: "device_id"
            case .ellipsoidAltitude: "ellipsoidal_altitude"
            case .altitudeError: "altitude_accuracy"
            default: "\(self)"
            }
        }

        var isNumber: Bool {
            switch self {
            case .other, .device, .deviceId, .deviceID, .topic, .tid, .class, .type,
                .discontinuity, .coords, .location, .geometry, .coordinates, .properties:
                false
            default: !isTime
            }
        }

        /// Whether the number may be one that stands for what is unknown, before it is brought to
        /// another unit.
        var mayBeUnknown: Bool {
            switch self {
            case .horizontalAccuracy, .accuracy, .acc, .eph, .epx, .epy, .verticalAccuracy,
                .altitudeAccuracy, .altitudeError, .vac, .epv, .speed, .vel:
                true
            default: false
            }
        }

        var isTime: Bool {
            switch self {
            case .timestamp, .time, .tst, .datetime, .dateTime, .fixTime: true
            default: false
            }
        }
    }

    /// An error of 95 % times this is one of 68 %, for a circle and for a line.
    private static let circleOf68 = 1.5096 / 2.4477
    private static let lineOf68 = 0.9945 / 1.95996

    /// What gpsd says besides positions.
    private static let otherClasses: [StaticString] = [
        "VERSION", "DEVICES", "DEVICE", "WATCH", "SKY", "GST", "POLL", "TOFF", "PPS", "OSC", "ATT",
        "IMU", "ERROR", "AIS", "RAW", "RTCM2", "RTCM3", "SUBFRAME", "LOG",
    ]
    /// What OwnTracks says besides positions; a waypoint is a region, not where someone was.
    private static let otherTypes: [StaticString] = [
        "beacon", "card", "cmd", "configuration", "dump", "encrypted", "lwt", "request", "status",
        "steps", "transition", "waypoint", "waypoints",
    ]

    private static let keys = Key.allCases
    private static let names = NameTable(keys.map(\.name))

    private let sink: TrackSink
    private let outlet: GeoJSONOutlet?
    private let times: TimestampParser
    private var zoneNote = ZoneNote()

    private var place = Place.none
    private var depth = 0
    /// Objects and arrays at this depth and below are passed over; 0 for none.
    private var ignoredDepth = 0
    private var key = Key.other
    private var numbers = [Double](repeating: .nan, count: keys.count)
    private var point = TrackPoint()
    /// The device that the object names.
    private(set) var device: UInt32?
    private var deviceRank = 0
    /// Whether the device that the object names is one too many.
    private(set) var hasTooManyDevices = false
    private var problem: (place: Place, text: String)?
    /// What is wrong with a member that may be missing.
    private var warning: (place: Place, text: String)?
    private var isOther = false
    /// Whether the members are properties of a position that stands elsewhere.
    private var areProperties = false
    /// Whether the object has a member for a coordinate, whatever its value.
    private(set) var namesPosition = false
    /// Whether the object has a member for its time, whatever its value.
    private var namesTime = false
    private var isGPSD = false
    /// What its `class` says, where that is nothing known.
    private var unknownClass: String?
    /// What is wrong with its time.
    private var timeFault: (place: Place, text: String)?
    /// Whether the time of a fix has come, which goes before other times.
    private var isTraccar = false
    private var isOwnTracks = false
    private var hasCoords = false
    private var hasLocation = false
    /// How many numbers of a feature's coordinates have come; nil outside of them.
    private var coordinateCount: Int?

    /// Whether the file is gpsd's, all of whose objects have a class of its own.
    private(set) var isOfGPSD = false
    private var unknownClasses = (count: 0, name: "", place: Place.none)

    /// - Parameters:
    ///   - sink: Where positions and what is wrong with them go.
    ///   - settings: What the user chose.
    ///   - outlet: What lets positions through to the sink, where not all count.
    init(_ sink: TrackSink, _ settings: ParserSettings, outlet: GeoJSONOutlet? = nil) {
        self.sink = sink
        self.outlet = outlet
        times = TimestampParser(timeZone: settings.options.timeZone)
    }

    /// Forgets the object before.
    ///
    /// - Parameters:
    ///   - place: Where the object begins.
    ///   - areProperties: Whether its members are properties of a position that stands elsewhere.
    func begin(at place: Place, areProperties: Bool = false) {
        self.place = place
        self.areProperties = areProperties
        depth = 0
        ignoredDepth = 0
        key = .other
        for index in numbers.indices { numbers[index] = .nan }
        point = TrackPoint()
        point.place = place
        device = nil
        deviceRank = 0
        hasTooManyDevices = false
        problem = nil
        warning = nil
        isOther = false
        namesPosition = false
        namesTime = false
        isGPSD = false
        unknownClass = nil
        timeFault = nil
        isTraccar = false
        isOwnTracks = false
        hasCoords = false
        hasLocation = false
        coordinateCount = nil
    }

    func beginObject(at place: Place) {
        depth += 1
        guard ignoredDepth == 0, depth > 1 else { return }
        switch key {
        case .coords: hasCoords = true
        case .location: hasLocation = true
        case .geometry where depth == 2 && !areProperties: break
        case .properties where depth == 2 && !areProperties: break
        default: ignoredDepth = depth
        }
    }

    func endObject(at place: Place) {
        if ignoredDepth == depth { ignoredDepth = 0 }
        depth -= 1
    }

    func beginArray(at place: Place) {
        depth += 1
        guard ignoredDepth == 0 else { return }
        if key == .coordinates, depth == 3, !areProperties {
            coordinateCount = 0
            namesPosition = true
        } else {
            ignoredDepth = depth
        }
    }

    func endArray(at place: Place) {
        if depth == 3 { coordinateCount = nil }
        if ignoredDepth == depth { ignoredDepth = 0 }
        depth -= 1
    }

    func key(_ name: Span<UInt8>, at place: Place) {
        guard ignoredDepth == 0 else { return }
        key = FixRecord.keys[FixRecord.names.index(of: name)]
        switch key {
        case .latitude, .lat, .longitude, .lon, .lng: namesPosition = true
        case _ where key.isTime: namesTime = true
        default: break
        }
    }

    func number(_ text: Span<UInt8>, at place: Place) {
        guard ignoredDepth == 0, key != .other else { return }
        switch key {
        case _ where key.isTime:
            take(times.parseEpoch(text, 0..<text.count), text, place)
        case .device, .deviceId, .deviceID, .topic, .tid:
            takeDevice(text)
        case .coordinates:
            takeCoordinate(Decimal.parse(text, 0..<text.count) ?? .nan)
        default:
            if let number = Decimal.parse(text, 0..<text.count) {
                if number == TrackSink.unknown, key.mayBeUnknown { return }
                numbers[key.rawValue] = number
            } else {
                note(place, "\(key.name) \(quote(text)) is no number that a position can have")
            }
        }
    }

    func string(_ text: Span<UInt8>, at place: Place) {
        guard ignoredDepth == 0, key != .other else { return }
        switch key {
        case _ where key.isTime:
            // An empty property is how some writers say that a value is not known.
            if areProperties, Decimal.trimmed(text).isEmpty { return }
            let range = 0..<text.count
            take(
                areProperties ? times.parseTimeOrEpoch(text, range) : times.parse(text, range),
                text,
                place
            )
        case .device, .deviceId, .deviceID, .topic, .tid:
            takeDevice(text)
        case .class where !areProperties:
            takeClass(text)
        case .type where !areProperties:
            isOwnTracks = text.isWord("location")
            isOther = isOther || FixRecord.otherTypes.contains { text.isWord($0) }
        // Others than gpsd call by that name how someone moves.
        case .mode: break
        default:
            if key.isNumber {
                note(place, "\(key.name) is the string \(quote(text)), a number was expected")
            }
        }
    }

    func literal(_ literal: JSONLiteral, at place: Place) {
        guard ignoredDepth == 0 else { return }
        if key == .discontinuity { point.isBreak = literal == .true }
    }

    /// The properties of a position that stands elsewhere are complete: it goes to the sink.
    ///
    /// The device counts where the properties name none; it is nil where it is one too many.
    func finish(at position: TrackPoint, _ problem: String?, device: UInt32?) {
        numbers[Key.latitude.rawValue] = position.latitude
        numbers[Key.longitude.rawValue] = position.longitude
        if !position.ellipsoidalAltitude.isNaN {
            numbers[Key.ellipsoidalAltitude.rawValue] = position.ellipsoidalAltitude
        }
        if let problem { self.problem = (position.place, problem) }
        if self.device == nil, !hasTooManyDevices {
            self.device = device
            hasTooManyDevices = device == nil
        }
        finish()
    }

    /// The object is complete: what it says goes to the sink.
    func finish() {
        guard !isOther, !isOfUnknownClass() else { return }
        point.latitude = first(.latitude, .lat)
        point.longitude = first(.longitude, .lon, .lng)
        if isGPSD, !(numbers[Key.mode.rawValue] >= 2) || point.latitude.isNaN { return }
        if let problem { return reject(at: problem.place, problem.text) }
        if let timeFault { sink.log.add(.warning, at: timeFault.place, timeFault.text) }
        if let warning { sink.log.add(.warning, at: warning.place, warning.text) }
        guard !point.latitude.isNaN, !point.longitude.isNaN else {
            return sink.log.add(.warning, at: place, "the object has no position and is not used")
        }
        if hasTooManyDevices {
            return reject(at: place, TrackSink.oneDeviceMore)
        }
        fillAltitudes()
        fillAccuracies()
        point.speed = first(.speed) * (isTraccar ? 1852.0 / 3600 : 1)
        if point.speed.isNaN { point.speed = numbers[Key.vel.rawValue] / 3.6 }
        point.course = first(.course, .cog, .track, .heading, .bearing)
        point.device = device ?? 0
        if let outlet {
            let isHole = namesTime && !point.hasTime
            outlet.offerPoint(point, nil, isOfDevice: point.device != 0, isHole: isHole)
        } else {
            sink.append(point)
        }
    }

    private func reject(at place: Place, _ text: String) {
        if point.isBreak, !hasTooManyDevices { sink.loseBreak(device: device ?? 0) }
        guard let outlet else { return sink.reject(at: place, text) }
        point.place = place
        let isOfDevice = hasTooManyDevices || device ?? 0 != 0
        outlet.offerPoint(point, text, isOfDevice: isOfDevice, isHole: false)
    }

    private func fillAltitudes() {
        if hasCoords, !hasLocation {
            point.ellipsoidalAltitude = first(.altitude)
        } else {
            point.altitude = first(.altitude, .altMSL, .alt, .ele)
            point.ellipsoidalAltitude = first(.ellipsoidalAltitude, .altHAE, .ellipsoidAltitude)
        }
    }

    private func fillAccuracies() {
        var horizontal = first(.horizontalAccuracy, .accuracy, .acc)
        var vertical = first(.verticalAccuracy, .altitudeAccuracy, .altitudeError, .vac)
        if isGPSD {
            horizontal = first(.eph) * FixRecord.circleOf68
            if horizontal.isNaN {
                let east = first(.epx) * FixRecord.lineOf68
                let north = first(.epy) * FixRecord.lineOf68
                horizontal = (east * east + north * north).squareRoot()
            }
            vertical = first(.epv) * FixRecord.lineOf68
        } else if hasCoords, !hasLocation {
            horizontal *= FixRecord.circleOf68
            vertical *= FixRecord.lineOf68
        } else if isOwnTracks {
            if horizontal == 0 { horizontal = .nan }
            if vertical == 0 { vertical = .nan }
        }
        point.horizontalAccuracy = horizontal
        point.verticalAccuracy = vertical
    }

    /// The first of some members that has a number.
    private func first(
        _ first: Key,
        _ second: Key = .other,
        _ third: Key = .other,
        _ fourth: Key = .other,
        _ fifth: Key = .other
    ) -> Double {
        for key in [first, second, third, fourth, fifth] {
            let number = numbers[key.rawValue]
            if !number.isNaN { return number }
        }
        return .nan
    }

    /// Keeps what is wrong with a member: without a coordinate there is no position, without
    /// another number there is.
    private func note(_ place: Place, _ text: String) {
        switch key {
        case .latitude, .lat, .longitude, .lon, .lng:
            if problem == nil, !areProperties { problem = (place, text) }
        default:
            if warning == nil { warning = (place, "\(text); it is not used") }
        }
    }

    private func take(_ outcome: TimestampParser.Outcome, _ text: Span<UInt8>, _ place: Place) {
        // The time of the fix goes before when it was sent or stored.
        guard key == .fixTime || !isTraccar else { return }
        isTraccar = key == .fixTime
        switch outcome {
        case .time(let time, let assumedZone):
            point.time = time.milliseconds
            if assumedZone { zoneNote.add(to: sink, at: place) }
        case .invalid:
            let fault = "\(key.name) \(quote(text)) is no date and time and not used"
            if areProperties {
                sink.log.add(.warning, at: place, fault)
            } else {
                timeFault = (place, fault)
            }
        }
    }

    private func takeDevice(_ text: Span<UInt8>) {
        // The topic names a device of OwnTracks in full, its tracker id only in two letters.
        let rank = key == .tid ? 1 : key == .topic ? 2 : 3
        guard rank > deviceRank, !text.isEmpty else { return }
        deviceRank = rank
        device = sink.device(text)
        hasTooManyDevices = device == nil
    }

    /// Takes the next number of a feature's coordinates: longitude, latitude and the height above
    /// the ellipsoid.
    private func takeCoordinate(_ number: Double) {
        guard let count = coordinateCount else { return }
        coordinateCount = count + 1
        switch count {
        case 0: numbers[Key.longitude.rawValue] = number
        case 1: numbers[Key.latitude.rawValue] = number
        case 2: numbers[Key.ellipsoidalAltitude.rawValue] = number
        default: break
        }
    }

    private func takeClass(_ text: Span<UInt8>) {
        isGPSD = text.isWord("TPV")
        let isOtherClass = FixRecord.otherClasses.contains { text.isWord($0) }
        isOther = isOther || isOtherClass
        isOfGPSD = isOfGPSD || isGPSD || isOtherClass
        unknownClass = isGPSD || isOtherClass ? nil : quote(text)
    }

    /// Whether the object is of a class that gpsd's positions do not have; others than gpsd call
    /// by that name what moves.
    private func isOfUnknownClass() -> Bool {
        guard let unknownClass else { return false }
        guard namesPosition else { return true }
        guard isOfGPSD else { return false }
        if unknownClasses.count == 0 { unknownClasses = (0, unknownClass, place) }
        unknownClasses.count += 1
        return true
    }

    /// The file has ended: says how many objects were of a class that is not known.
    func noteUnknownClasses() {
        let (count, name, place) = unknownClasses
        guard count > 0 else { return }
        sink.log.add(
            .note,
            at: place,
            "\(count) \(count == 1 ? "object" : "objects") of class \(name) or others that gpsd's "
                + "positions do not have; not used"
        )
    }
}
