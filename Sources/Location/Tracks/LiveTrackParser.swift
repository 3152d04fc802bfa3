/// Parses what a receiver or another program is still writing: bytes in as they come, fixes out as
/// soon as they are complete.
///
/// The format is recognised by the first whole lines with which one begins; lines before them, such
/// as the rest of one that was half written, are reported and not used. There is no looking ahead:
/// a fix less than a minute out of order or with the time of the one before is left out, one that
/// goes back further, as after the clock was set, comes out as a discontinuity, one without a time
/// comes out at once with `recordedAt` nil, and nothing is interpolated. An NMEA epoch ends when
/// another begins, when it is as long as those before it, or with `flush`.
///
/// ## Thread safety
/// Not `Sendable`: use it from one thread at a time.
public final class LiveTrackParser {
    private let options: TrackOptions
    private let sink = TrackSink()
    private var normaliser: Normaliser
    private var log = DiagnosticLog()
    private var parser: (any TrackParser)?
    private var prefix: [UInt8] = []
    /// How many lines came before one by which the format was recognised.
    private var passedLines = 0

    /// How far the recognition looks from lines after the first.
    private static let reach = 4096
    private static let mostBlanks = 1 << 20

    /// The format, once it is recognised.
    public private(set) var format: String?

    /// Why nothing more is read: what comes is refused as a whole.
    public private(set) var failure: TrackError?

    /// A parser of input that has not begun.
    public init(options: TrackOptions = TrackOptions()) {
        self.options = options
        normaliser = Normaliser(options: options, isLive: true)
    }

    /// Takes the next bytes; the fixes that are complete with them.
    public func feed(_ bytes: [UInt8]) -> [TrackFix] {
        feed(bytes.span)
    }

    /// Takes the next bytes; the fixes that are complete with them.
    public func feed(_ bytes: Span<UInt8>) -> [TrackFix] {
        guard failure == nil else { return [] }
        guard parser == nil else { return parse(bytes) }
        for index in bytes.indices { prefix.append(bytes[index]) }
        return recognise()
    }

    /// The input has been quiet for a moment: the fix that is complete unless more comes.
    public func flush() -> [TrackFix] {
        parser?.flush()
        return takeFixes()
    }

    /// The input has ended; the fixes that waited for more.
    public func finish() -> [TrackFix] {
        var fixes: [TrackFix] = []
        if failure == nil {
            if parser == nil { fixes = recognise(isWhole: true) }
            do throws(TrackError) {
                while try parser?.finish() == false { fixes += takeFixes() }
            } catch {
                failure = error
            }
        }
        return fixes + takeFixes()
    }

    /// What was found so far.
    public var report: TrackReport {
        var report = TrackReport()
        report.format = format ?? ""
        report.tracks = sink.tracks
        report.segments = sink.segments
        report.points = sink.pointCount
        report.rejected = sink.rejected
        normaliser.output.fill(&report)
        report.setDiagnostics(sink.log, log)
        return report
    }

    private func recognise(isWhole: Bool = false) -> [TrackFix] {
        let isLong = prefix.count >= TrackFormat.prefixLength
        guard isWhole || isLong || prefix.contains(where: { $0 == 0x0A || $0 == 0x0D })
        else { return [] }
        var mark = 0
        var start = 0
        var format: TrackFormat?
        // Until the format is known, a line with which none begins is passed over. Only the
        // first attempt looks far ahead: in the others the next line tells.
        var reach = prefix.count
        var undecided: Int?
        while start < prefix.count, format == nil {
            let end = prefix[start...].firstIndex(of: 0x0A).map { $0 + 1 }
            guard start == 0 || end != nil || isWhole || isLong else { break }
            let beginning = FilePrefix(prefix[start...].prefix(reach))
            format = TrackFormat.recognise(beginning)
            mark = beginning.markLength
            reach = LiveTrackParser.reach
            guard format == nil, let end else { break }
            let first = beginning.bytes.first
            if first == UInt8(ascii: "<"), !isLong, !isWhole {
                // The root element of XML may come later.
                undecided = undecided ?? start
                break
            }
            if LiveTrackParser.isPreamble(prefix[start..<end]) {
                undecided = undecided ?? start
            } else {
                undecided = nil
            }
            start = end
        }
        pass(format == nil ? undecided ?? start : start)
        guard let format else {
            if isLong, prefix.count >= TrackFormat.prefixLength { prefix.removeAll() }
            return []
        }
        self.format = format.name
        let settings = ParserSettings(options: options, isRewindable: false, isLive: true)
        parser = format.makeParser(sink, settings)
        // Blank lines in place of those that were passed over keep the numbers of the others.
        var bytes = [UInt8](repeating: 0x0A, count: min(passedLines, LiveTrackParser.mostBlanks))
        bytes.append(contentsOf: prefix.dropFirst(mark))
        prefix = []
        return parse(bytes.span)
    }

    /// Whether a line may stand before the one that tells the format.
    private static func isPreamble(_ line: ArraySlice<UInt8>) -> Bool {
        !CSVHandler.isContent(line) || CSVHeader.separator(namedBy: line.dropLast()) != nil
    }

    /// Passes over what stands before `end`, and reports the lines in it.
    private func pass(_ end: Int) {
        var start = 0
        while start < end, let next = prefix[start..<end].firstIndex(of: 0x0A) {
            passedLines += 1
            if CSVHandler.isContent(prefix[start..<next]) {
                log.add(
                    .warning,
                    at: Place(line: passedLines, column: 1),
                    "the line begins none of the known formats and is not used"
                )
            }
            start = next + 1
        }
        prefix.removeFirst(end)
    }

    private func parse(_ bytes: Span<UInt8>) -> [TrackFix] {
        var fixes: [TrackFix] = []
        var used = 0
        do throws(TrackError) {
            while used < bytes.count, let parser {
                used += try parser.feed(bytes.extracting(used..<bytes.count))
                fixes += takeFixes()
            }
        } catch {
            failure = error
        }
        return fixes + takeFixes()
    }

    private func takeFixes() -> [TrackFix] {
        for point in sink.points { normaliser.accept(point, sink.devices, &log) }
        sink.points.removeAll(keepingCapacity: true)
        var fixes: [TrackFix] = []
        normaliser.takeFixes(into: &fixes)
        return fixes
    }
}
