/// Parses what a receiver or another program is still writing: bytes in as they come, fixes out as
/// soon as they are complete.
///
/// The format is recognised by the first whole lines. There is no looking ahead: a fix out of order
/// or with the time of the one before is left out, one without a time comes out at once with
/// `recordedAt` nil, and nothing is interpolated. An NMEA epoch ends when another begins, when it
/// is as long as those before it, or with `flush`.
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
        guard isWhole || isLong || prefix.contains(0x0A) else { return [] }
        let start = FilePrefix(prefix[...])
        guard let format = TrackFormat.recognise(start) else {
            if isLong { prefix.removeAll() }
            return []
        }
        self.format = format.name
        let settings = ParserSettings(options: options, isRewindable: false, isLive: true)
        parser = format.makeParser(sink, settings)
        let bytes = Array(prefix.dropFirst(start.markLength))
        prefix = []
        return parse(bytes.span)
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
