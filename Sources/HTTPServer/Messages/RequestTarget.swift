/// The decoded parts of an origin-form request target (RFC 9112 §3.2.1).
struct RequestTarget {
    let path: String
    let query: [(name: String, value: String)]

    /// Nil when the target has another form, a broken percent escape, text that is not UTF-8 once
    /// it is decoded, or a path with a NUL.
    ///
    /// A parameter may hold any character: what it means is for its reader to judge.
    init?(_ target: String) {
        if target == "*" {
            self.path = target
            self.query = []
            return
        }
        let bytes = Array(target.utf8)
        guard bytes.first == UInt8(ascii: "/"), !bytes.contains(UInt8(ascii: "#")) else {
            return nil
        }
        let parts = bytes.split(
            separator: UInt8(ascii: "?"),
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        guard let path = Self.decode(parts[0], isPath: true), !path.utf8.contains(0) else {
            return nil
        }
        self.path = path
        guard parts.count == 2 else {
            self.query = []
            return
        }
        var query: [(name: String, value: String)] = []
        for parameter in parts[1].split(separator: UInt8(ascii: "&")) {
            let halves = parameter.split(
                separator: UInt8(ascii: "="),
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            guard let name = Self.decode(halves[0]),
                let value = Self.decode(halves.count == 2 ? halves[1] : [])
            else { return nil }
            query.append((name, value))
        }
        self.query = query
    }

    private static func decode(_ bytes: ArraySlice<UInt8>, isPath: Bool = false) -> String? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var rest = bytes
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexadecimal),
                let low = rest.popFirst().flatMap(hexadecimal)
            else { return nil }
            let character = high << 4 | low
            if isPath, character == UInt8(ascii: "/") {
                // Decoded, it would separate segments (RFC 3986 section 2.2).
                decoded += Array("%2F".utf8)
            } else {
                decoded.append(character)
            }
        }
        return String(validating: decoded, as: UTF8.self)
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
