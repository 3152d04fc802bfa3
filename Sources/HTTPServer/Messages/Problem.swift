/// An error of a request, as `application/problem+json` (RFC 9457).
public struct Problem: Error, Sendable, Equatable {
    /// The status code.
    public var status: Int
    /// The kind of problem in a few words; the same for every occurrence.
    public var title: String
    /// What is wrong this time, one sentence for a person.
    public var detail: String
    /// The parameter at fault, where there is one.
    public var parameter: String?

    /// A problem; the title is the status code's own phrase if it is left out.
    public init(
        status: Int,
        title: String? = nil,
        detail: String,
        parameter: String? = nil
    ) {
        self.status = status
        self.title = title ?? Self.phrase(for: status)
        self.detail = detail
        self.parameter = parameter
    }

    /// The answer that tells the client, with further header fields.
    public func response(headers: [(name: String, value: String)] = []) -> Response {
        Response(
            status: status,
            headers: [
                ("Content-Type", "application/problem+json"), ("Cache-Control", "no-store"),
            ] + headers,
            body: .bytes(SharedBytes(json + "\n"))
        )
    }

    /// The answer with a `Retry-After` (RFC 9110 §10.2.3) drawn from `seconds`, at least 1, up to
    /// twice as many, so that clients turned away together do not come back together.
    public func response(
        retryAfter seconds: Int64,
        headers: [(name: String, value: String)] = []
    ) -> Response {
        let shortest = max(1, seconds)
        let drawn = Int64.random(in: shortest...2 * shortest)
        return response(headers: headers + [("Retry-After", "\(drawn)")])
    }

    /// The problem as a JSON object.
    public var json: String {
        var members = [
            "\"type\":\"about:blank\"", "\"title\":\(Self.quoted(title))",
            "\"status\":\(status)", "\"detail\":\(Self.quoted(detail))",
        ]
        if let parameter { members.append("\"parameter\":\(Self.quoted(parameter))") }
        return "{" + members.joined(separator: ",") + "}"
    }

    /// The reason phrase of a status code (RFC 9110 §15).
    static func phrase(for status: Int) -> String {
        switch status {
        case 200: "OK"
        case 204: "No Content"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 408: "Request Timeout"
        case 410: "Gone"
        case 411: "Length Required"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Error"
        }
    }

    /// A JSON string (RFC 8259 §7).
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
