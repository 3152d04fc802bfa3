/// The positions of one feature of GeoJSON and their times, until both are complete.
struct GeoJSONLine {
    private let sink: TrackSink
    private let outlet: GeoJSONOutlet
    private let splitsTracks: Bool
    private let maxGap: Int64

    /// Four words a position: the coordinates, and its place with whether it begins a line; of one
    /// that is none no longitude, and instead of the others why, and how deep it is where it is an
    /// empty array.
    private var positions = WordQueue()
    /// The lists of times that the feature has: the first that fits is taken.
    private var lists: [TimeList] = []
    private var lineNumber = 0
    /// The positions so far, by how deep in arrays they would be.
    private var levels = [Level](repeating: Level(), count: GeoJSONLine.deepest + 1)
    private var lengths = Lengths()

    /// Where lines begin, by the number of their first position: equal for equal shapes.
    private struct Shape: Equatable {
        private(set) var lines = 0
        private var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        private var newest = -1

        /// Whether a line begins there; lines without positions are none.
        @discardableResult
        mutating func beginLine(at index: Int) -> Bool {
            guard index != newest else { return false }
            newest = index
            lines += 1
            hash = (hash ^ UInt64(truncatingIfNeeded: index)) &* 0x0000_0100_0000_01B3
            return true
        }
    }

    /// The lengths of lines, from where each of them begins.
    private struct Lengths {
        private var starts = WordQueue()
        private var start: Int64 = 0

        var failure: TrackError? { starts.failure }

        mutating func beginLine(at index: Int) {
            if index > 0 { starts.append(Int64(index)) }
        }

        /// The length of the next line; `count` is that of all together.
        mutating func popFirst(of count: Int) -> Int {
            let end = starts.popFirst() ?? Int64(count)
            defer { start = end }
            return Int(end - start)
        }
    }

    private struct Entry {
        var point = TrackPoint()
        var fault: GeoJSONFault?
        var beginsLine: Bool
    }

    private struct TimeList {
        var times = WordQueue()
        var shape = Shape()
        var lengths = Lengths()
        /// Whether it holds a list for each line.
        var isNested = false
    }

    /// What an empty array is, a position or a line, shows in the positions around it.
    private struct Level {
        var count = 0
        var shape = Shape()

        /// Whether a line begins.
        @discardableResult
        mutating func append(beginsLine: Bool) -> Bool {
            defer { count += 1 }
            return beginsLine && shape.beginLine(at: count)
        }
    }

    private static let mostLists = 2
    /// How deep in arrays the positions of several lines are.
    static let deepest = 3

    /// How deep in arrays the positions are: 1 for a point, 2 for a line, 3 for several.
    private(set) var depth = 0
    /// Where the first is.
    private(set) var place = Place.none
    /// Whether the line is complete and its points go to the sink.
    private(set) var isDelivering = false

    private var usesTimes = false
    /// Whether each line has times of its own only where there are as many as positions.
    private var matchesLines = false
    /// Whether the line that is delivered has the times that were read for it.
    private var hasTimes = false
    private var timeCount = 0
    /// The device of the line; nil for one too many.
    private var device: UInt32?
    private var newest: TrackPoint?

    init(_ sink: TrackSink, _ settings: ParserSettings, _ outlet: GeoJSONOutlet) {
        self.sink = sink
        self.outlet = outlet
        splitsTracks = settings.options.split == .track
        maxGap = NormaliserRules(options: settings.options, isLive: false, foresight: nil).maxGap
    }

    /// How many positions have come.
    var count: Int { level.count }

    private var level: Level { levels[min(depth, GeoJSONLine.deepest)] }

    /// Why words were lost.
    var failure: TrackError? {
        positions.failure ?? lengths.failure ?? lists.first?.times.failure
            ?? lists.first?.lengths.failure
    }

    mutating func forget() {
        positions.removeAll()
        lists = []
        for index in levels.indices { levels[index] = Level() }
        lengths = Lengths()
        depth = 0
        place = .none
        isDelivering = false
        newest = nil
    }

    /// Takes the next position.
    mutating func append(
        longitude: Double,
        latitude: Double,
        altitude: Double,
        place: Place,
        depth: Int,
        beginsLine: Bool
    ) {
        count(depth: depth, place, beginsLine)
        positions.append(Int64(bitPattern: longitude.bitPattern))
        positions.append(Int64(bitPattern: latitude.bitPattern))
        positions.append(Int64(bitPattern: altitude.bitPattern))
        append(place, beginsLine)
    }

    /// Takes the next position, which is none.
    mutating func append(_ fault: GeoJSONFault, place: Place, depth: Int, beginsLine: Bool) {
        count(depth: depth, place, beginsLine)
        appendFault(fault, depth: 0, place, beginsLine)
    }

    /// Takes an empty array: a position where others are as deep in arrays, else a line.
    mutating func appendEmpty(place: Place, depth: Int, beginsLine: Bool) {
        // Coordinates that are empty as a whole are those of no place.
        guard depth > 1, depth <= GeoJSONLine.deepest else { return }
        if self.place == .none { self.place = place }
        append(toLevel: depth, beginsLine)
        appendFault(.empty, depth: depth, place, beginsLine)
    }

    private mutating func count(depth: Int, _ place: Place, _ beginsLine: Bool) {
        if self.place == .none { self.place = place }
        self.depth = max(self.depth, depth)
        for index in 1...GeoJSONLine.deepest { append(toLevel: index, beginsLine) }
    }

