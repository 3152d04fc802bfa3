/// Where to listen: a host, by name or number, and a port.
public struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
    /// A name, an IPv4 address, or an IPv6 address without brackets.
    public var host: String
    /// 0 takes a free one.
    public var port: Int

    /// A host and a port.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Reads `HOST:PORT`; an IPv6 address stands in brackets.
    public init(parsing text: String) throws(ServerError) {
        guard let colon = text.lastIndex(of: ":") else { throw Self.malformed(text) }
        var host = text[..<colon]
        let digits = text[text.index(after: colon)...]
        if host.hasPrefix("["), host.hasSuffix("]"), host.count > 2 {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") || host.contains("[") || host.contains("]") {
            throw Self.malformed(text)
        }
        guard !host.isEmpty, !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }),
            let port = Int(digits), port <= 65_535
        else { throw Self.malformed(text) }
        self.init(host: String(host), port: port)
    }

    /// `HOST:PORT`, as it is read.
    public var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    private static func malformed(_ text: String) -> ServerError {
        ServerError(
            message: "'\(text)' is not an address to listen on: expected HOST:PORT, such as "
                + "127.0.0.1:8080 or [::1]:8080, with a port from 0 to 65535"
        )
    }
}
