public import Reactive

/// An answer: status, header fields and body.
///
/// `Date`, `Connection` and the framing (`Content-Length`, `Transfer-Encoding`) are added when it
/// is sent and must not be among the fields.
public struct Response: Sendable {
    /// What follows the head.
    public enum Body: Sendable {
        /// Nothing.
        case empty
        /// Bytes of known length.
        case bytes(SharedBytes)
        /// So many bytes, made only if they may be sent: a large answer to one of many clients that
        /// do not read costs nothing.
        case made(count: Int, @Sendable () -> SharedBytes)
        /// Bytes as they come, until an orderly end or the client leaves.
        case stream(StreamBody)
    }

    /// The status code, 200 to 599.
    public var status: Int
    /// The header fields, in order.
    public var headers: [(name: String, value: String)]
    /// What follows the head.
    public var body: Body

    /// An answer.
    public init(
        status: Int = 200,
        headers: [(name: String, value: String)] = [],
        body: Body = .empty
    ) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// An answer with a text of the given media type.
    public init(status: Int = 200, contentType: String, text: String) {
        self.init(
            status: status,
            headers: [("Content-Type", contentType)],
            body: .bytes(SharedBytes(text))
        )
    }
}

extension Response.Body {
    /// How many bytes it has, at least about; 0 for a stream, whose length nobody knows.
    var count: Int {
        switch self {
        case .empty, .stream: 0
        case .bytes(let bytes): bytes.count
        case .made(let count, _): count
        }
    }

    /// Its bytes, which are made now if they were not; none for a stream.
    var bytes: SharedBytes {
        switch self {
        case .empty, .stream: SharedBytes([])
        case .bytes(let bytes): bytes
        case .made(_, let make): make()
        }
    }
}

/// The body of a streaming response, and what becomes of it over time.
public struct StreamBody: Sendable {
    /// What happens to an item that finds the queue full.
    public enum Overflow: Sendable {
        /// The queue is replaced by the newest item of each key; `gap` makes the bytes that tell
        /// the client how many were lost, and they go first.
        ///
        /// Where one that was lost began something, `beginning` makes the bytes of the newest one
        /// say that it does.
        case skip(
            gap: @Sendable (_ skipped: Int) -> SharedBytes,
            beginning: @Sendable (_ item: SharedBytes) -> SharedBytes = { $0 }
        )
        /// The stream ends with its farewell.
        case close
    }

    /// Sent with the headers, at once.
    public var preamble: SharedBytes
    /// How many items may wait.
    public var capacity: Int
    /// What happens beyond that.
    public var overflow: Overflow
    /// Sent after ``ServerConfiguration/heartbeat`` without traffic; nil: nothing.
    public var heartbeat: SharedBytes?
    /// The last bytes of an orderly end that the server decides on its own; not asked for `.ended`.
    public var farewell: @Sendable (CloseReason) -> SharedBytes?
    /// Called once, when the response has been queued, on a thread of the server's; should return
    /// soon.
    ///
    /// The result is disposed as soon as the stream takes no more items, whatever the reason.
    public var open: @Sendable (EventStream) -> any Disposable

    /// A body; what is left out is a queue of 64 items that ends when full, without heartbeat.
    public init(
        preamble: SharedBytes = SharedBytes([]),
        capacity: Int = 64,
        overflow: Overflow = .close,
        heartbeat: SharedBytes? = nil,
        farewell: @escaping @Sendable (CloseReason) -> SharedBytes? = { _ in nil },
        open: @escaping @Sendable (EventStream) -> any Disposable
    ) {
        self.preamble = preamble
        self.capacity = max(1, capacity)
        self.overflow = overflow
        self.heartbeat = heartbeat
        self.farewell = farewell
        self.open = open
    }
}
