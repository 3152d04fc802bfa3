extension TrackFormat {
    /// One JSON object a line: fixcast's own fixes, gpsd's TPV, OwnTracks, Traccar and W3C
    /// positions; also a saved body of Server-Sent Events, with features of GeoJSON in it too.
    static let ndjson = TrackFormat(
        name: "ndjson",
        title: "NDJSON",
        recognises: { prefix in
            let lines = prefix.bytes.split(maxSplits: 100) { $0 == 0x0A || $0 == 0x0D }
            let filled = lines.prefix(100).filter(CSVHandler.isContent)
            // gpsd says who it is before it passes on what a receiver says, in whatever format.
            let line = filled.first { !NDJSONHandler.isNews($0) } ?? filled.first ?? []
            let bytes = line.drop(while: Decimal.isSpace)
            if bytes.first == UInt8(ascii: "{") { return true }
            let fields = ["data:", "id:", "event:", "retry:", ":"]
            if fields.contains(where: { bytes.starts(with: $0.utf8) }) { return true }
            // Recorders put a time in front of the object.
            guard let brace = bytes.firstIndex(of: UInt8(ascii: "{")),
                brace < bytes.startIndex + 64
            else { return false }
            let content = bytes[(brace + 1)...].first { !Decimal.isSpace($0) }
            return content == UInt8(ascii: "\"")
                && bytes[..<brace].allSatisfy { $0 == 0x09 || $0 >= 0x20 && $0 < 0x7F }
        },
        makeParser: { sink, settings in LineTrackParser(NDJSONHandler(sink, settings)) }
    )
}

/// Takes lines: objects, or the fields of Server-Sent Events.
final class NDJSONHandler: LineHandler {
    private let sink: TrackSink
    private let record: FixRecord
    private var tokenizer = JSONTokenizer()

    /// The `data:` lines of the open event.
    private var data: [UInt8] = []
    private var dataPlace = Place.none
    private var isNamedEvent = false
    private var isOverlongEvent = false

    init(_ sink: TrackSink, _ settings: ParserSettings) {
        self.sink = sink
        record = FixRecord(sink, settings)
    }

    /// Whether a line is one of gpsd's that is no position, such as those of its greeting.
    static func isNews(_ line: ArraySlice<UInt8>) -> Bool {
        let beginning = "{\"class\":\""
        return line.starts(with: beginning.utf8)
            && !line.dropFirst(beginning.utf8.count).starts(with: "TPV\"".utf8)
    }

    func line(_ text: Span<UInt8>, _ number: Int) {
        var start = 0
        while start < text.count, Decimal.isSpace(text[start]) || text[start] == 0 { start += 1 }
        guard start < text.count else { return endEvent() }
        switch text[start] {
        case UInt8(ascii: "{"):
            parse(text, from: start, at: Place(line: number, column: 1))
        case UInt8(ascii: ":"), UInt8(ascii: "#"):
            break
        default:
            guard !takeField(text, from: start, number) else { return }
            if let brace = text.firstIndex(of: UInt8(ascii: "{"), from: start) {
                parse(text, from: brace, at: Place(line: number, column: 1))
            } else {
                sink.log.add(
                    .warning,
                    at: Place(line: number, column: start + 1),
                    "\(quote(text)) is no JSON object and not used"
                )
            }
        }
    }

    func overlongLine(_ number: Int) {
        isOverlongEvent = true
        sink.noteOverlongLine(number)
    }

    var isBetweenRecords: Bool { data.isEmpty && !isNamedEvent && !isOverlongEvent }
    var decisions: Int { record.isOfGPSD ? 1 : 0 }

    func finish(isCutOff: Bool) {
        // A body of events that was cut off has no blank line after its last one; when its JSON is
        // whole it is a fix all the same.
        endEvent()
        record.noteUnknownClasses()
    }

    private func takeField(_ text: Span<UInt8>, from start: Int, _ number: Int) -> Bool {
        guard let colon = text.firstIndex(of: UInt8(ascii: ":"), from: start) else { return false }
        let name = text.extracting(start..<colon)
        var value = colon + 1
        if value < text.count, text[value] == 0x20 { value += 1 }
        if name.isWord("data") {
            guard data.count + text.count <= LineSplitter.longestLine else {
                isOverlongEvent = true
                return true
            }
            if data.isEmpty {
                dataPlace = Place(line: number, column: value + 1)
            } else {
                data.append(0x0A)
            }
            for index in value..<text.count { data.append(text[index]) }
            return true
        }
        if name.isWord("event") {
            isNamedEvent =
                value < text.count && !text.extracting(value..<text.count).isWord("message")
            return true
        }
        return name.isWord("id") || name.isWord("retry")
    }

    /// Ends the open event, where what follows is no line of it.
    func endEvent() {
        let event = data
        if !event.isEmpty, !isNamedEvent, !isOverlongEvent {
            parse(event.span, from: 0, at: dataPlace)
        }
        data.removeAll(keepingCapacity: true)
        isNamedEvent = false
        isOverlongEvent = false
    }

    private func parse(_ text: Span<UInt8>, from start: Int, at place: Place) {
        record.begin(at: place)
        tokenizer.reset(at: Place(line: Int(place.line), column: Int(place.column) + start))
        do throws(JSONFault) {
            try tokenizer.feed(text.extracting(start..<text.count), to: record)
            try tokenizer.finish(record)
        } catch {
            let message = "the line is not JSON: \(error.message); it is not used"
            if record.namesPosition {
                sink.reject(at: error.place, message)
            } else {
                sink.log.add(.warning, at: error.place, message)
            }
            return
        }
        record.finish()
    }
}
