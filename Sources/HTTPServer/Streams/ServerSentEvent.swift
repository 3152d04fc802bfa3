/// One event of a `text/event-stream` (WHATWG HTML §9.2), encoded so that no content can break it.
public struct ServerSentEvent: Sendable, Equatable {
    /// The `id`; nil: none, and the client keeps the last one.
    public var id: String?
    /// The event type; nil is an unnamed event, which `onmessage` gets.
    public var event: String?
    /// The data; nil: no event is dispatched.
    public var data: String?
    /// The reconnection time in milliseconds.
    public var retry: Int?

    /// An event of the given parts.
    public init(
        id: String? = nil,
        event: String? = nil,
        data: String? = nil,
        retry: Int? = nil
    ) {
        self.id = id
        self.event = event
        self.data = data
        self.retry = retry
    }

    /// The event as bytes, with the empty line that dispatches it.
    ///
    /// A line break in the data becomes one more `data` line, which the client joins with LF. In an
    /// id or a type no line break can be expressed, so it is left out there, as is NUL in an id,
    /// which would make the client ignore it.
    public var bytes: SharedBytes {
        var bytes: [UInt8] = []
        if let retry { bytes += "retry: \(max(0, retry))\n".utf8 }
        if let event { Self.append("event", event.utf8.filter { !Self.breaks($0) }, to: &bytes) }
        if let id {
            Self.append("id", id.utf8.filter { !Self.breaks($0) && $0 != 0 }, to: &bytes)
        }
        if let data { Self.append(data: data, to: &bytes) }
        bytes.append(Self.lineFeed)
        return SharedBytes(bytes)
    }

    /// A comment, which clients ignore; each line of the text is one.
    public static func comment(_ text: String) -> SharedBytes {
        var bytes: [UInt8] = []
        for line in lines(of: text) {
            bytes.append(UInt8(ascii: ":"))
            if !line.isEmpty { bytes.append(UInt8(ascii: " ")) }
            bytes += line
            bytes.append(lineFeed)
        }
        bytes.append(lineFeed)
        return SharedBytes(bytes)
    }

    private static let lineFeed = UInt8(ascii: "\n")

    private static func breaks(_ byte: UInt8) -> Bool {
        byte == 10 || byte == 13
    }

    private static func append(_ field: String, _ value: some Sequence<UInt8>, to: inout [UInt8]) {
        to += field.utf8
        to += ": ".utf8
        to += value
        to.append(lineFeed)
    }

    private static func append(data: String, to bytes: inout [UInt8]) {
        for line in lines(of: data) { append("data", line, to: &bytes) }
    }

    /// The lines of a text: CR LF, LF and CR each end one (WHATWG HTML §9.2.5).
    private static func lines(of text: String) -> [[UInt8]] {
        var lines: [[UInt8]] = [[]]
        var previous: UInt8 = 0
        for byte in text.utf8 {
            defer { previous = byte }
            switch byte {
            case 10 where previous == 13: break
            case 10, 13: lines.append([])
            default: lines[lines.count - 1].append(byte)
            }
        }
        return lines
    }
}
