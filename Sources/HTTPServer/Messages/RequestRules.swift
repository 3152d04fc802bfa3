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
        guard hosts.allSatisfy({ isHost(Array($0.utf8)) }) else {
            throw Problem(status: 400, detail: "The Host field must be a host and maybe a port.")
        }
    }

    /// `uri-host [":" port]` (RFC 9110 §7.2), which may be empty; without commas, which would make
    /// a list of it to some readers.
    private static func isHost(_ text: [UInt8]) -> Bool {
        var rest = text[...]
        if rest.first == UInt8(ascii: "[") {
            guard let end = rest.firstIndex(of: UInt8(ascii: "]")) else { return false }
            let address = rest[..<end].dropFirst()
            guard address.count > 1, address.allSatisfy(isAddressByte) else { return false }
            rest = rest[(end + 1)...]
        } else {
            let name = rest.prefix { $0 != UInt8(ascii: ":") }
            guard isName(name) else { return false }
            rest = rest[name.endIndex...]
        }
        guard rest.first == UInt8(ascii: ":") else { return rest.isEmpty }
        let port = String(decoding: rest.dropFirst(), as: UTF8.self)
        return port.isEmpty || port.utf8.allSatisfy(isDigit) && UInt16(port) != nil
    }

    private static func isName(_ name: ArraySlice<UInt8>) -> Bool {
        var rest = name
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst(), let low = rest.popFirst(), isHexadecimal(high),
                    isHexadecimal(low)
                else { return false }
            } else if !isDigit(byte), !isLetter(byte), !nameSymbols.contains(byte) {
                return false
            }
        }
        return true
    }

    private static let nameSymbols = Array("-._~!$&'()*+;=".utf8)

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        isHexadecimal(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "f")
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