    private mutating func append(toLevel index: Int, _ beginsLine: Bool) {
        let position = levels[index].count
        if levels[index].append(beginsLine: beginsLine), index == GeoJSONLine.deepest {
            lengths.beginLine(at: position)
        }
    }

    private mutating func appendFault(
        _ fault: GeoJSONFault,
        depth: Int,
        _ place: Place,
        _ beginsLine: Bool
    ) {
        positions.append(Int64(bitPattern: Double.nan.bitPattern))
        positions.append(fault.rawValue)
        positions.append(Int64(depth))
        append(place, beginsLine)
    }

    private mutating func append(_ place: Place, _ beginsLine: Bool) {
        positions.append(
            Int64(place.line) << 32 | Int64(place.column) << 1 | (beginsLine ? 1 : 0)
        )
    }

    /// The geometry has ended and is of this type: it is known what empty arrays are.
    mutating func settle(_ type: GeoJSONGeometry) {
        if depth == 0, let wanted = type.depth, wanted <= GeoJSONLine.deepest { depth = wanted }
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
        let index = lists[last].times.count
        if lists[last].shape.beginLine(at: index) { lists[last].lengths.beginLine(at: index) }
    }

    mutating func appendTime(_ time: Int64) {
        guard let last = lists.indices.last else { return }
        lists[last].times.append(time)
    }

    /// Takes the first list of times that fits the positions, else the first that has a list for
    /// each line, and where the file ended inside the feature the first of all.
    private mutating func chooseTimes(isCutOff: Bool) {
        let shape = level.shape
        let fitting = lists.firstIndex {
            $0.times.count == count && (!$0.isNested || $0.shape == shape)
        }
        let matching = lists.firstIndex {
            $0.isNested && depth == GeoJSONLine.deepest && $0.shape.lines == shape.lines
        }
        usesTimes = fitting != nil || (isCutOff && !lists.isEmpty)
        matchesLines = !usesTimes && matching != nil && shape.lines > 1
        hasTimes = usesTimes
        timeCount = lists.first?.times.count ?? 0
        guard !usesTimes, !matchesLines else {
            lists = [lists[fitting ?? matching ?? 0]]
            timeCount = lists[0].times.count
            return
        }
        lists = []
        guard timeCount > 0 else { return }
        if timeCount == count {
            sink.log.add(
                .warning,
                at: place,
                "the lines have other numbers of positions than of times, the times are not used"
            )
        } else {
            noteUnusedTimes(at: place, positions: count, times: timeCount)
        }
    }

    private func noteUnusedTimes(at place: Place, positions: Int, times: Int) {
        sink.log.add(
            .warning,
            at: place,
            "the line has \(positions) positions and \(times) \(times == 1 ? "time" : "times"), "
                + "which \(times == 1 ? "is" : "are") not used"
        )
    }

    /// Goes over to the times of the next line, where there are as many as positions.
    private mutating func beginTimesOfNextLine(at place: Place) {
        let positions = lengths.popFirst(of: count)
        let times = lists[0].lengths.popFirst(of: timeCount)
        hasTimes = positions == times
        guard !hasTimes else { return }
        for _ in 0..<times { _ = lists[0].times.popFirst() }
        noteUnusedTimes(at: place, positions: positions, times: times)
    }

    /// Hands the position of a point to the record of its properties.
    mutating func deliverPoint(to record: FixRecord, device: UInt32?) {
        if let entry = popPosition() {
            record.finish(at: entry.point, GeoJSONLine.problem(of: entry), device: device)
        }
        forget()
    }

    /// Why a position is none, as far as GeoJSON goes.
    private static func problem(of entry: Entry) -> String? {
        if let fault = entry.fault { return fault.message }
        let (longitude, latitude) = (entry.point.longitude, entry.point.latitude)
        guard latitude.magnitude > 90, longitude.magnitude <= 90 else { return nil }
        return "[\(longitude), \(latitude)] looks swapped: GeoJSON has longitude first"
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
            if matchesLines, entry.beginsLine { beginTimesOfNextLine(at: point.place) }
            if hasTimes { point.time = lists[0].times.popFirst() ?? TrackPoint.noTime }
            let isTimed = usesTimes || matchesLines
            guard let device else {
                outlet.offerLine(point, TrackSink.oneDeviceMore, isTimed: isTimed)
                continue
            }
            point.device = device
            if entry.beginsLine, newest != nil, !continues(point) {
                outlet.beginSegment()
            }
            let problem = GeoJSONLine.problem(of: entry)
            outlet.offerLine(point, problem, isTimed: isTimed)
            if entry.fault == nil { newest = point }
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

    private mutating func popPosition() -> Entry? {
        while let longitude = positions.popFirst(), let second = positions.popFirst(),
            let third = positions.popFirst(), let last = positions.popFirst()
        {
            var entry = Entry(beginsLine: last & 1 == 1)
            entry.point.place = Place(line: Int(last >> 32), column: Int(last & 0xFFFF_FFFF) >> 1)
            let degrees = Double(bitPattern: UInt64(bitPattern: longitude))
            if degrees.isNaN {
                // An empty array that is less deep than a position is a line.
                if third != 0, third != Int64(depth) { continue }
                entry.fault = GeoJSONFault(rawValue: second) ?? .numbers
                return entry
            }
            entry.point.longitude = degrees
            entry.point.latitude = Double(bitPattern: UInt64(bitPattern: second))
            // RFC 7946 §4: the third number is the height above the ellipsoid.
            entry.point.ellipsoidalAltitude = Double(bitPattern: UInt64(bitPattern: third))
            return entry
        }
        return nil
    }
}
