/// Reads a track as a stream, from its start, with memory that does not grow with the file.
///
/// A file is recognised by its content. `-` is standard input.
///
/// Whether a segment has times, and how long a hole is, may take more of the file to tell than is
/// held back. A regular file is then read ahead once, and only the answers are kept. Standard input
/// is not read twice: there, a segment whose first 65,536 positions hold fewer than two distinct
/// times has none, and the positions of a longer hole are dropped.
///
/// ## Thread safety
/// Not `Sendable`: make one for each run, and use it from one thread at a time.
public final class TrackReader {
    private typealias PipelineMaker = (_ rereadAs: String?) throws(TrackError) -> TrackPipeline

    private let options: TrackOptions
    private let makePipeline: PipelineMaker
    private var pipeline: TrackPipeline
    private var normaliser: Normaliser
    private var filter: DeviceFilter?
    private var survey: PartsSurvey?
    private var log = DiagnosticLog()
    private var fixes: [TrackFix] = []
    private var index = 0
    /// Whether the file has been read to its end.
    private var hasRead = false
    private var hasEnded = false

    /// Opens a track file, or standard input for `-`.
    ///
    /// - Throws: Where the file cannot be opened, is empty or in no known format.
    public convenience init(
        path: String,
        options: TrackOptions = TrackOptions()
    ) throws(TrackError) {
        try self.init(.file(path), options: options)
    }

    /// The same for any input, and with chunks of another length, which must make no difference.
    ///
    /// `filter` picks one device; `notesParts` says that `parts` are wanted at the end.
    init(
        _ input: TrackInput,
        options: TrackOptions,
        chunkLength: Int = TrackPipeline.chunkLength,
        filter: DeviceFilter? = nil,
        notesParts: Bool = false
    ) throws(TrackError) {
        self.options = options
        self.filter = filter
        makePipeline = { rereadAs throws(TrackError) in
            try TrackPipeline(input, options: options, rereadAs: rereadAs, chunkLength: chunkLength)
        }
        pipeline = try makePipeline(nil)
        normaliser = TrackReader.makeNormaliser(options, pipeline, filter, nil, makePipeline)
        if notesParts { survey = PartsSurvey(origin: pipeline.markLength) }
    }

    /// Reads the part of a file that holds the positions of one device.
    init(_ part: TrackPart, options: TrackOptions) {
        self.options = options
        filter = DeviceFilter(part.device)
        makePipeline = { _ in TrackPipeline(part, options: options) }
        pipeline = TrackPipeline(part, options: options)
        normaliser = TrackReader.makeNormaliser(options, pipeline, filter, nil, makePipeline)
    }

    /// The next fix in the order of the file, nil after the last.
    ///
    /// Of several devices in a file each has its own order; between them they come about as the
    /// file has them.
    ///
    /// - Throws: Where the file as a whole is refused, or cannot be read any longer.
    public func next() throws(TrackError) -> TrackFix? {
        while index == fixes.count {
            guard !hasEnded else { return nil }
            try advance()
        }
        defer { index += 1 }
        return fixes[index]
    }

    /// The same, reading a chunk at most.
    func pull() throws(TrackError) -> TrackPull {
        if index == fixes.count {
            guard !hasEnded else { return .end }
            try advance()
            if index == fixes.count { return .pending }
        }
        defer { index += 1 }
        return .fix(fixes[index])
    }

    /// What was found so far; complete after `next` has returned nil.
    public var report: TrackReport {
        var report = TrackReport()
        report.file = pipeline.name
        report.format = pipeline.format.name
        report.tracks = pipeline.sink.tracks
        report.segments = pipeline.sink.segments
        report.points = pipeline.sink.pointCount
        report.rejected = pipeline.sink.rejected
        normaliser.output.fill(&report)
        report.setDiagnostics(pipeline.sink.log, log)
        return report
    }

    /// The devices that the file has named so far.
    var deviceNames: [String] { pipeline.sink.devices.compactMap(\.name) }

    /// How many bytes of the file have been read, without those read ahead.
    var bytesRead: Int { pipeline.bytesRead }

    /// After the end: the parts of the file; nil where it has none.
    private(set) var parts: TrackParts?

    private func advance() throws(TrackError) {
        let hasMore = hasRead ? false : try pipeline.advance()
        let sink = pipeline.sink
        survey?.note(sink, pipeline.boundary)
        sink.takePoints(&filter) { normaliser.accept($0, $1, &log) }
        if !hasMore {
            if !hasRead, let rereadAs = pipeline.rereadAs {
                pipeline = try makePipeline(rereadAs)
                normaliser = TrackReader.makeNormaliser(
                    options,
                    pipeline,
                    filter,
                    rereadAs,
                    makePipeline
                )
                log = DiagnosticLog()
                survey = nil
            } else {
                if !hasRead { parts = survey?.finish(pipeline) }
                hasRead = true
                hasEnded = normaliser.finish(&log)
            }
        }
        normaliser.takeFixes(into: &fixes)
        index = 0
    }

    private static func makeNormaliser(
        _ options: TrackOptions,
        _ pipeline: TrackPipeline,
        _ filter: DeviceFilter?,
        _ rereadAs: String?,
        _ makePipeline: @escaping PipelineMaker
    ) -> Normaliser {
        guard pipeline.isRewindable else { return Normaliser(options: options) }
        return Normaliser(options: options) {
            do throws(TrackError) {
                let pipeline = try makePipeline(rereadAs)
                var filter = filter
                var scout = Scout(options: options)
                var hasMore = true
                while hasMore {
                    hasMore = try pipeline.advance()
                    pipeline.sink.takePoints(&filter) { point, _ in scout.accept(point) }
                }
                scout.finish()
                return scout.foresight
            } catch {
                // The reading that this one serves meets the same error in its turn.
                return nil
            }
        }
    }
}

extension NormaliserOutput {
    /// Writes the counts of the rules into a report.
    func fill(_ report: inout TrackReport) {
        report.fixes = fixCount
        report.untimed = untimed
        report.interpolated = interpolated
        report.duplicates = duplicates
        report.outOfOrder = outOfOrder
        report.dropped = dropped
        report.rejected += rejected
        report.discontinuities = discontinuities
        report.lengthMetres = length
        if first <= last {
            report.first = Timestamp(milliseconds: first)
            report.last = Timestamp(milliseconds: last)
            report.durationSeconds = Double(last - first) / 1000
        } else if countedFirst <= countedLast {
            report.durationSeconds = Double(countedLast - countedFirst) / 1000
        }
    }
}

extension TrackReport {
    /// Puts the diagnostics of several logs together, in the order of the file.
    mutating func setDiagnostics(_ logs: DiagnosticLog...) {
        let all = logs.flatMap(\.kept)
        let endings = all.count(where: \.endsReading)
        var room = max(0, DiagnosticLog.limit - endings)
        diagnostics = Array(
            all.enumerated()
                .sorted { left, right in
                    let (one, other) = (left.element, right.element)
                    return (one.line ?? Int.max, one.column ?? 0, left.offset)
                        < (other.line ?? Int.max, other.column ?? 0, right.offset)
                }
                .map(\.element)
                .filter { diagnostic in
                    if diagnostic.endsReading { return true }
                    room -= 1
                    return room >= 0
                }
                .prefix(DiagnosticLog.limit)
        )
        moreDiagnostics = logs.map(\.more).reduce(0, +) + all.count - diagnostics.count
    }
}
