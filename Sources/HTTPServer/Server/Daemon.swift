import CHTTPShim

/// What became of bytes for a socket.
enum SendResult {
    case sent(Int)
    case wouldBlock
    case broken
}

/// A connection that the library serves.
///
/// Valid until its close has been notified; who holds one keeps to that by dropping it under the
/// lock that guards its use.
struct Connection: Sendable {
    private let address: UInt

    fileprivate init(_ pointer: OpaquePointer) {
        self.address = UInt(bitPattern: pointer)
    }

    private func withPointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        guard let pointer = unsafe OpaquePointer(bitPattern: address) else {
            preconditionFailure("a connection is made from a pointer that is not null")
        }
        return unsafe body(pointer)
    }

    /// Parks the connection; from the library's thread, in a callback for it.
    func suspend() {
        unsafe withPointer { unsafe chttp_suspend($0) }
    }

    /// Continues it, once after each ``suspend()``, from any thread.
    func resume() {
        unsafe withPointer { unsafe chttp_resume($0) }
    }

    /// Has the library give the connection up, whatever it waits for; with `reset`, what the client
    /// has not taken is thrown away.
    func shutDown(reset: Bool) {
        unsafe withPointer { unsafe chttp_break($0, reset) }
    }

    /// Writes to the socket of a suspended connection without waiting.
    func send(_ bytes: ArraySlice<UInt8>) -> SendResult {
        let count = unsafe withPointer { pointer in
            unsafe bytes.withUnsafeBytes { unsafe chttp_send(pointer, $0.baseAddress, $0.count) }
        }
        return switch count {
        case 0...: .sent(count)
        case -1: .wouldBlock
        default: .broken
        }
    }

    /// How many bytes that were written to a suspended connection the client has not acknowledged.
    var unacknowledgedCount: Int {
        unsafe withPointer { Int(unsafe chttp_unacknowledged($0)) }
    }

    /// Queues an answer of known length.
    ///
    /// False when the library does not take it.
    func respond(
        status: Int,
        headers: [(name: String, value: String)],
        bytes: SharedBytes
    ) -> Bool {
        let response = unsafe bytes.bytes.withUnsafeBufferPointer {
            unsafe chttp_response_bytes($0.baseAddress, $0.count)
        }
        return unsafe queue(response, status: status, headers: headers)
    }

    /// Queues the head of a stream's answer without its body.
    func respondHead(status: Int, headers: [(name: String, value: String)]) -> Bool {
        unsafe queue(chttp_response_stream_head(), status: status, headers: headers)
    }

    /// Queues an answer whose body is read from `stream`, which is kept until it is over.
    func respond(
        status: Int,
        headers: [(name: String, value: String)],
        stream: EventStream
    ) -> Bool {
        let retained = unsafe Unmanaged.passRetained(stream)
        let response = unsafe chttp_response_stream(
            retained.toOpaque(),
            { stream, _, bytes, capacity in
                guard let stream = unsafe stream, let bytes = unsafe bytes else { return -1 }
                let reader = unsafe Unmanaged<EventStream>.fromOpaque(stream).takeUnretainedValue()
                return unsafe copy(reader.read(maximum: capacity), to: bytes)
            },
            { stream in
                guard let stream = unsafe stream else { return }
                unsafe Unmanaged<EventStream>.fromOpaque(stream).release()
            }
        )
        // Only a response that exists releases the stream.
        if unsafe response == nil { unsafe retained.release() }
        return unsafe queue(response, status: status, headers: headers)
    }

    private func queue(
        _ response: OpaquePointer?,
        status: Int,
        headers: [(name: String, value: String)]
    ) -> Bool {
        guard let response = unsafe response else { return false }
        for header in headers {
            // A field that the library refuses, such as one with a line break, is left out.
            _ = unsafe chttp_response_add(response, header.name, header.value)
        }
        return unsafe withPointer { unsafe chttp_respond($0, UInt32(clamping: status), response) }
    }
}

