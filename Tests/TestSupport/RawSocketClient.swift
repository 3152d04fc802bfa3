import Glibc

/// A client on a real loopback socket, which can misbehave: half-close, reset, read slowly.
///
/// Every wait has a bound, so that a server that hangs fails the test. Not thread-safe.
public final class RawSocketClient {
    /// Why a step of a client failed.
    public enum Failure: Error, Equatable {
        /// A call of the system's failed.
        case system(String, code: Int32)
        /// Nothing came in time.
        case timeout
        /// The server broke the connection with RST.
        case reset
        /// The connection ended before what was waited for.
        case ended
        /// What came is no HTTP.
        case malformed(String)
    }

    /// How long each wait may last, in milliseconds.
    public static let patience: Int32 = 20_000

    private var descriptor: Int32
    private var buffer: ArraySlice<UInt8> = []

    /// Connects to a port of 127.0.0.1; `receiveBuffer` bounds what the kernel takes unread.
    public init(port: Int, receiveBuffer: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | 0o2_000_000, 0)
        guard descriptor >= 0 else { throw Failure.system("socket", code: errno) }
        if let receiveBuffer {
            var size = receiveBuffer
            _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(truncatingIfNeeded: port)).bigEndian
        address.sin_addr = in_addr(s_addr: UInt32(0x7f00_0001).bigEndian)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let code = errno
            close()
            throw Failure.system("connect", code: code)
        }
    }

    deinit {
        close()
    }

    /// The port of a URL such as `http://127.0.0.1:8080`.
    public static func port(of url: String) -> Int {
        url.split(separator: ":").last.flatMap { Int($0) } ?? 0
    }

    /// Sends all bytes.
    public func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw errno == ECONNRESET || errno == EPIPE
                    ? Failure.reset : Failure.system("send", code: errno)
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends a text.
    public func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    /// Sends a GET request with a `Host` and more header lines.
    public func get(_ target: String, headers: [String] = []) throws {
        let lines = ["GET \(target) HTTP/1.1", "Host: localhost"] + headers
        try send(lines.map { $0 + "\r\n" }.joined() + "\r\n")
    }

    /// Says that nothing more will be sent.
    public func halfClose() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Closes in order.
    public func close() {
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
    }

    /// Closes with RST.
    public func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        let size = socklen_t(MemoryLayout<linger>.size)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, size)
        close()
    }

    /// The next bytes, at least one; nil at the end.
    public func receive(maximum: Int = 65_536, within: Int32 = patience) throws -> [UInt8]? {
        if buffer.isEmpty { return try receiveFresh(maximum: maximum, within: within) }
        return take(min(maximum, buffer.count))
    }

    /// Whether anything comes, the end included, in so many milliseconds.
    public func isReadable(within milliseconds: Int32) -> Bool {
        if !buffer.isEmpty { return true }
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, milliseconds) > 0
    }

    /// The bytes up to the end of the connection.
    public func receiveToEnd() throws -> [UInt8] {
        while try fill() {}
        return take(buffer.count)
    }

    /// The bytes up to and with the first occurrence of `text`.
    public func receive(through text: String) throws -> [UInt8] {
        let mark = Array(text.utf8)
        var searched = buffer.startIndex
        while true {
            if let end = buffer.end(of: mark, from: searched) {
                return take(end - buffer.startIndex)
            }
            searched = max(buffer.startIndex, buffer.endIndex - mark.count)
            guard try fill() else { throw Failure.ended }
        }
    }

    /// The head of a response.
    public func receiveHead() throws -> ResponseHead {
        try ResponseHead(receive(through: "\r\n\r\n"))
    }

    /// The next chunk of a chunked body; nil after the last one.
    public func receiveChunk() throws -> [UInt8]? {
        let line = String(decoding: try receive(through: "\r\n").dropLast(2), as: UTF8.self)
        guard let size = Int(line, radix: 16), size >= 0 else {
            throw Failure.malformed("'\(line)' is not the size of a chunk")
        }
        while buffer.count < size + 2 {
            guard try fill() else { throw Failure.ended }
        }
        let chunk = take(size)
        guard take(2) == [13, 10] else {
            throw Failure.malformed("a chunk does not end with CR LF")
        }
        return size == 0 ? nil : chunk
    }

    /// All chunks up to the last one, joined.
    public func receiveChunks() throws -> [UInt8] {
        var body: [UInt8] = []
        while let chunk = try receiveChunk() { body += chunk }
        return body
    }

    /// Chunks until their text holds `text`; all of it.
    public func receiveChunks(through text: String) throws -> String {
        let mark = Array(text.utf8)
        var body: [UInt8] = []
        while true {
            let searched = max(0, body.count - mark.count)
            guard let chunk = try receiveChunk() else { throw Failure.ended }
            body += chunk
            if body[...].end(of: mark, from: searched) != nil {
                return String(decoding: body, as: UTF8.self)
            }
        }
    }

    private func take(_ count: Int) -> [UInt8] {
        defer {
            buffer = buffer.dropFirst(count)
            if buffer.isEmpty { buffer = [] }
        }
        return Array(buffer.prefix(count))
    }

    /// Adds what comes next to the buffer; false at the end.
    private func fill() throws -> Bool {
        guard let bytes = try receiveFresh(maximum: 65_536, within: Self.patience) else {
            return false
        }
        buffer += bytes
        return true
    }

    private func receiveFresh(maximum: Int, within milliseconds: Int32) throws -> [UInt8]? {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let ready = unsafe poll(&entry, 1, milliseconds)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { throw Failure.timeout }
            break
        }
        var bytes = [UInt8](repeating: 0, count: maximum)
        let count = unsafe bytes.withUnsafeMutableBytes {
            unsafe recv(descriptor, $0.baseAddress, $0.count, 0)
        }
        guard count >= 0 else {
            throw errno == ECONNRESET ? Failure.reset : Failure.system("recv", code: errno)
        }
        return count == 0 ? nil : Array(bytes[..<count])
    }
}

/// The status line and the fields of a response.
public struct ResponseHead {
    /// The status code.
    public let status: Int
    /// The fields in order, names in lower case.
    public let fields: [(name: String, value: String)]

    /// Reads a head with its final empty line.
    public init(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        var lines = text.split(separator: "\r\n", omittingEmptySubsequences: true)
        guard let first = lines.first, first.hasPrefix("HTTP/1."),
            let status = Int(first.dropFirst(9).prefix(3))
        else { throw RawSocketClient.Failure.malformed(text) }
        lines.removeFirst()
        self.status = status
        self.fields = try lines.map { line in
            guard let colon = line.firstIndex(of: ":") else {
                throw RawSocketClient.Failure.malformed(String(line))
            }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return (line[..<colon].lowercased(), String(value))
        }
    }

    /// The value of the first field of that name.
    public subscript(name: String) -> String? {
        fields.first { $0.name == name.lowercased() }?.value
    }
}

extension ArraySlice<UInt8> {
    /// The index after the first occurrence of `mark` at or after `start`.
    fileprivate func end(of mark: [UInt8], from start: Int) -> Int? {
        var index = start
        while index + mark.count <= endIndex {
            if self[index] == mark[0], self[index...].starts(with: mark) {
                return index + mark.count
            }
            index += 1
        }
        return nil
    }
}
