/// Parses what a receiver or another program is still writing: bytes in as they come, fixes out as
/// soon as they are complete.
///
/// The format is recognised by the first whole lines with which one begins; lines before them, such
/// as the rest of one that was half written, are reported and not used. There is no looking ahead:
/// a fix less than a minute out of order or with the time of the one before is left out, one that
/// goes back further, as after the clock was set, comes out as a discontinuity, one without a time
/// comes out at once with `recordedAt` nil, and nothing is interpolated. An NMEA epoch ends when
/// another begins, when it is as long as those before it, or with `flush`. Input that begins anew
/// gives of each device only what is newer than before, until it has caught up.
///
/// ## Thread safety
/// Not `Sendable`: use it from one thread at a time.
public final class LiveTrackParser {
    private let options: TrackOptions
    private let sink = TrackSink()
    private var normaliser: Normaliser
    private var log = DiagnosticLog()
    private var parser: (any TrackParser)?
    /// The same where the format is one of lines, which may change.
    private var lines: LiveLines?
    /// The header of rows in the feed before, for rows that begin without one.
    private var earlierHeader: [[UInt8]]
    private var prefix: [UInt8] = []
    /// How many lines came before one by which the format was recognised.
    private var passedLines = 0

    /// How far the recognition looks from lines after the first.
    private static let reach = 4096
    private static let mostBlanks = 1 << 20

    /// The format, once it is recognised; of lines that of the newest.
    public var format: String? { lines?.kind.rawValue ?? document }
    private var document: String?

    /// Why nothing more is read: what comes is refused as a whole.
    public private(set) var failure: TrackError?

    /// A parser of input that has not begun.
    public convenience init(options: TrackOptions = TrackOptions()) {
        self.init(options: options, headerLines: [])
    }

    /// A parser of input whose first rows may go on under the header of the input before.
    init(options: TrackOptions, headerLines: [[UInt8]]) {
        self.options = options
        earlierHeader = headerLines
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
        let fixes = parser == nil && failure == nil ? recognise(.quiet) : []
        parser?.flush()
        defer { normaliser.endCatchingUp() }
        return fixes + takeFixes()
    }

    /// What the input held when it began anew has been gone through, though it is never quiet.
    func endCatchingUp() {
        normaliser.endCatchingUp()
    }

    /// The input begins anew, as where a file is replaced or written over; the fixes that waited
    /// for more of what was there.
    ///
    /// It may repeat what it gave before. Until a device has a fix that is newer than all of them,
    /// or the input is quiet, its others are left out, however far back they go.
    public func beginAnew() -> [TrackFix] {
        let fixes = finish()
        earlierHeader = headerLines
        parser = nil
        lines = nil
        document = nil
        failure = nil
        prefix = []
        passedLines = 0
        normaliser.beginCatchingUp()
        return fixes
    }

    /// The input has ended; the fixes that waited for more.
    public func finish() -> [TrackFix] {
        var fixes: [TrackFix] = []
        if failure == nil {
            if parser == nil { fixes = recognise(.end) }
            do throws(TrackError) {
                while try parser?.finish() == false { fixes += takeFixes() }
            } catch {
                failure = error
            }
        }
        return fixes + takeFixes()
    }

