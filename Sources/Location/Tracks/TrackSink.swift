/// Where a parser puts what it reads: positions, and what it could not use.
///
/// It checks ranges, so that every point in it has a position and numbers that a fix may have.
final class TrackSink {
    /// More devices than this in one file are refused: each costs memory.
    static let mostDevices = 1000
    /// Why positions of the others are rejected.
    static let oneDeviceMore = "it is of one device more than \(mostDevices)"

    /// A device of the file.
    struct Device {
        /// By the file's own id, made to match `[A-Za-z0-9._-]{1,64}`; nil where it names none.
        let name: String?
        fileprivate(set) var segment: UInt32 = 0
        fileprivate var startsSegment = true
        fileprivate var startsTrack = true
        /// How many of its points said that they do not continue the one before.
        fileprivate var stretch: UInt32 = 0
        /// How many of those were not used.
        fileprivate(set) var lostBreaks = 0
        fileprivate var trackCount = 0

        init(name: String?) {
            self.name = name
        }
    }

    /// The points read since they were last taken.
    var points: [TrackPoint] = []
    /// What could not be used.
    var log = DiagnosticLog()
    /// The devices seen; the first is the one without a name.
    private(set) var devices: [Device]
    /// Whether a device has ever lost a break.
    private(set) var hasLostBreaks = false
    private(set) var pointCount = 0
    private(set) var rejected = 0
    /// Tracks and segments of the file; a format whose files name theirs counts them itself.
    var tracks = 0
    var segments = 0
    var countsTracks = true

    private var indices: [String: UInt32]
    private var takenNames: Set<String>
    private var newestID: [UInt8] = []
    private var newestIndex: UInt32 = 0

    /// Devices as a sink numbers and names them, for another that is to do it alike.
    struct KnownDevices: Sendable {
        fileprivate(set) var names: [String?] = [nil]
        fileprivate var indices: [String: UInt32] = [:]
    }

    /// A sink that has met those devices before, but none of their positions.
    init(_ known: KnownDevices = KnownDevices()) {
        devices = known.names.map { Device(name: $0) }
        indices = known.indices
        takenNames = Set(known.names.compactMap(\.self))
    }

    /// The devices seen so far.
    var knownDevices: KnownDevices {
        KnownDevices(names: devices.map(\.name), indices: indices)
    }

    /// The next point of that device continues nothing.
    func beginSegment(device: UInt32 = 0) {
        devices[Int(device)].startsSegment = true
    }

    /// The next point of that device belongs to another track, and so to another segment.
    func beginTrack(device: UInt32 = 0) {
        devices[Int(device)].startsTrack = true
        devices[Int(device)].startsSegment = true
    }

    /// A point of that device that did not continue the one before is not used: the next does not
    /// either.
    func loseBreak(device: UInt32) {
        devices[Int(device)].stretch += 1
        devices[Int(device)].lostBreaks += 1
        hasLostBreaks = true
    }

    /// Why a point is no position; nil where it is one.
    static func problem(of point: TrackPoint) -> String? {
        rangeProblem(isLatitude: true, point.latitude)
            ?? rangeProblem(isLatitude: false, point.longitude)
    }

    /// A position that was read; rejected where it is none.
    func append(_ point: TrackPoint) {
        if let problem = TrackSink.problem(of: point) {
            if point.isBreak { loseBreak(device: point.device) }
            return reject(at: point.place, problem)
        }
        pointCount += 1
        var point = point
        // Adding zero turns the negative zero, which must not be shown, into zero.
        point.latitude += 0
        point.longitude = Geodesy.longitude(point.longitude) + 0
        checkNumbers(&point)
        let device = Int(point.device)
        if point.isBreak { devices[device].stretch += 1 }
        point.isBreak = false
        point.stretch = devices[device].stretch
        if devices[device].startsSegment {
            devices[device].startsSegment = false
            devices[device].segment += 1
            if countsTracks {
                segments += 1
                if devices[device].startsTrack { tracks += 1 }
            }
            if devices[device].startsTrack { devices[device].trackCount += 1 }
            devices[device].startsTrack = false
        }
        point.isOfLaterTrack = devices[device].trackCount > 1
        point.segment = devices[device].segment
        points.append(point)
    }

