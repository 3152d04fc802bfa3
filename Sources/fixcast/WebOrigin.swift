/// A web origin as browsers write it in `Origin` (RFC 6454 section 6.2).
enum WebOrigin {
    /// An origin in the only form that a browser sends: in lower case, without the port that the
    /// scheme has anyway; `*` and `null` as they are, nil for what is no origin.
    static func serialized(_ text: String) -> String? {
        if text == "*" || text == "null" { return text }
        let pattern = /(https?):\/\/(\[[0-9a-f:.]+\]|[0-9a-z._-]+)(?::([0-9]{1,5}))?/
        guard let match = text.lowercased().wholeMatch(of: pattern) else { return nil }
        let (_, scheme, host, port) = match.output
        let origin = "\(scheme)://\(host)"
        guard let port else { return origin }
        return UInt16(port).map { $0 == (scheme == "http" ? 80 : 443) ? origin : "\(origin):\($0)" }
    }
}