    /// The lines that the header of the rows was read from; empty where the feed is not of rows.
    var headerLines: [[UInt8]] {
        guard let lines else { return parser == nil ? earlierHeader : [] }
        return lines.headerLines
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

    /// What may come after input whose format is not known yet.
    private enum Outlook {
        case more
        case quiet
        case end
    }

    private func recognise(_ outlook: Outlook = .more) -> [TrackFix] {
        let isLong = prefix.count >= TrackFormat.prefixLength
        let isWhole = outlook != .more || isLong
        guard isWhole || prefix.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return [] }
        var search = Search()
        while search.start < prefix.count, search.format == nil {
            guard look(&search, isWhole: isWhole) else { break }
        }
        // A document may be one line without an end; any other line is waited for.
        if outlook == .quiet, !search.isDocument { return [] }
        pass(search.format == nil ? search.undecided ?? search.start : search.start)
        guard let format = search.format else {
            if isLong, prefix.count >= TrackFormat.prefixLength { prefix.removeAll() }
            return []
        }
        let settings = ParserSettings(options: options, isRewindable: false, isLive: true)
        if let kind = LiveLines.Kind(rawValue: format.name) {
            let header = search.isRow ? earlierHeader : []
            let lines = LiveLines(sink, settings, kind: kind, headerLines: header)
            self.lines = lines
            parser = LineTrackParser(lines)
        } else {
            document = format.name
            parser = format.makeParser(sink, settings)
        }
        // Blank lines in place of those that were passed over keep the numbers of the others.
        var bytes = [UInt8](repeating: 0x0A, count: min(passedLines, LiveTrackParser.mostBlanks))
        bytes.append(contentsOf: prefix.dropFirst(search.mark))
        prefix = []
        return parse(bytes.span)
    }

    /// How far the recognition has come.
    private struct Search {
        var format: TrackFormat?
        var start = 0
        var mark = 0
        /// How far the next attempt looks: only the first looks far ahead, in the others the next
        /// line tells.
        var reach = Int.max
        /// From where on lines are kept, though none of the formats begins with them yet.
        var undecided: Int?
        /// Whether what is undecided may be the beginning of a document over several lines.
        var mayBeDocument = false
        /// Whether the line is a row without a header of its own.
        var isRow = false

        /// Whether the format is known, and is not one of lines.
        var isDocument: Bool {
            format.map { LiveLines.Kind(rawValue: $0.name) == nil } ?? false
        }
    }

    /// Looks at the next line; false where more must come first.
    private func look(_ search: inout Search, isWhole: Bool) -> Bool {
        let start = search.start
        let end = prefix[start...].firstIndex(of: 0x0A).map { $0 + 1 }
        guard start == 0 || end != nil || isWhole else { return false }
        let line = prefix[start..<(end ?? prefix.count)]
        if search.mayBeDocument {
            // Only what cannot be a line of a document ends the waiting for more of it.
            let text = Array(line)
            switch LiveLines.kind(beginning: text.span) {
            case .nmea: search.format = .nmea
            case .ndjson: search.format = .ndjson
            case .csv, nil: break
            }
            guard search.format == nil, let end else { return false }
            search.start = end
            return true
        }
        var bytes = prefix[start...].prefix(search.reach)
        let separated = bytes.drop(while: Decimal.isSpace)
        let hasSeparator = separated.first == TrackFormat.recordSeparator
        if hasSeparator { bytes = separated.dropFirst() }
        let beginning = FilePrefix(bytes)
        search.format = TrackFormat.recognise(beginning)
        search.mark = hasSeparator ? 0 : beginning.markLength
        search.reach = LiveTrackParser.reach
        if hasSeparator { lookBehindSeparator(&search, line) }
        if search.format == nil,
            CSVHandler.isRow(line.dropLast(end == nil ? 0 : 1), under: earlierHeader)
        {
            search.format = .csv
            search.isRow = true
        }
        guard search.format == nil, let end else { return false }
        let isMarkup = beginning.bytes.first == UInt8(ascii: "<")
        if !isWhole, isMarkup && beginning.rootElement == nil || search.mayBeDocument {
            // The root element of XML, or the members that tell GeoJSON, may come later.
            search.undecided = search.undecided ?? start
            search.mayBeDocument = true
        } else if LiveTrackParser.isPreamble(line) {
            search.undecided = search.undecided ?? start
        } else {
            search.undecided = nil
        }
        search.start = end
        return true
    }

    /// Decides what a line is that begins as a text of a sequence does.
    private func lookBehindSeparator(_ search: inout Search, _ line: ArraySlice<UInt8>) {
        switch search.format?.name {
        case TrackFormat.geojson.name: search.format = .geojsonSequence
        case TrackFormat.ndjson.name:
            let last = line.last { !Decimal.isSpace($0) }
            guard last == UInt8(ascii: "{") || last == UInt8(ascii: ",") else { return }
            search.format = nil
            search.mayBeDocument = true
        default: break
        }
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
