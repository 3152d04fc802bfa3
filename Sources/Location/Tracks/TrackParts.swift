/// Which parts of a file hold the positions of each device, so that whoever wants one device need
/// not read all the others.
///
/// There are such parts in plain files of lines: there, a parser that has read the head can go on
/// at the start of any record.
struct TrackParts: Sendable {
    /// How fine the parts are, and how many bytes of them are read at a time.
    static let chunkLength = 1 << 12
    /// How many ranges are kept for a device at most.
    static let mostRanges = 32

    fileprivate let identity: InputFile.Identity
    let format: TrackFormat
    let devices: TrackSink.KnownDevices
    /// Up to where it is decided how the rest is read.
    fileprivate let head: Range<Int>
    /// By the index of the device, in the order of the file.
    fileprivate let ranges: [[Range<Int>]]

    /// Opens the file at `path`; nil where it is not the one whose parts these are any more.
    func open(_ path: String) throws(TrackError) -> InputFile? {
        let file = try InputFile(path: path)
        return file.identity == identity ? file : nil
    }

    /// Where the positions of a device are, with the head before them.
    func ranges(of id: String?) -> [Range<Int>] {
        guard let index = devices.names.firstIndex(of: id), index < ranges.count else {
            return [head]
        }
        var joined = [head]
        for range in ranges[index] where range.upperBound > head.upperBound {
            PartsSurvey.append(max(range.lowerBound, head.upperBound)..<range.upperBound, &joined)
        }
        return joined
    }
}

/// Notes the parts of a file while it is read through.
struct PartsSurvey {
    private struct Device {
        var ranges: [Range<Int>] = []
        /// The newest piece of the file with a position of it.
        var piece = -1
        var lostBreaks = 0
    }

    private var devices: [Device] = []
    /// The piece of the file, from one boundary to the next, that is being read.
    private var piece = 0
    private var start: Int
    /// The devices with a position in the piece.
    private var met: [Int] = []
    private var newest: UInt32?
    private var head: Range<Int>?
    private var decisions = 0
    private let origin: Int

    /// A survey of a file whose first record begins at `origin`.
    init(origin: Int) {
        self.origin = origin
        start = origin
    }

    /// Takes what came of a chunk, and the newest boundary after it.
    mutating func note(_ sink: TrackSink, _ boundary: RecordBoundary?) {
        for point in sink.points where point.device != newest {
            newest = point.device
            meet(Int(point.device))
        }
        if sink.hasLostBreaks { noteLostBreaks(sink.devices) }
        guard let boundary, origin + boundary.offset > start else { return }
        if head == nil || boundary.decisions != decisions {
            decisions = boundary.decisions
            head = origin..<origin + boundary.offset
        }
        endPiece(at: origin + boundary.offset)
    }

    /// The file has ended: what was found, nil where it is no file that has parts.
    mutating func finish(_ pipeline: TrackPipeline) -> TrackParts? {
        guard let head, let identity = pipeline.identity, pipeline.bytesRead == identity.size
        else { return nil }
        if identity.size > start { endPiece(at: identity.size) }
        return TrackParts(
            identity: identity,
            format: pipeline.format,
            devices: pipeline.sink.knownDevices,
            head: head,
            ranges: devices.map(\.ranges)
        )
    }

    /// A position that is not used may tell of a break: its piece is of its device too.
    private mutating func noteLostBreaks(_ all: [TrackSink.Device]) {
        while devices.count < all.count { devices.append(Device()) }
        for (index, device) in all.enumerated()
        where device.lostBreaks != devices[index].lostBreaks {
            devices[index].lostBreaks = device.lostBreaks
            meet(index)
        }
    }

    private mutating func meet(_ device: Int) {
        while devices.count <= device { devices.append(Device()) }
        guard devices[device].piece != piece else { return }
        devices[device].piece = piece
        met.append(device)
    }

    private mutating func endPiece(at end: Int) {
        for device in met {
            PartsSurvey.append(start..<end, &devices[device].ranges)
            PartsSurvey.thin(&devices[device].ranges)
        }
        met.removeAll(keepingCapacity: true)
        newest = nil
        piece += 1
        start = end
    }

    /// Puts a range behind others, as one with the last where it touches that.
    fileprivate static func append(_ range: Range<Int>, _ ranges: inout [Range<Int>]) {
        if let last = ranges.last, last.upperBound == range.lowerBound {
            ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
        } else {
            ranges.append(range)
        }
    }

    /// Joins the two ranges with the least between them where there is one too many: what is
    /// between is read too, which costs time and changes nothing.
    private static func thin(_ ranges: inout [Range<Int>]) {
        guard ranges.count > TrackParts.mostRanges else { return }
        var narrowest = 1
        for index in 1..<ranges.count
        where gap(before: index, ranges) < gap(before: narrowest, ranges) { narrowest = index }
        let second = ranges.remove(at: narrowest)
        ranges[narrowest - 1] = ranges[narrowest - 1].lowerBound..<second.upperBound
    }

    private static func gap(before index: Int, _ ranges: [Range<Int>]) -> Int {
        ranges[index].lowerBound - ranges[index - 1].upperBound
    }
}
