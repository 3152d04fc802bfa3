/// Reads the lines of a live feed, each by what it begins with, whatever came first.
///
/// A feed may change: a receiver's sentences come after the greeting of what passes them on, or
/// after a program was changed for another. Lines that tell nothing go where the last one went.
final class LiveLines: LineHandler {
    /// What lines are.
    enum Kind: String {
        case nmea
        case ndjson
        case csv
    }

    private let sentences: NMEAHandler
    private let objects: NDJSONHandler
    private let rows: CSVHandler
    /// What the newest line was.
    private(set) var kind: Kind

    /// Readers of a feed that begins with a line of that kind; `headerLines` are the header of
    /// rows whose own file has none.
    init(_ sink: TrackSink, _ settings: ParserSettings, kind: Kind, headerLines: [[UInt8]]) {
        sentences = NMEAHandler(sink, settings)
        objects = NDJSONHandler(sink, settings)
        rows = CSVHandler(sink, settings)
        self.kind = kind
        for line in headerLines { rows.line(line.span, 0) }
    }

    /// Why the feed is refused.
    var error: TrackError? { kind == .csv ? rows.error : nil }

    /// The lines that the header of rows was read from, empty where there are no rows.
    var headerLines: [[UInt8]] { kind == .csv ? rows.headerLines : [] }

    /// What the newest line was handed to.
    private var current: any LineHandler {
        switch kind {
        case .nmea: sentences
        case .ndjson: objects
        case .csv: rows
        }
    }

    func line(_ text: Span<UInt8>, _ number: Int) {
        turn(to: kind(of: text))
        current.line(text, number)
    }

    func unterminatedLine(_ text: Span<UInt8>, _ number: Int) {
        turn(to: kind(of: text))
        current.unterminatedLine(text, number)
    }

    func overlongLine(_ number: Int) {
        current.overlongLine(number)
    }

    func flush() {
        current.flush()
    }

    func finish(isCutOff: Bool) {
        if kind == .csv { return rows.finish(isCutOff: isCutOff) }
        sentences.finish(isCutOff: isCutOff)
        objects.finish(isCutOff: isCutOff)
    }

    /// What a line is that cannot be one of a file of rows; nil where it may.
    static func kind(beginning text: Span<UInt8>) -> Kind? {
        let start = contentStart(text)
        guard start < text.count else { return nil }
        if text[start] == UInt8(ascii: "$") {
            return NMEASentence.begins(text, start) ? .nmea : nil
        }
        return beginsObject(text, start) ? .ndjson : nil
    }

    private func kind(of text: Span<UInt8>) -> Kind {
        if kind == .csv { return LiveLines.kind(beginning: text) ?? .csv }
        let start = LiveLines.contentStart(text)
        guard start < text.count else { return kind }
        switch text[start] {
        case UInt8(ascii: "$"), UInt8(ascii: "!"): return .nmea
        case UInt8(ascii: "{"): return .ndjson
        case UInt8(ascii: "#"), UInt8(ascii: ":"): return kind
        default: break
        }
        // Loggers put a time or a name in front.
        if NMEASentence.occurs(in: text) { return .nmea }
        if let brace = text.firstIndex(of: UInt8(ascii: "{"), from: start), brace < start + 64,
            LiveLines.beginsObject(text, brace)
        {
            return .ndjson
        }
        return kind
    }

    /// Ends what a line of another kind does not continue.
    private func turn(to next: Kind) {
        guard next != kind else { return }
        switch kind {
        case .nmea: sentences.flush()
        case .ndjson: objects.endEvent()
        case .csv: rows.finish(isCutOff: false)
        }
        kind = next
    }

    private static func contentStart(_ text: Span<UInt8>) -> Int {
        var start = 0
        while start < text.count,
            Decimal.isSpace(text[start]) || text[start] == 0
                || text[start] == TrackFormat.recordSeparator
        {
            start += 1
        }
        return start
    }

    /// Whether a brace and a quote stand at `start`, with nothing but blanks between.
    private static func beginsObject(_ text: Span<UInt8>, _ start: Int) -> Bool {
        guard text[start] == UInt8(ascii: "{") else { return false }
        var index = start + 1
        while index < text.count, Decimal.isSpace(text[index]) { index += 1 }
        return index < text.count && text[index] == UInt8(ascii: "\"")
    }
}
