/// What the first bytes of a connection are: an incomplete head, a request, or a fault.
///
/// Stricter than RFC 9112 demands wherever two readers of the same bytes could see different
/// requests: only CRLF ends a line, no white space stands before a colon, no line is folded, and
/// nothing that frames a body occurs twice.
enum RequestHead {
    case incomplete
    /// `memory` estimates the bytes that the HTTP library's parsing of it takes.
    case request(Request, memory: Int)
    /// `context` is what of the request had been read before the fault.
    case refused(Problem, context: Context)

    /// What an answer to a request that could not be read to its end depends on.
    struct Context {
        /// Whether the answer must have no body.
        var isHead = false
        var origin: String?
    }

    /// Limits that keep every head inside the library's memory, and let 4 KiB of fields pass in
    /// whatever pieces they come.
    static let maximumTarget = 8_000
    static let maximumHead = 16_384
    static let maximumFields = 1_024
    static let maximumMemory = 114_688

    /// Looks at all bytes that a connection has sent so far.
    init(_ bytes: [UInt8]) {
        var reader = RequestHeadReader(bytes)
        do {
            self = try reader.read()
        } catch {
            var context = reader.context
            context.origin = context.origin ?? Self.origin(in: bytes)
            self = .refused(error, context: context)
        }
    }

    /// The value of the first line that is an `Origin` field, whatever stands before it: a page is
    /// told why its request was refused also when it was refused before its fields.
    private static func origin(in bytes: [UInt8]) -> String? {
        let name = Array("origin:".utf8)
        for line in bytes.split(separator: 10) where line.last == 13 {
            guard line.prefix(name.count).elementsEqual(name, by: { $0 | 0x20 == $1 }) else {
                continue
            }
            let value = line.dropFirst(name.count).dropLast().drop { $0 == 32 || $0 == 9 }
            let isText = value.allSatisfy { (33...126).contains($0) }
            return isText ? String(decoding: value, as: UTF8.self) : nil
        }
        return nil
    }
}

/// The request line (RFC 9112 §3) and the field lines (§5), byte by byte.
struct RequestHeadReader {
    private let bytes: [UInt8]
    private var position = 0
    private(set) var context = RequestHead.Context()

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func read() throws(Problem) -> RequestHead {
        // One empty line before the request line is to be ignored (RFC 9112 §2.2).
        if bytes.starts(with: [13, 10]) { position = 2 }
        context.isHead = bytes[position...].starts(with: Array("HEAD ".utf8))
        guard let requestLine = try nextLine(isRequestLine: true) else {
            return try incomplete()
        }
        let (method, target, version) = try Self.parse(requestLine: requestLine)
        var headers = Headers()
        while true {
            guard let line = try nextLine(isRequestLine: false) else { return try incomplete() }
            if line.isEmpty { break }
            guard headers.fields.count < RequestHead.maximumFields else {
                throw Problem(
                    status: 431,
                    detail: "A request may have at most \(RequestHead.maximumFields) header fields."
                )
            }
            let (name, value) = try Self.parse(fieldLine: line)
            headers.append(name, value)
            if context.origin == nil, name.utf8.count == 6 {
                context.origin = Headers([(name, value)]).first("Origin")
            }
        }
        try RequestRules.check(method: method, target: target, version: version, headers: headers)
        guard
            let request = Request(
                method: method,
                target: target,
                headers: headers,
                isHTTP10: version == .http10
            )
        else {
            throw Problem(
                status: 400,
                detail: "The request target must be a path with valid percent escapes of UTF-8."
            )
        }
        let memory = Self.memory(of: request, headLength: position)
        guard memory <= RequestHead.maximumMemory else {
            throw Problem(status: 431, detail: "The request has too many parameters or cookies.")
        }
        return .request(request, memory: memory)
    }