private func copy(_ read: StreamRead, to bytes: UnsafeMutablePointer<CChar>) -> Int {
    switch read {
    case .suspended: return 0
    case .end: return -1
    case .pieces(let pieces):
        var position = 0
        for piece in pieces {
            unsafe piece.withUnsafeBytes { source in
                let target = unsafe UnsafeMutableRawBufferPointer(
                    start: bytes + position,
                    count: source.count
                )
                unsafe target.copyMemory(from: source)
            }
            position += piece.count
        }
        return position
    }
}

/// The C side of a server: listening sockets, the gate, and the library's daemons.
struct Daemon: Sendable {
    /// The bytes of a request's head that the gate looks at.
    static let headLimit = RequestHead.maximumHead
    /// The library's thread, and so the memory, that a request is given to.
    enum Pool {
        case small
        case medium
        case large
        /// For what must not wait for others; as large as a medium one.
        case reserved

        /// The smallest that a head whose parsing takes so many bytes fits into, with the answer.
        init(memory: Int, isReserved: Bool) {
            self =
                switch memory {
                case ...10_000 where isReserved: .reserved
                case ...2_300: .small
                case ...10_000: .medium
                default: .large
                }
        }
    }

    private let server: UInt
    private let context: UInt

    /// The HTTP library's version.
    static var libraryVersion: String {
        unsafe String(cString: chttp_library_version())
    }

    /// The time for the `Date` of an answer.
    static var date: String {
        var text = [CChar](repeating: 0, count: 40)
        unsafe chttp_date(&text, text.count)
        return string(text)
    }