    /// Why a number of degrees is no coordinate; nil where it is one.
    static func rangeProblem(isLatitude: Bool, _ degrees: Double) -> String? {
        if isLatitude {
            if degrees >= -90, degrees <= 90 { return nil }
            return "latitude \(degrees) is not a latitude, -90 to 90 was expected"
        }
        if degrees >= -100_000, degrees <= 100_000 { return nil }
        return "longitude \(degrees) is not a longitude, -180 to 180 was expected"
    }

    /// A position that cannot be used.
    func reject(at place: Place, _ message: @autoclosure () -> String) {
        pointCount += 1
        rejected += 1
        log.add(.warning, at: place, message())
    }

    /// A position of a device that is one too many.
    func rejectDevice(at place: Place) {
        reject(at: place, TrackSink.oneDeviceMore)
    }

    /// The index of the device with that id; nil where there are too many.
    func device(_ id: Span<UInt8>) -> UInt32? {
        if equals(id, newestID) { return newestIndex }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(id.count)
        for index in id.indices { bytes.append(id[index]) }
        guard let index = device(named: String(decoding: bytes, as: UTF8.self)) else { return nil }
        newestID = bytes
        newestIndex = index
        return index
    }

    /// The index of the device called `id` in the file; nil where there are too many.
    func device(named id: String) -> UInt32? {
        if let index = indices[id] { return index }
        guard devices.count <= TrackSink.mostDevices else { return nil }
        let index = UInt32(devices.count)
        devices.append(Device(name: uniqueName(id)))
        indices[id] = index
        return index
    }

    private func uniqueName(_ id: String) -> String {
        var name = ""
        for scalar in id.unicodeScalars.prefix(DeviceName.maximumLength) {
            let isAllowed = scalar.isASCII && DeviceName.isAllowed(UInt8(scalar.value))
            name.unicodeScalars.append(isAllowed ? scalar : "-")
        }
        return DeviceName.free(name.isEmpty ? "-" : name, taken: &takenNames)
    }

    /// Takes away the numbers that a fix must not have.
    private func checkNumbers(_ point: inout TrackPoint) {
        check(&point.altitude, "altitude", point.place)
        check(&point.ellipsoidalAltitude, "altitude", point.place)
        if point.horizontalAccuracy < 0 { drop(&point.horizontalAccuracy, "accuracy", point.place) }
        if point.verticalAccuracy < 0 { drop(&point.verticalAccuracy, "accuracy", point.place) }
        if point.speed < 0 { drop(&point.speed, "speed", point.place) }
        if point.course < 0 || point.course > 360 { drop(&point.course, "course", point.place) }
        if point.course == 360 { point.course = 0 }
        check(&point.horizontalAccuracy, "accuracy", point.place)
        check(&point.verticalAccuracy, "accuracy", point.place)
        check(&point.speed, "speed", point.place)
    }

    /// The number that CoreLocation puts for a speed, a course or an accuracy that is unknown.
    static let unknown = -1.0

    private func drop(_ number: inout Double, _ name: String, _ place: Place) {
        let value = number
        number = .nan
        guard value != TrackSink.unknown else { return }
        let wanted = name == "course" ? "0 to 360" : "0 or more"
        log.add(
            .warning,
            at: place,
            "\(name) \(value) is none and not used, \(wanted) was expected"
        )
    }

    private func check(_ number: inout Double, _ name: String, _ place: Place) {
        guard number < -1e7 || number > 1e7 else { return }
        let value = number
        log.add(.warning, at: place, "\(name) \(value) is beyond any on Earth, and not used")
        number = .nan
    }

    private func equals(_ id: Span<UInt8>, _ bytes: [UInt8]) -> Bool {
        guard id.count == bytes.count, !bytes.isEmpty else { return false }
        for index in bytes.indices where id[index] != bytes[index] { return false }
        return true
    }
}
