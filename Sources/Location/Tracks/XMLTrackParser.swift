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

    override func unknownEncoding(_ name: String) {
        let name = Array(name.utf8)
        sink.log.add(
            .warning,
            at: place,
            "the encoding \(quote(name.span)) is not known, the bytes are read as Latin-1"
        )
    }

    /// The document has ended, in order or not.
    func finish() {}
}

/// Feeds a handler from expat, and makes diagnostics of what stops expat.
final class XMLTrackParser: TrackParser {
    private let handler: XMLTrackHandler
    private let sink: TrackSink
    private let expat: ExpatParser
    private var hasStopped = false
    /// What is read of the document before its encoding is known; nil after that.
    private var prologue: [UInt8]? = []
    /// Nil where the document says that it is not in UTF-8.
    private var repair: UTF8Repair? = UTF8Repair()
    /// How many bytes were read before the reading stopped.
    private var readLength = Int.max

    init(handler: XMLTrackHandler, sink: TrackSink, vocabulary: [String]) {
        self.handler = handler
        self.sink = sink
        expat = ExpatParser(vocabulary: vocabulary, handler: handler)
    }

    var rereadAs: String? { handler.rereadAs }

    func feed(_ chunk: Span<UInt8>) throws(TrackError) -> Int {
        guard !hasStopped else { return chunk.count }
        guard prologue != nil else {
            try repairAndParse(chunk, isLast: false)
            return chunk.count
        }
        for index in chunk.indices { prologue?.append(chunk[index]) }
        if let prologue, XMLPrologue.isComplete(prologue) { try parseStart(prologue) }
        return chunk.count
    }

    func finish() throws(TrackError) -> Bool {
        if let prologue, !hasStopped { try parseStart(prologue) }
        if !hasStopped { try repairAndParse([UInt8]().span, isLast: true) }
        if let first = repair?.firstRepaired, first < readLength {
            sink.log.add(
                .note,
                at: .none,
                "the file has bytes that are no UTF-8 and names no other encoding; "
                    + "they are read as \"?\""
            )
        }
        handler.finish()
        return true
    }

    private func parseStart(_ bytes: [UInt8]) throws(TrackError) {
        prologue = nil
        let start = XMLPrologue(bytes)
        if !start.isUTF8 { repair = nil }
        try repairAndParse(start.bytes.span, isLast: false)
    }

    private func repairAndParse(_ chunk: Span<UInt8>, isLast: Bool) throws(TrackError) {
        guard let bytes = repair?.repair(chunk, isLast: isLast) else {
            return try parse(chunk, isLast: isLast)
        }
        try parse(bytes.span, isLast: isLast)
    }

    private func parse(_ chunk: Span<UInt8>, isLast: Bool) throws(TrackError) {
        do throws(XMLFault) {
            try expat.feed(chunk, isLast: isLast)
        } catch {
            hasStopped = true
            readLength = error.offset
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
                    endsReading: true,
                    "the file ends too early, what it has until here is used"
                )
            case .malformed(let reason):
                sink.log.add(.error, at: error.place, "\(reason), the rest is not read")
            }
        }
    }
}

/// What stands at the start of an XML document.
private struct XMLPrologue {
    /// How much of a document is looked at: no declaration is longer.
    private static let longest = 1024

    /// Whether no other encoding is declared.
    let isUTF8: Bool
    /// The bytes, with the declaration blanked out where it would be refused: white space before it
    /// is met, though not allowed.
    let bytes: [UInt8]

    /// Whether so much of a document is enough to know of its declaration.
    ///
    /// Whatever more of it comes, `init` would find the same: it makes no difference in what chunks
    /// a document is read.
    static func isComplete(_ bytes: [UInt8]) -> Bool {
        let start = start(of: bytes)
        return bytes.count >= longest
            || (start.count >= 5
                && (!start.starts(with: "<?xml".utf8) || start.contains(UInt8(ascii: ">"))))
    }

    /// What a declaration would begin, after a byte order mark and white space.
    private static func start(of bytes: [UInt8]) -> ArraySlice<UInt8> {
        let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        return bytes.prefix(longest).dropFirst(hasMark ? 3 : 0).drop { Decimal.isSpace($0) }
    }

    init(_ raw: [UInt8]) {
        var bytes = raw
        let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        let start = Self.start(of: bytes)
        guard start.starts(with: "<?xml".utf8), let end = start.firstIndex(of: UInt8(ascii: ">"))
        else {
            isUTF8 = true
            self.bytes = bytes
            return
        }
        let declaration = String(decoding: bytes[start.startIndex...end], as: UTF8.self)
            .lowercased()
        isUTF8 =
            !declaration.contains("encoding")
            || ["utf-8", "utf8", "utf-16"].contains { declaration.contains($0) }
        // What came as UTF-16 has been brought to UTF-8 before.
        if start.startIndex > (hasMark ? 3 : 0) || declaration.contains("utf-16") {
            for index in start.startIndex...end where !Decimal.isSpace(bytes[index]) {
                bytes[index] = 0x20
            }
        }
        self.bytes = bytes
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
