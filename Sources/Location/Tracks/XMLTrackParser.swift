/// What the handlers of XML formats have in common: a sink and the text of the newest value.
class XMLTrackHandler: XMLHandler {
    /// Longer values than this are cut off: no time or name is longer.
    static let longestValue = 1024

    final let sink: TrackSink
    /// The text of the element whose value is collected.
    final var text: [UInt8] = []
    /// After `finish`: why the file must be read again.
    final var rereadAs: String?

    init(sink: TrackSink) {
        self.sink = sink
    }

    /// Whether a point has begun and not ended.
    var hasOpenPoint: Bool { false }

    /// Collects what follows as a value.
    final func beginText() {
        text.removeAll(keepingCapacity: true)
        wantsText = true
    }

    /// Collects no longer.
    final func endText() {
        wantsText = false
    }

    override func text(_ piece: Span<UInt8>) {
        guard text.count + piece.count <= XMLTrackHandler.longestValue else { return }
        for index in piece.indices { text.append(piece[index]) }
    }

    /// The document has ended, in order or not.
    func finish() {}
}

/// Feeds a handler from expat, and makes diagnostics of what stops expat.
final class XMLTrackParser: TrackParser {
    private let handler: XMLTrackHandler
    private let sink: TrackSink
    private let expat: ExpatParser
    private var hasBegun = false
    private var hasStopped = false

    init(handler: XMLTrackHandler, sink: TrackSink, vocabulary: [String]) {
        self.handler = handler
        self.sink = sink
        expat = ExpatParser(vocabulary: vocabulary, handler: handler)
    }

    var rereadAs: String? { handler.rereadAs }

    func feed(_ chunk: Span<UInt8>) throws(TrackError) {
        guard !hasStopped else { return }
        try parse(chunk, isLast: false)
    }

    func finish() throws(TrackError) {
        if !hasStopped { try parse([UInt8]().span, isLast: true) }
        handler.finish()
    }

    private func parse(_ chunk: Span<UInt8>, isLast: Bool) throws(TrackError) {
        do throws(XMLFault) {
            try expat.feed(chunk, isLast: isLast)
        } catch {
            hasStopped = true
            switch error.kind {
            case .doctype:
                throw TrackError(
                    message: "has a document type declaration (DOCTYPE), which is refused: "
                        + "no track needs one",
                    line: Int(error.place.line),
                    column: Int(error.place.column)
                )
            case .excessive(let reason):
                sink.log.add(.error, at: error.place, "\(reason), the rest is not read")
            case .truncated:
                sink.log.add(
                    .warning,
                    at: error.place,
                    "the file ends too early, what it has until here is used"
                )
            case .malformed(let reason):
                sink.log.add(.error, at: error.place, "\(reason), the rest is not read")
            }
        }
    }
}

/// A text from a file for a message: at most 40 characters, what is no character replaced.
func quote(_ text: Span<UInt8>) -> String {
    var bytes: [UInt8] = []
    for index in 0..<min(text.count, 40) {
        let byte = text[index]
        bytes.append(byte < 0x20 || byte == 0x7F ? UInt8(ascii: " ") : byte)
    }
    let suffix = text.count > 40 ? "…" : ""
    return "\"" + String(decoding: bytes, as: UTF8.self) + suffix + "\""
}
