private import Glibc
internal import HTTPServer

/// One GET of a health resource, for `fixcast healthcheck` and so for a container's `HEALTHCHECK`,
/// whose image has no other client.
///
/// Speaks HTTP/1.0 over a socket of its own, waits at most `timeout` for every step, and reads no
/// more than the head of the answer. All use of client sockets is here.
public struct HealthCheck: Sendable {
    /// Why the resource is not healthy, or cannot be asked.
    public struct Failure: Error, Equatable, CustomStringConvertible, Sendable {
        /// One sentence.
        public let description: String
    }

    private let host: String
    private let port: String
    private let path: String
    private let timeout: Int

    /// Reads `http://HOST[:PORT][/PATH]`.
    ///
    /// - Throws: When the text is no such URL.
    public init(url: String, timeoutSeconds: Int = 2) throws(Failure) {
        let scheme = "http://"
        guard url.lowercased().hasPrefix(scheme) else {
            throw Failure(description: "'\(url)' is not a URL; expected http://HOST:PORT/PATH")
        }
        let rest = url.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let target = rest.dropFirst(authority.count)
        let (host, port) = Self.split(authority)
        guard !host.isEmpty, UInt16(port) != nil, url.utf8.allSatisfy({ $0 > 32 && $0 < 127 })
        else {
            throw Failure(description: "'\(url)' is not a URL; expected http://HOST:PORT/PATH")
        }
        self.host = String(host)
        self.port = String(port)
        self.path = target.hasPrefix("/") ? String(target) : "/" + target
        self.timeout = timeoutSeconds
    }

    /// The liveness of a service on this machine that was told to listen at `HOST:PORT`.
    ///
    /// - Throws: When the text is no such address.
    public init(listen text: String) throws(Failure) {
        guard let address = try? ListenAddress(parsing: text) else {
            throw Failure(
                description: "'\(text)' is no address; expected HOST:PORT, such as 127.0.0.1:8080"
            )
        }
        try self.init(url: "http://\(address.connectable)/livez")
    }

    private static func split(_ authority: Substring) -> (host: Substring, port: Substring) {
        if authority.first == "[", let end = authority.firstIndex(of: "]") {
            let host = authority[authority.index(after: authority.startIndex)..<end]
            let rest = authority[authority.index(after: end)...]
            return (host, rest.first == ":" ? rest.dropFirst() : rest.isEmpty ? "80" : "")
        }
        guard !authority.contains("["), !authority.contains("]") else { return ("", "") }
        guard let colon = authority.lastIndex(of: ":") else { return (authority, "80") }
        return (authority[..<colon], authority[authority.index(after: colon)...])
    }

    /// Asks once.
    ///
    /// - Throws: Unless the answer's status is 200.
    public func run() throws(Failure) {
        let socket = try connect()
        defer { close(socket) }
        let authority = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        let request = "GET \(path) HTTP/1.0\r\nHost: \(authority)\r\nAccept: */*\r\n\r\n"
        try send(Array(request.utf8), to: socket)
        let line = try statusLine(from: socket)
        let parts = line.split(separator: " ")
        guard parts.count >= 2, parts[0].hasPrefix("HTTP/") else {
            throw Failure(description: "http://\(authority)\(path) does not answer in HTTP")
        }
        guard parts[1] == "200" else {
            throw Failure(description: "http://\(authority)\(path) answers \(parts[1])")
        }
    }

    private func connect() throws(Failure) -> Int32 {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let status = unsafe getaddrinfo(host, port, &hints, &found)
        guard status == 0 else {
            let reason = unsafe String(cString: gai_strerror(status))
            throw Failure(description: "cannot find \(host): \(reason)")
        }
        defer { unsafe freeaddrinfo(found) }
        var reason = "no address"
        var next = unsafe found
        while let address = unsafe next {
            let descriptor = unsafe socket(
                address.pointee.ai_family,
                address.pointee.ai_socktype,
                address.pointee.ai_protocol
            )
            limitWaiting(on: descriptor)
            if unsafe Glibc.connect(
                descriptor,
                address.pointee.ai_addr,
                address.pointee.ai_addrlen
            ) == 0 {
                return descriptor
            }
            reason = unsafe String(cString: strerror(errno))
            close(descriptor)
            unsafe next = address.pointee.ai_next
        }
        throw Failure(description: "cannot connect to \(host) port \(port): \(reason)")
    }

    /// On Linux the send timeout bounds `connect` too.
    private func limitWaiting(on descriptor: Int32) {
        var limit = timeval(tv_sec: timeout, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    }

    private func send(_ bytes: [UInt8], to descriptor: Int32) throws(Failure) {
        let count = unsafe bytes.withUnsafeBytes { buffer in
            unsafe Glibc.send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
        }
        guard count == bytes.count else {
            throw Failure(description: "\(host) port \(port) closed the connection")
        }
    }

    private func statusLine(from descriptor: Int32) throws(Failure) -> String {
        var head: [UInt8] = []
        while head.count < 1024, !head.contains(UInt8(ascii: "\n")) {
            var chunk = [UInt8](repeating: 0, count: 256)
            let count = unsafe chunk.withUnsafeMutableBytes { buffer in
                unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw Failure(
                    description: "\(host) port \(port) did not answer within \(timeout) s"
                )
            }
            head += chunk.prefix(count)
        }
        return String(decoding: head.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
