/// One kind of track file: how it is recognised, and how it is parsed as a stream.
///
/// A new format is a file with such a value and a line in `documents` or `lines`.
struct TrackFormat: Sendable {
    /// How many bytes of a file `recognises` sees at most.
    static let prefixLength = 1 << 16

    /// All formats, in the order in which they are asked.
    static let registry = documents + lines

    private static let documents: [TrackFormat] = [.gpx, .kml, .geojson, .geojsonSequence]
    private static let lines: [TrackFormat] = [.ndjson, .csv, .nmea]

    /// The name in reports.
    let name: String
    /// The name in sentences.
    let title: String
    /// Whether a file that begins with these bytes is of this format, whatever its name.
    let recognises: @Sendable (borrowing FilePrefix) -> Bool
    /// A parser that puts what it reads into the sink.
    let makeParser: @Sendable (TrackSink, ParserSettings) -> any TrackParser

    /// The first format that claims the file.
    static func recognise(_ prefix: borrowing FilePrefix) -> TrackFormat? {
        for format in documents where format.recognises(prefix) { return format }
        for format in lines where format.recognises(prefix) {
            // Lines of a document look like lines of many.
            return JSONDocument.look(at: prefix.bytes) == nil ? format : nil
        }
        return nil
    }
}

/// What a parser is told besides the bytes.
struct ParserSettings {
    var options: TrackOptions
    /// Whether the file can be read again from the start.
    var isRewindable: Bool
    /// What `TrackParser.rereadAs` of the first reading asked for.
    var rereadAs: String?
    /// Whether fixes are wanted as soon as they are known, whatever may follow.
    var isLive = false
    /// The day on which the file was last written, where that is known.
    var modificationDate: CivilDate?
}

/// Parses one file, fed in chunks of any size.
protocol TrackParser: AnyObject {
    /// Parses the next bytes; only what makes the whole file unusable is thrown.
    ///
    /// How many bytes were used: fewer where so many points came of them that they should be taken
    /// away first.
    func feed(_ chunk: Span<UInt8>) throws(TrackError) -> Int
    /// Nothing follows for a while: what is complete without more comes out.
    func flush()
    /// The file has ended; false where points should be taken away and this called again.
    func finish() throws(TrackError) -> Bool
    /// After `finish`: why the file must be read once more, by a parser that is told this.
    var rereadAs: String? { get }
    /// The newest place known at which no record is open; nil in formats without such places.
    var boundary: RecordBoundary? { get }
}

/// A place in a file at which a record ends and another may begin.
struct RecordBoundary {
    /// How many bytes were fed before it.
    var offset: Int
    /// What those have decided about all that follow: where the number stays the same, records in
    /// between may be left out and the others are read alike.
    var decisions: Int
}

extension TrackParser {
    func flush() {}
    var rereadAs: String? { nil }
    var boundary: RecordBoundary? { nil }
}

/// The beginning of a file, for recognising its format.
struct FilePrefix: ~Copyable {
    /// Without a byte order mark and white space in front.
    let bytes: [UInt8]

    /// How many bytes of a mark of the byte order the file begins with.
    let markLength: Int

    /// The local name of the first element, where the file is XML.
    let rootElement: String?

    init(_ raw: ArraySlice<UInt8>) {
        var bytes = raw
        markLength = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        bytes = bytes.dropFirst(markLength)
        bytes = bytes.drop { Decimal.isSpace($0) }
        self.bytes = Array(bytes)
        rootElement = FilePrefix.rootElement(self.bytes)
    }

    /// Whether a file is UTF-16 and, if so, with the high byte first; nil for all others.
    static func utf16(_ raw: ArraySlice<UInt8>) -> Bool? {
        let bytes = raw.prefix(4)
        if bytes.starts(with: [0xFE, 0xFF]) { return true }
        if bytes.starts(with: [0xFF, 0xFE]) { return false }
        guard bytes.count == 4, let first = bytes.first else { return nil }
        // Without a mark: what begins a track is ASCII, whose high byte is 0.
        let zeros = bytes.map { $0 == 0 }
        if zeros == [true, false, true, false] { return true }
        return zeros == [false, true, false, true] && first < 0x80 ? false : nil
    }

    /// What the file is, where it is known to be no track that can be read.
    var foreignFormat: String? {
        if bytes.starts(with: "PK".utf8) { return "a ZIP archive (KMZ is one: take the KML out)" }
        if bytes.count > 12, bytes[8..<12].elementsEqual(".FIT".utf8) {
            return "a FIT file (gpsbabel makes GPX of it)"
        }
        if let document = JSONDocument.look(at: bytes) { return document.title }
        if rootElement == "TrainingCenterDatabase" { return "TCX (gpsbabel makes GPX of it)" }
        if rootElement == nil, bytes.first == UInt8(ascii: "<") {
            if FilePrefix.end(of: "<!DOCTYPE", in: bytes, from: 0) < bytes.count {
                return "XML with a document type declaration (DOCTYPE)"
            }
            // What is so long before the root element is a declaration or a comment.
            if bytes.count > TrackFormat.prefixLength / 2 {
                return "XML with no element in its first 64 KiB"
            }
        }
        return rootElement.map { "XML with the root element \"\($0.prefix(40))\"" }
    }

    private static func rootElement(_ bytes: [UInt8]) -> String? {
        guard bytes.first == UInt8(ascii: "<") else { return nil }
        var index = 0
        while index + 1 < bytes.count {
            guard bytes[index] == UInt8(ascii: "<") else {
                index += 1
                continue
            }
            let next = bytes[index + 1]
            if bytes[index...].starts(with: "<!--".utf8) {
                index = end(of: "-->", in: bytes, from: index)
            } else if next == UInt8(ascii: "?") {
                index = end(of: "?>", in: bytes, from: index)
            } else if next == UInt8(ascii: "!") {
                // A document type declaration: its own entities stand in brackets.
                let name = bytes[index...].prefix {
                    $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "[")
                }
                let hasSubset =
                    index + name.count < bytes.count
                    && bytes[index + name.count] == UInt8(ascii: "[")
                index = end(of: hasSubset ? "]" : ">", in: bytes, from: index)
            } else {
                let name = bytes[(index + 1)...].prefix {
                    !Decimal.isSpace($0) && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/")
                }
                let local = name.split(separator: UInt8(ascii: ":")).last ?? []
                return String(decoding: local, as: UTF8.self)
            }
        }
        return nil
    }

    private static func end(of mark: String, in bytes: [UInt8], from start: Int) -> Int {
        let mark = Array(mark.utf8)
        var index = start
        while index < bytes.count {
            if bytes[index...].starts(with: mark) { return index + mark.count }
            index += 1
        }
        return bytes.count
    }
}
