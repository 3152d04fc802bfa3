/// What a ``Server`` is told at its start.
public struct ServerConfiguration: Sendable {
    /// Where to listen; at least one address, at most 16.
    public var listen: [ListenAddress]
    /// How long a stream is silent before its heartbeat is sent; zero: never.
    public var heartbeat: Duration
    /// How long a client may take no byte, or acknowledge none, before it is given up.
    public var stallTimeout: Duration
    /// A stream ends at a random moment of the last fifth of this; zero: never.
    public var maximumStreamAge: Duration
    /// How many streams the application allows itself; the server adds ``headroom``.
    public var maximumStreams: Int
    /// How many connections may exist beyond the streams, for finite requests.
    public var headroom: Int
    /// How many connections may be without a complete request, if descriptors allow so many; for
    /// one more the oldest is closed.
    public var maximumWaiting: Int
    /// How many bytes of finite answers may wait for their clients to read them; answers beyond are
    /// replaced by a problem of status 503.
    public var maximumAnswerBytes: Int
    /// The paths that are answered when every connection is taken, on a thread of their own: 64
    /// connections more are kept for them.
    public var reservedPaths: Set<String>
    /// The finite answer to a request that finds every connection taken; nil: a problem of status
    /// 503.
    ///
    /// Called on the thread that serves all sockets; must return at once. The answer gets none of
    /// ``commonHeaders``; a body of more than some KiB is cut off.
    public var overload: @Sendable (Request) -> Response?
    /// How long a client has to send the head of its request.
    public var headTimeout: Duration
    /// Header fields of the answers that the server gives on its own, before routing, to a request
    /// with that `Origin`.
    public var commonHeaders: @Sendable (_ origin: String?) -> [(name: String, value: String)]

    /// The defaults, on the given addresses.
    public init(listen: [ListenAddress]) {
        self.listen = listen
        self.heartbeat = .seconds(15)
        self.stallTimeout = .seconds(30)
        self.maximumStreamAge = .zero
        self.maximumStreams = 10_000
        self.headroom = 512
        self.maximumWaiting = 65_536
        self.maximumAnswerBytes = 64 << 20
        self.reservedPaths = []
        self.overload = { _ in nil }
        self.headTimeout = .seconds(10)
        self.commonHeaders = { _ in [] }
    }
}
