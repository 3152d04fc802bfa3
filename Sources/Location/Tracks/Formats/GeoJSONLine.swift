/// The positions of one feature of GeoJSON and their times, until both are complete.
struct GeoJSONLine {
    private let sink: TrackSink
    private let splitsTracks: Bool
    private let maxGap: Int64

    /// Four words a position: the coordinates, and its place with whether it begins a line.
    private var positions = WordQueue()
    private var times = WordQueue()
    private var timeCount = 0
    private var lineNumber = 0

    /// How many positions have come.
    private(set) var count = 0
    /// How deep in arrays they are: 1 for a point, 2 for a line, 3 for several.
    private(set) var depth = 0
    /// Where the first is.
    private(set) var place = Place.none
    /// Whether the line is complete and its points go to the sink.
    private(set) var isDelivering = false

    private var usesTimes = false
    /// The device of the line; nil for one too many.
    private var device: UInt32?
    private var newest: TrackPoint?

    init(_ sink: TrackSink, _ settings: ParserSettings) {
        self.sink = sink
        splitsTracks = settings.options.split == .track
        maxGap = NormaliserRules(options: settings.options, isLive: false, foresight: nil).maxGap
    }

    /// Why words were lost.
    var failure: TrackError? { positions.failure ?? times.failure }

    mutating func forget() {
        positions.removeAll()
        times.removeAll()
        timeCount = 0
        count = 0
        depth = 0
        isDelivering = false
        newest = nil
    }

    mutating func append(
        longitude: Double,
        latitude: Double,
        altitude: Double,
        place: Place,
        depth: Int,
        arraysBegun: Int
    ) {
        if count == 0 { self.place = place }
        count += 1
        self.depth = max(self.depth, depth)
        positions.append(Int64(bitPattern: longitude.bitPattern))
        positions.append(Int64(bitPattern: latitude.bitPattern))
        positions.append(Int64(bitPattern: altitude.bitPattern))
        // A position begins one array, its own; the first of a line begins that of the line too.
        let beginsLine: Int64 = arraysBegun > 1 ? 1 : 0
        positions.append(Int64(place.line) << 32 | Int64(place.column) << 1 | beginsLine)
    }

    mutating func appendTime(_ time: Int64) {
        times.append(time)
        timeCount += 1
    }

    /// Hands the position of a point to the record of its properties.
    mutating func deliverPoint(to record: FixRecord, device: UInt32?) {
        if let entry = popPosition() {
            record.finish(
                latitude: entry.point.latitude,
                longitude: entry.point.longitude,
                ellipsoidalAltitude: entry.point.ellipsoidalAltitude,
                device: device
            )
        }
        forget()
    }

    /// The feature has ended: its points can go to the sink.
    ///
    /// - Parameters:
    ///   - id: The id of the feature.
    ///   - name: Its name.
    ///   - record: Its properties, which may name a device.
    ///   - isCutOff: Whether the file ended inside it.
    mutating func finish(id: String, name: String, record: FixRecord, isCutOff: Bool) {
        usesTimes = timeCount == count || (isCutOff && timeCount > 0)
        if timeCount > 0, !usesTimes {
            sink.log.add(
                .warning,
                at: place,
                "the line has \(count) positions and \(timeCount) times, the times are not used"
            )
        }
        lineNumber += 1
        if record.device != nil || record.hasTooManyDevices {
            device = record.device
        } else if splitsTracks {
            let name = name.isEmpty ? id : name
            let unique = name.isEmpty ? "track-\(lineNumber)" : name
            device = sink.device(named: unique)
        } else {
            device = id.isEmpty ? 0 : sink.device(named: id)
        }
        if let device { sink.beginTrack(device: device) }
        isDelivering = true
    }

    /// Delivers some of the points.
    mutating func deliver(_ limit: Int) {
        for _ in 0..<limit {
            guard let entry = popPosition() else { return forget() }
            var point = entry.point
            if usesTimes { point.time = times.popFirst() ?? TrackPoint.noTime }
            guard let device else {
                sink.rejectDevice(at: point.place)
                continue
            }
            point.device = device
            if entry.beginsLine, newest != nil, !continues(point) {
                sink.beginSegment(device: device)
            }
            if point.latitude.magnitude > 90, point.longitude.magnitude <= 90 {
                let (longitude, latitude) = (point.longitude, point.latitude)
                sink.reject(
                    at: point.place,
                    "[\(longitude), \(latitude)] looks swapped: GeoJSON has longitude first"
                )
            } else if point.latitude.isNaN || point.longitude.isNaN {
                sink.reject(at: point.place, "the position is not [longitude, latitude] in degrees")
            } else {
                sink.append(point)
            }
            newest = point
        }
    }

    /// Whether a line goes on in the next one, cut only because it crosses the antimeridian
    /// (RFC 7946 §3.1.9).
    private func continues(_ point: TrackPoint) -> Bool {
        guard let newest, newest.longitude.magnitude == 180, point.longitude.magnitude == 180,
            abs(newest.latitude - point.latitude) < 1e-6
        else { return false }
        guard newest.hasTime, point.hasTime else { return newest.hasTime == point.hasTime }
        return point.time >= newest.time && point.time - newest.time <= maxGap
    }

    private mutating func popPosition() -> (point: TrackPoint, beginsLine: Bool)? {
        guard let longitude = positions.popFirst(), let latitude = positions.popFirst(),
            let altitude = positions.popFirst(), let last = positions.popFirst()
        else { return nil }
        var point = TrackPoint()
        point.longitude = Double(bitPattern: UInt64(bitPattern: longitude))
        point.latitude = Double(bitPattern: UInt64(bitPattern: latitude))
        // RFC 7946 §4: the third number is the height above the ellipsoid.
        point.ellipsoidalAltitude = Double(bitPattern: UInt64(bitPattern: altitude))
        point.place = Place(line: Int(last >> 32), column: Int(last & 0xFFFF_FFFF) >> 1)
        return (point, last & 1 == 1)
    }
}
