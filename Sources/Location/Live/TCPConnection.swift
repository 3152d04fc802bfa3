private import Glibc

/// A client's connection over TCP.
struct TCPConnection: ~Copyable {
    private let descriptor: Descriptor

    /// The number to wait for.
    var number: CInt { descriptor.number }

    /// Why there is no connection.
    enum Failure: Error, Equatable {
        /// In words, such as "connection refused".
        case because(String)
        /// Somebody has woken the thread that was to wait.
        case woken
    }

    /// Connects to the first address of a host that answers within `timeout`.
    ///
    /// Looking up the name may block for as long as the system's resolver does.
    static func open(
        host: String,
        port: UInt16,
        wakeUp: WakeUp,
        timeout: Duration
    ) throws(Failure) -> TCPConnection {
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let result = unsafe getaddrinfo(host, String(port), &hints, &list)
        guard result == 0, let first = unsafe list else {
            throw .because(unsafe String(cString: gai_strerror(result)).lowercasedFirst)
        }
        defer { unsafe freeaddrinfo(first) }
        var lastFailure = Failure.because("no address")
        var next: UnsafeMutablePointer<addrinfo>? = unsafe first
        while let address = unsafe next {
            do {
                return TCPConnection(
                    try unsafe connect(address.pointee, wakeUp: wakeUp, timeout: timeout)
                )
            } catch .woken {
                throw .woken
            } catch {
                lastFailure = error
            }
            unsafe next = address.pointee.ai_next
        }
        throw lastFailure
    }

    private init(_ descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    private static func connect(
        _ address: addrinfo,
        wakeUp: WakeUp,
        timeout: Duration
    ) throws(Failure) -> Descriptor {
        let number = unsafe socket(
            address.ai_family,
            address.ai_socktype | CInt(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue),
            address.ai_protocol
        )
        guard number >= 0 else { throw .because(SystemCall.Failure.last.reason) }
        let descriptor = Descriptor(owning: number)
        // A peer that has silently gone is noticed after about a minute.
        setOption(number, SOL_SOCKET, SO_KEEPALIVE, 1)
        setOption(number, CInt(IPPROTO_TCP), TCP_KEEPIDLE, 30)
        setOption(number, CInt(IPPROTO_TCP), TCP_KEEPINTVL, 10)
        setOption(number, CInt(IPPROTO_TCP), TCP_KEEPCNT, 3)
        let isConnected =
            unsafe Glibc.connect(number, address.ai_addr, address.ai_addrlen) == 0
        if isConnected { return descriptor }
        guard errno == EINPROGRESS else { throw .because(SystemCall.Failure.last.reason) }
        let reason: WakeUp.Reason
        do {
            reason = try wakeUp.wait(for: number, isWriting: true, timeout: timeout)
        } catch {
            throw .because(error.reason)
        }
        switch reason {
        case .woken: throw .woken
        case .timeout: throw .because("no answer within \(Int(timeout.seconds)) s")
        case .ready: break
        }
        var code: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        let isKnown = unsafe getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &length) == 0
        guard isKnown, code == 0 else {
            throw .because(SystemCall.Failure(code: code).reason)
        }
        return descriptor
    }

    private static func setOption(_ number: CInt, _ level: CInt, _ name: CInt, _ value: CInt) {
        var value = value
        let size = socklen_t(MemoryLayout<CInt>.size)
        _ = unsafe setsockopt(number, level, name, &value, size)
    }

    /// Sends a short text; false when the peer does not take it at once.
    func send(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        let count = unsafe bytes.withUnsafeBytes { buffer in
            unsafe Glibc.send(number, buffer.baseAddress, buffer.count, CInt(MSG_NOSIGNAL))
        }
        return count == bytes.count
    }

    /// Reads what has come; 0 when the peer has closed, nil when nothing is there yet.
    func read(into buffer: inout [UInt8]) throws(SystemCall.Failure) -> Int? {
        try descriptor.read(into: &buffer)
    }
}

extension String {
    /// The same text, its first letter small, for use within a sentence.
    var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
