/// What the fields of a head must say together, once each line is well formed.
enum RequestRules {
    enum Version: String {
        case http10 = "HTTP/1.0"
        case http11 = "HTTP/1.1"

        init?(bytes: [UInt8]) {
            self.init(rawValue: String(decoding: bytes, as: UTF8.self))
        }
    }

    static func check(
        method: String,
        target: String,
        version: Version,
        headers: Headers
    ) throws(Problem) {
        try check(target: target, method: method)
        try checkHost(headers, version: version)
        try checkBody(method: method, version: version, headers: headers)
    }

    /// Only a proxy is asked in absolute form, and only for CONNECT in authority form.
    private static func check(target: String, method: String) throws(Problem) {
        if target == "*" {
            guard method == "OPTIONS" else {
                throw Problem(status: 400, detail: "The target * is for OPTIONS only.")
            }
        } else if target.utf8.first != UInt8(ascii: "/") {
            throw Problem(
                status: 400,
                detail: "The request target must begin with a slash: this is not a proxy."
            )
        }
    }

    /// RFC 9112 §3.2: exactly one `Host`, which may be missing in HTTP/1.0 only.
    private static func checkHost(_ headers: Headers, version: Version) throws(Problem) {
        let hosts = headers.all("Host")
        guard hosts.count == 1 || (hosts.isEmpty && version == .http10) else {
            throw Problem(status: 400, detail: "A request must have exactly one Host field.")
        }
        let isHost = hosts.allSatisfy { host in
            host.utf8.allSatisfy { byte in
                (33...126).contains(byte) && !Array("/?#@\\,\"<>".utf8).contains(byte)
            }
        }
        guard isHost else {
            throw Problem(status: 400, detail: "The Host field must be a host and maybe a port.")
        }
    }

    /// No request here needs a body, so one that has one is refused where it could hide a second
    /// request, and its length must be beyond doubt where the method allows it.
    private static func checkBody(
        method: String,
        version: Version,
        headers: Headers
    ) throws(Problem) {
        let codings = headers.all("Transfer-Encoding")
        let lengths = headers.all("Content-Length")
        if !codings.isEmpty {
            guard version == .http11, lengths.isEmpty, codings.count == 1 else {
                throw Problem(
                    status: 400,
                    detail: "Transfer-Encoding must stand alone, once, and in HTTP/1.1."
                )
            }
            guard codings[0].lowercased() == "chunked" else {
                throw Problem(
                    status: 501,
                    detail: "The only transfer coding understood here is chunked."
                )
            }
        }
        guard lengths.count <= 1 else {
            throw Problem(status: 400, detail: "Content-Length must not occur twice.")
        }
        if let length = lengths.first {
            let isNumber =
                !length.isEmpty && length.utf8.count <= 18
                && length.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard isNumber else {
                throw Problem(status: 400, detail: "Content-Length must be a number.")
            }
        }
        let hasBody = !codings.isEmpty || lengths.contains { $0.utf8.contains { $0 != 48 } }
        if hasBody, ["GET", "HEAD", "OPTIONS"].contains(method) {
            throw Problem(status: 400, detail: "A \(method) request must not have a body.")
        }
    }
}
