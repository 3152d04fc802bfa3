extension TrackFormat {
    /// GeoJSON (RFC 7946): lines, with a time for each position or none, and points with a time.
    static let geojson = TrackFormat(
        name: "geojson",
        title: "GeoJSON",
        recognises: { GeoJSONProbe.look(at: $0.bytes) == .document },
        makeParser: { sink, settings in GeoJSONParser(sink, settings, isSequence: false) }
    )

    /// What a text sequence begins each text with.
    static let recordSeparator: UInt8 = 0x1E

    /// Features one after the other: GeoJSON text sequences (RFC 8142), or one a line.
    static let geojsonSequence = TrackFormat(
        name: "geojson-seq",
        title: "GeoJSON text sequences",
        recognises: {
            $0.bytes.first == TrackFormat.recordSeparator
                || GeoJSONProbe.look(at: $0.bytes) == .sequence
        },
        makeParser: { sink, settings in GeoJSONParser(sink, settings, isSequence: true) }
    )
}

/// Tells GeoJSON from other JSON by the members of the first object.
private final class GeoJSONProbe: JSONHandler {
    enum Finding {
        case none
        case document
        case sequence
    }

    private static let types = [
        "FeatureCollection", "Feature", "Point", "MultiPoint", "LineString", "MultiLineString",
        "Polygon", "MultiPolygon", "GeometryCollection",
    ]

    private var depth = 0
    private var isType = false
    private var isGeoJSON = false
    private var objects = 0

    static func look(at bytes: [UInt8]) -> Finding {
        guard bytes.first == UInt8(ascii: "{") else { return .none }
        let probe = GeoJSONProbe()
        var tokenizer = JSONTokenizer(allowsMany: true)
        do throws(JSONFault) {
            try tokenizer.feed(bytes.span, to: probe)
        } catch {
            // What comes before the fault is enough to tell.
        }
        guard probe.isGeoJSON else { return .none }
        return probe.objects > 1 ? .sequence : .document
    }

    func beginObject(at place: Place) {
        if depth == 0 { objects += 1 }
        depth += 1
    }
    func endObject(at place: Place) { depth -= 1 }
    func beginArray(at place: Place) { depth += 1 }
    func endArray(at place: Place) { depth -= 1 }
    func number(_ text: Span<UInt8>, at place: Place) {}
    func literal(_ literal: JSONLiteral, at place: Place) {}

    func key(_ name: Span<UInt8>, at place: Place) {
        guard depth == 1, objects == 1 else { return }
        isType = name.isWord("type")
        if name.isWord("features") || name.isWord("geometry") || name.isWord("coordinates") {
            isGeoJSON = true
        }
    }

    func string(_ text: Span<UInt8>, at place: Place) {
        guard depth == 1, objects == 1, isType, text.count < 20 else { return }
        let type = String(decoding: text.indices.map { text[$0] }, as: UTF8.self)
        if GeoJSONProbe.types.contains(type) { isGeoJSON = true }
    }
}

/// Feeds a handler from a document, or from many.
private final class GeoJSONParser: TrackParser {
    private let sink: TrackSink
    private let handler: GeoJSONHandler
    private let isSequence: Bool
    private var tokenizer: JSONTokenizer
    private var hasSeparators = false
    private var isSkipping = false
    private var hasStopped = false

    init(_ sink: TrackSink, _ settings: ParserSettings, isSequence: Bool) {
        self.sink = sink
        self.isSequence = isSequence
        handler = GeoJSONHandler(sink, settings)
        tokenizer = JSONTokenizer(allowsMany: isSequence)
    }

    func feed(_ chunk: Span<UInt8>) throws(TrackError) -> Int {
        handler.deliver()
        if handler.isPaused { return 0 }
        guard !hasStopped else { return chunk.count }
        var end = chunk.count
        if isSequence {
            if chunk[0] == TrackFormat.recordSeparator {
                beginText()
                return 1
            }
            end = chunk.firstIndex(of: TrackFormat.recordSeparator, from: 0) ?? end
            if isSkipping { return skip(chunk, end) }
        }
        do throws(JSONFault) {
            return try tokenizer.feed(chunk.extracting(0..<end), to: handler)
        } catch {
            return stop(error, chunk.count)
        }
    }

    func finish() throws(TrackError) -> Bool {
        handler.deliver()
        if handler.isPaused { return false }
        if !hasStopped {
            hasStopped = true
            if tokenizer.isInside {
                sink.log.add(
                    .warning,
                    at: tokenizer.place,
                    endsReading: true,
                    "the file ends too early, what it has until here is used"
                )
                handler.abandon()
                handler.deliver()
            }
        }
        if let failure = handler.failure { throw failure }
        if handler.isPaused { return false }
        handler.finish()
        return true
    }

    var rereadAs: String? { handler.rereadAs }

    private func stop(_ fault: JSONFault, _ length: Int) -> Int {
        if isSequence {
            sink.log.add(.warning, at: fault.place, "\(fault.message); this text is not used")
            handler.forget()
            isSkipping = true
            return tokenizer.recover()
        }
        sink.log.add(.error, at: fault.place, "\(fault.message), the rest is not read")
        hasStopped = true
        handler.abandon()
        return length
    }

    /// Passes over what is left of a text that is not JSON.
    private func skip(_ chunk: Span<UInt8>, _ end: Int) -> Int {
        let lineFeed = chunk.firstIndex(of: 0x0A, from: 0) ?? chunk.count
        if hasSeparators || lineFeed >= end {
            tokenizer.pass(chunk.extracting(0..<end))
            return end
        }
        isSkipping = false
        tokenizer.pass(chunk.extracting(0..<lineFeed + 1))
        return lineFeed + 1
    }

    private func beginText() {
        hasSeparators = true
        isSkipping = false
        if tokenizer.isInside {
            sink.log.add(.warning, at: tokenizer.place, "a text was cut off, and is not used")
            handler.forget()
        }
        tokenizer.passSeparator()
    }
}
