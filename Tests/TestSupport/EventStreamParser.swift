/// One dispatched event of a `text/event-stream`.
public struct ParsedEvent: Equatable, Sendable {
    /// The event type, `message` if there was none.
    public var type: String
    /// The data.
    public var data: String
    /// The last event id at the time.
    public var lastEventID: String

    /// An event.
    public init(type: String = "message", data: String, lastEventID: String = "") {
        self.type = type
        self.data = data
        self.lastEventID = lastEventID
    }
}

/// The interpretation of an event stream to the letter of WHATWG HTML §9.2.6, independent of the
/// code under test.
public struct EventStreamParser: Sendable {
    /// The events dispatched so far.
    public private(set) var events: [ParsedEvent] = []
    /// The comments so far, without the colon.
    public private(set) var comments: [String] = []
    /// The last reconnection time set, in milliseconds.
    public private(set) var reconnectionTime: Int?
    /// The last event id committed.
    public private(set) var lastEventID = ""

    private var line: [UInt8] = []
    private var isAfterCarriageReturn = false
    private var isFirstLine = true
    private var data = ""
    private var type = ""
    private var idBuffer = ""

    /// A parser at the start of a stream.
    public init() {}

    /// The events of a whole stream.
    public static func events(in bytes: [UInt8]) -> [ParsedEvent] {
        var parser = EventStreamParser()
        parser.feed(bytes)
        return parser.events
    }

    /// Reads on.
    public mutating func feed(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            defer { isAfterCarriageReturn = byte == 13 }
            switch byte {
            case 10 where isAfterCarriageReturn: break
            case 10, 13: endLine()
            default: line.append(byte)
            }
        }
    }

    private mutating func endLine() {
        if isFirstLine, line.starts(with: [0xef, 0xbb, 0xbf]) { line.removeFirst(3) }
        isFirstLine = false
        let text = String(decoding: line, as: UTF8.self)
        line = []
        if text.isEmpty {
            dispatch()
        } else if text.unicodeScalars.first == ":" {
            comments.append(String(String.UnicodeScalarView(text.unicodeScalars.dropFirst())))
        } else {
            let scalars = text.unicodeScalars
            guard let colon = scalars.firstIndex(of: ":") else {
                process(field: text, value: "")
                return
            }
            var value = scalars[scalars.index(after: colon)...]
            if value.first == " " { value.removeFirst() }
            process(field: String(scalars[..<colon]), value: String(value))
        }
    }

    private mutating func process(field: String, value: String) {
        switch field {
        case "event": type = value
        case "data": data += value + "\n"
        case "id": if !value.unicodeScalars.contains("\0") { idBuffer = value }
        case "retry":
            if !value.isEmpty, value.utf8.allSatisfy({ (48...57).contains($0) }) {
                reconnectionTime = Int(value)
            }
        default: break
        }
    }

    private mutating func dispatch() {
        lastEventID = idBuffer
        defer { (data, type) = ("", "") }
        guard !data.isEmpty else { return }
        if data.unicodeScalars.last == "\n" { data.unicodeScalars.removeLast() }
        events.append(
            ParsedEvent(
                type: type.isEmpty ? "message" : type,
                data: data,
                lastEventID: lastEventID
            )
        )
    }
}
