/// A request whose head has passed every check of ``RequestHead``.
public struct Request: Sendable {
    /// The method as it came, such as `GET`; methods are case-sensitive (RFC 9110 §9.1).
    public var method: String
    /// The path of the target, percent-decoded but for a slash inside a segment, which stays `%2F`;
    /// `*` for `OPTIONS *`.
    public var path: String
    /// The target as it came, with its query.
    public var target: String
    /// The parameters of the query, decoded, in order; `+` stands for itself, and a parameter
    /// without `=` has an empty value.
    public var query: [(name: String, value: String)]
    /// The header fields.
    public var headers: Headers
    /// Whether the client speaks HTTP/1.0, which knows no chunks.
    public var isHTTP10: Bool

    /// A request for `target`, an origin-form target or `*`; nil if it is not a valid one.
    public init?(
        method: String = "GET",
        target: String,
        headers: Headers = Headers(),
        isHTTP10: Bool = false
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.isHTTP10 = isHTTP10
        guard let parsed = RequestTarget(target) else { return nil }
        self.path = parsed.path
        self.query = parsed.query
    }

    /// The value of the first query parameter of that name.
    public func queryValue(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }
}
