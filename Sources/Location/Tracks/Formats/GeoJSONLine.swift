/// The positions of one feature of GeoJSON and their times, until both are complete.
struct GeoJSONLine {
    private let sink: TrackSink
    private let outlet: GeoJSONOutlet
    private let splitsTracks: Bool
    private let maxGap: Int64

    /// Four words a position: the coordinates, and its place with whether it begins a line.
    private var positions = WordQueue()
    /// The lists of times that the feature has: the first that fits is taken.
    private var lists: [TimeList] = []
    private var shape = Shape()
    private var lineNumber = 0

    /// Where lines begin, by the number of their first position: equal for equal shapes.
    private struct Shape: Equatable {
        private var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        private var newest = -1

        mutating func beginLine(at index: Int) {
            // Lines without positions are none.
            guard index != newest else { return }
            newest = index
            hash = (hash ^ UInt64(truncatingIfNeeded: index)) &* 0x0000_0100_0000_01B3
        }
    }

    private struct TimeList {
        var times = WordQueue()
        var shape = Shape()
        /// Whether it holds a list for each line.
        var isNested = false
    }

    private static let mostLists = 2

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

    init(_ sink: TrackSink, _ settings: ParserSettings, _ outlet: GeoJSONOutlet) {
        self.sink = sink
        self.outlet = outlet
        splitsTracks = settings.options.split == .track
        maxGap = NormaliserRules(options: settings.options, isLive: false, foresight: nil).maxGap
    }

    /// Why words were lost.
    var failure: TrackError? { positions.failure ?? lists.first?.times.failure }

    mutating func forget() {
        positions.removeAll()
        lists = []
        shape = Shape()
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
        if beginsLine == 1 { shape.beginLine(at: count - 1) }
        positions.append(Int64(place.line) << 32 | Int64(place.column) << 1 | beginsLine)
    }

    /// A list of times begins.
    mutating func beginTimes() {
        // A third list, which no writer makes, takes the place of the second.
        if lists.count == GeoJSONLine.mostLists { lists.removeLast() }
        lists.append(TimeList())
    }

    /// A list in the list of times begins: that of a line.
    mutating func beginTimesOfLine() {
        guard let last = lists.indices.last else { return }
        lists[last].isNested = true
        lists[last].shape.beginLine(at: lists[last].times.count)
    }

    mutating func appendTime(_ time: Int64) {
        guard let last = lists.indices.last else { return }
        lists[last].times.append(time)
    }

    /// Takes the first list of times that fits the positions, where the file ended inside the
    /// feature the first of all.
    private mutating func chooseTimes(isCutOff: Bool) {
        let fitting = lists.firstIndex {
            $0.times.count == count && (!$0.isNested || $0.shape == shape)
        }
        usesTimes = fitting != nil || (isCutOff && !lists.isEmpty)
        let timeCount = lists.first?.times.count ?? 0
        let hasSameCount = timeCount == count
        lists = usesTimes ? [lists[fitting ?? 0]] : []
        guard timeCount > 0, !usesTimes else { return }
        sink.log.add(
            .warning,
            at: place,
            hasSameCount
                ? "the lines have other numbers of positions than of times, the times are not used"
                : "the line has \(count) positions and \(timeCount) times, the times are not used"
        )
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
        chooseTimes(isCutOff: isCutOff)
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
        outlet.beginTrack()
        isDelivering = true
    }

    /// Delivers some of the points.
    mutating func deliver(_ limit: Int) {
        for _ in 0..<limit {
            guard let entry = popPosition() else { return forget() }
            var point = entry.point
            if usesTimes { point.time = lists[0].times.popFirst() ?? TrackPoint.noTime }
            guard let device else {
                outlet.offerLine(point, TrackSink.oneDeviceMore, isTimed: usesTimes)
                continue
            }
            point.device = device
            if entry.beginsLine, newest != nil, !continues(point) {
                outlet.beginSegment()
            }
            if point.latitude.magnitude > 90, point.longitude.magnitude <= 90 {
                let (longitude, latitude) = (point.longitude, point.latitude)
                outlet.offerLine(
                    point,
                    "[\(longitude), \(latitude)] looks swapped: GeoJSON has longitude first",
                    isTimed: usesTimes
                )
            } else if point.latitude.isNaN || point.longitude.isNaN {
                outlet.offerLine(
                    point,
                    "the position is not [longitude, latitude] in degrees",
                    isTimed: usesTimes
                )
            } else {
                outlet.offerLine(point, nil, isTimed: usesTimes)
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