    private func incomplete() throws(Problem) -> RequestHead {
        guard bytes.count < RequestHead.maximumHead else {
            throw Problem(
                status: 431,
                detail: "The head of a request may have at most \(RequestHead.maximumHead) bytes."
            )
        }
        return .incomplete
    }

    /// The next line without its CRLF, or nil when its end has not come yet.
    private mutating func nextLine(isRequestLine: Bool) throws(Problem) -> ArraySlice<UInt8>? {
        var index = position
        while index < bytes.count {
            switch bytes[index] {
            case 13:
                guard index + 1 < bytes.count else { return nil }
                guard bytes[index + 1] == 10 else { throw Self.badLineEnd }
                let line = bytes[position..<index]
                position = index + 2
                return line
            case 10: throw Self.badLineEnd
            case 9 where !isRequestLine: index += 1
            case 0..<32, 127:
                throw Problem(
                    status: 400,
                    detail: "The head of a request must not hold control characters."
                )
            default: index += 1
            }
            if isRequestLine, index - position > RequestHead.maximumTarget + 32 {
                throw Self.targetTooLong
            }
        }
        return nil
    }

    private static let badLineEnd = Problem(
        status: 400,
        detail: "Each line of a request's head must end with CR LF."
    )

    private static let targetTooLong = Problem(
        status: 414,
        detail: "A request target may have at most \(RequestHead.maximumTarget) bytes."
    )

    private static func parse(
        requestLine line: ArraySlice<UInt8>
    ) throws(Problem) -> (method: String, target: String, version: RequestRules.Version) {
        let parts = line.split(separator: 32, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty,
            parts[0].allSatisfy(isTokenByte)
        else {
            throw Problem(
                status: 400,
                detail: "The request line must be a method, a target and a version."
            )
        }
        guard parts[1].count <= RequestHead.maximumTarget else { throw targetTooLong }
        guard parts[1].allSatisfy({ $0 < 128 }) else {
            throw Problem(status: 400, detail: "The request target must be ASCII.")
        }
        guard let version = RequestRules.Version(bytes: Array(parts[2])) else {
            let isHTTP = parts[2].starts(with: Array("HTTP/".utf8))
            throw Problem(
                status: isHTTP ? 505 : 400,
                detail: "The version of a request must be HTTP/1.1 or HTTP/1.0."
            )
        }
        return (
            String(decoding: parts[0], as: UTF8.self), String(decoding: parts[1], as: UTF8.self),
            version
        )
    }

    private static func parse(
        fieldLine line: ArraySlice<UInt8>
    ) throws(Problem) -> (name: String, value: String) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy(isTokenByte)
        else {
            throw Problem(
                status: 400,
                detail: "A header field must be a name directly followed by a colon."
            )
        }
        let isBlank: (UInt8) -> Bool = { $0 == 32 || $0 == 9 }
        var value = line[(colon + 1)...].drop(while: isBlank)
        while let last = value.last, isBlank(last) { value.removeLast() }
        return (
            String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self)
        )
    }

    /// A byte of a token (RFC 9110 §5.6.2).
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: Self.tokenSymbols.contains(byte)
        }
    }

    private static let tokenSymbols = Array("!#$%&'*+-.^_`|~".utf8)

    /// The library keeps a record of some 60 bytes for every field, parameter and cookie, and works
    /// on a copy of the `Cookie` field; the answer repeats the `Origin`.
    private static func memory(of request: Request, headLength: Int) -> Int {
        let cookies = request.headers.all("Cookie").reduce(0) { $0 + $1.utf8.count }
        let separators = request.headers.all("Cookie").reduce(0) { sum, cookie in
            sum + 1 + cookie.utf8.count { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: ",") }
        }
        // Empty parameters, which the query leaves out, have a record too.
        let parameters = 1 + request.target.utf8.count { $0 == UInt8(ascii: "&") }
        let records = request.headers.fields.count + parameters + separators
        let origin = request.headers.first("Origin")?.utf8.count ?? 0
        return headLength + cookies + origin + 64 * records
    }
}
