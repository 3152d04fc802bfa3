/// One kind of track file: how it is recognised, and how it is parsed as a stream.
///
/// A new format is a file with such a value and a line in `registry`.
struct TrackFormat: Sendable {
    /// How many bytes of a file `recognises` sees at most.
    static let prefixLength = 1 << 16

    /// All formats, in the order in which they are asked.
    static let registry: [TrackFormat] = [.gpx, .ndjson, .csv, .nmea]

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
        for format in registry where format.recognises(prefix) { return format }
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
    func feed(_ chunk: Span<UInt8>) throws(TrackError)
    /// Nothing follows for a while: what is complete without more comes out.
    func flush()
    /// The file has ended.
    func finish() throws(TrackError)
    /// After `finish`: why the file must be read once more, by a parser that is told this.
    var rereadAs: String? { get }
}

extension TrackParser {
    func flush() {}
    var rereadAs: String? { nil }
}

/// The beginning of a file, for recognising its format.
struct FilePrefix: ~Copyable {
    /// Without a byte order mark and white space in front; UTF-16 brought to ASCII.
    let bytes: [UInt8]

    /// Whether the file ends within the prefix.
    let isWhole: Bool

    /// The local name of the first element, where the file is XML.
    let rootElement: String?

    init(_ raw: ArraySlice<UInt8>, isWhole: Bool) {
        var bytes = raw
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
            || bytes.starts(with: [0, 0x3C]) || bytes.starts(with: [0x3C, 0])
        {
            bytes = ArraySlice(bytes.filter { $0 != 0 && $0 < 0x80 })
        }
        bytes = bytes.drop { Decimal.isSpace($0) }
        self.bytes = Array(bytes)
        self.isWhole = isWhole
        rootElement = FilePrefix.rootElement(self.bytes)
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
