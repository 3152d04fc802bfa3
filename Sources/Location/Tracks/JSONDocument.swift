/// What a file with JSON in it is where it is one document, which is not read by lines.
enum JSONDocument {
    /// An export of Google Timeline, in any of its shapes.
    case timeline
    /// One value over several lines, or an array.
    case other
    /// Program text around JSON.
    case script

    /// In a sentence.
    var title: String {
        switch self {
        case .timeline:
            "a Google Timeline export (gotoextr or location-history-json-converter makes GPX of it)"
        case .other: "JSON that is neither GeoJSON nor one object a line (NDJSON)"
        case .script: "JavaScript (take the JSON out)"
        }
    }

    private static let words = ["var", "let", "const", "window.", "export", "module."]

    /// What a file that begins with these bytes is; nil where it is no document.
    static func look(at bytes: [UInt8]) -> JSONDocument? {
        switch bytes.first {
        case UInt8(ascii: "{"), UInt8(ascii: "["): return JSONDocumentProbe.look(at: bytes)
        default: return isScript(bytes) ? .script : nil
        }
    }

    /// Whether it begins with a word of JavaScript and assigns something.
    private static func isScript(_ bytes: [UInt8]) -> Bool {
        let head = bytes.prefix(256)
        guard let word = words.first(where: { head.starts(with: $0.utf8) }) else { return false }
        let rest = head.dropFirst(word.utf8.count)
        guard word.hasSuffix(".") || rest.first.map(Decimal.isSpace) == true else { return false }
        let name = rest.prefix { $0 != UInt8(ascii: "{") && $0 != UInt8(ascii: "[") }
        return name.contains(UInt8(ascii: "=")) || name.contains { $0 == UInt8(ascii: "(") }
            || word == "export"
    }
}

/// Looks at the members that tell JSON documents apart, and where the first value ends.
private final class JSONDocumentProbe: JSONHandler {
    private var depth = 0
    private var values = 0
    private var isArray = false
    private var isTimeline = false
    private var hasLocations = false
    private var hasStartTime = false

    static func look(at bytes: [UInt8]) -> JSONDocument? {
        let probe = JSONDocumentProbe()
        var tokenizer = JSONTokenizer(allowsMany: true)
        let line = bytes.firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
        var isWholeAfterLine = true
        do throws(JSONFault) {
            try tokenizer.feed(bytes.span.extracting(0..<line), to: probe)
            isWholeAfterLine = line == bytes.count || !tokenizer.isInside
            try tokenizer.feed(bytes.span.extracting(line..<bytes.count), to: probe)
        } catch {
            // What is no JSON may be lines with some in them.
            return probe.isTimeline ? .timeline : nil
        }
        if probe.isTimeline { return .timeline }
        // A list in front of an object is how some logs begin their lines.
        if probe.isArray { return probe.values == 1 ? .other : nil }
        return isWholeAfterLine ? nil : .other
    }

    func beginObject(at place: Place) { begin() }
    func endObject(at place: Place) { depth -= 1 }
    func endArray(at place: Place) { depth -= 1 }
    func string(_ text: Span<UInt8>, at place: Place) {}
    func number(_ text: Span<UInt8>, at place: Place) {}
    func literal(_ literal: JSONLiteral, at place: Place) {}

    func beginArray(at place: Place) {
        if depth == 0, values == 0 { isArray = true }
        begin()
    }

    func key(_ name: Span<UInt8>, at place: Place) {
        switch depth {
        case 1:
            hasLocations = hasLocations || name.isWord("locations")
            isTimeline =
                isTimeline || name.isWord("semanticSegments") || name.isWord("timelineObjects")
                || name.isWord("rawSignals")
        case 2 where isArray:
            hasStartTime = hasStartTime || name.isWord("startTime")
            isTimeline =
                isTimeline || name.isWord("timelinePath")
                || hasStartTime && (name.isWord("visit") || name.isWord("activity"))
        case 3 where hasLocations:
            isTimeline = isTimeline || name.isWord("latitudeE7")
        default: break
        }
    }

    private func begin() {
        if depth == 0 { values += 1 }
        depth += 1
    }
}