    private static func string(_ text: [CChar]) -> String {
        String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Raises the limit of open descriptors as far as it goes.
    ///
    /// Returns the limit now in force.
    static func raiseDescriptorLimit() -> Int {
        Int(clamping: chttp_raise_descriptor_limit())
    }

    /// A server that calls `core`, which it keeps until ``free()``; nil when out of resources.
    ///
    /// It holds at most `waiting` connections without a complete head.
    init?(configuration: ServerConfiguration, waiting: Int, core: ServerCore) {
        let stall = configuration.stallTimeout.components.seconds
        var options = chttp_options(
            head_limit: Self.headLimit,
            waiting: waiting,
            head_timeout_ms: UInt32(clamping: configuration.headTimeout.milliseconds),
            stall_timeout_s: UInt32(
                clamping: configuration.stallTimeout > .zero ? max(1, stall) : 0
            ),
            small_pool: 4_096,
            medium_pool: 16_384,
            large_pool: 262_144,
            small_daemons: 0,
            connections: UInt32.max / 2,
            send_buffer: 32_768
        )
        let retained = unsafe Unmanaged.passRetained(core)
        var callbacks = unsafe Self.callbacks(context: retained.toOpaque())
        guard let server = unsafe chttp_server_create(&options, &callbacks) else {
            unsafe retained.release()
            return nil
        }
        self.server = UInt(bitPattern: server)
        self.context = unsafe UInt(bitPattern: retained.toOpaque())
    }

    private static func callbacks(context: UnsafeMutableRawPointer) -> chttp_callbacks {
        unsafe chttp_callbacks(
            context: context,
            on_head: { context, id, bytes, count, isHalfClosed, isSpare, reply in
                let head = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
                let judgement = unsafe core(context).judge(
                    id: id,
                    head: head,
                    isHalfClosed: isHalfClosed,
                    isSpare: isSpare
                )
                switch judgement {
                case .incomplete: return CHTTP_HEAD_INCOMPLETE
                case .accepted(.small): return CHTTP_HEAD_SMALL
                case .accepted(.medium): return CHTTP_HEAD_MEDIUM
                case .accepted(.large): return CHTTP_HEAD_LARGE
                case .accepted(.reserved): return CHTTP_HEAD_RESERVED
                case .refused(let answer):
                    let size = unsafe min(answer.count, reply.pointee.capacity)
                    for index in 0..<size { unsafe reply.pointee.bytes[index] = answer[index] }
                    unsafe reply.pointee.count = size
                    return CHTTP_HEAD_REFUSED
                }
            },
            on_peer: { context, id, event in
                let core = unsafe core(context)
                switch event {
                case CHTTP_PEER_HALF_CLOSED: core.peerHalfClosed(id: id)
                case CHTTP_PEER_WRITABLE: core.peerWritable(id: id)
                case CHTTP_PEER_TIMED_OUT: core.peerGone(id: id, reason: .stalled)
                default: core.peerGone(id: id, reason: .clientClosed)
                }
            },
            on_turn: { context in unsafe core(context).turn() },
            on_request: { context, id, connection in
                unsafe core(context).serve(id: id, connection: Connection(connection))
            },
            on_closed: { context, id, outcome in
                let reason: CloseReason
                switch outcome {
                case CHTTP_CLOSED_COMPLETED: reason = .ended
                case CHTTP_CLOSED_TIMEOUT: reason = .stalled
                case CHTTP_CLOSED_SHUTDOWN: reason = .drain
                default: reason = .clientClosed
                }
                unsafe core(context).closed(id: id, reason: reason)
            },
            on_log: { context, message in
                unsafe core(context).log(String(cString: message))
            }
        )
    }

    /// Binds a listening socket.
    ///
    /// Returns its numeric address with the port it got.
    func listen(_ address: ListenAddress) throws(ServerError) -> String {
        var text = [CChar](repeating: 0, count: 128)
        let code = unsafe chttp_server_listen(
            pointer,
            address.host,
            String(address.port),
            &text,
            text.count
        )
        guard code == 0 else {
            throw ServerError.cannotListen(
                address,
                code: code,
                reason: unsafe String(cString: chttp_listen_error(code))
            )
        }
        return Self.string(text)
    }

    /// Starts the threads.
    func start() throws(ServerError) {
        let code = unsafe chttp_server_start(pointer)
        guard code == 0 else {
            let reason = unsafe String(cString: chttp_listen_error(code))
            throw ServerError(message: "the HTTP server cannot start: \(reason)")
        }
    }

    /// Refuses connections from now on.
    func closeListeners() {
        unsafe chttp_server_close_listeners(pointer)
    }

    /// Has ``ServerCore/turn()`` called soon.
    func wake() {
        unsafe chttp_server_wake(pointer)
    }

    /// Ends and joins the gate's thread.
    func endGate() {
        unsafe chttp_server_end_gate(pointer)
    }

    /// Ends and joins the library's threads and frees everything; no connection may be suspended.
    func free() {
        unsafe chttp_server_free(pointer)
        guard let context = unsafe UnsafeRawPointer(bitPattern: context) else { return }
        unsafe Unmanaged<ServerCore>.fromOpaque(context).release()
    }

    private var pointer: OpaquePointer {
        guard let pointer = unsafe OpaquePointer(bitPattern: server) else {
            preconditionFailure("a daemon is made from a pointer that is not null")
        }
        return unsafe pointer
    }
}

private func core(_ context: UnsafeMutableRawPointer) -> ServerCore {
    unsafe Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
}

extension Duration {
    /// Whole milliseconds, rounded towards zero.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}

extension ServerError {
    fileprivate static func cannotListen(
        _ address: ListenAddress,
        code: Int32,
        reason: String
    ) -> ServerError {
        let place = "port \(address.port) on \(address.host)"
        switch code {
        case 98:
            return ServerError(
                message: "\(place) is in use; stop what listens there or choose another port"
            )
        case 13:
            return ServerError(message: "\(place) may not be used: \(reason); ports from 1024 may")
        default:
            return ServerError(message: "cannot listen on \(address): \(reason)")
        }
    }
}
