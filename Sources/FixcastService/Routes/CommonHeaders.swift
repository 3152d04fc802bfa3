internal import HTTPServer

/// The headers that every answer carries, errors included: who answers, and what a page of another
/// origin may do with it (WHATWG Fetch, "CORS protocol").
struct CommonHeaders: Sendable {
    private let server: String
    private let origins: Set<String>

    init(version: String, origins: [String]) {
        self.server = "fixcast/\(version)"
        self.origins = Set(origins)
    }

    /// What does not depend on the request.
    var fixed: [(name: String, value: String)] {
        var headers = [
            (name: "Server", value: server), (name: "X-Content-Type-Options", value: "nosniff"),
        ]
        // Also on answers to requests without an origin: a cache must keep them apart.
        if !origins.isEmpty { headers.append((name: "Vary", value: "Origin")) }
        return headers
    }

    /// What an answer to a request from a page of that origin carries.
    func headers(for origin: String?) -> [(name: String, value: String)] {
        guard let origin, isAllowed(origin) else { return fixed }
        var headers = fixed + [(name: "Access-Control-Allow-Origin", value: origin)]
        if !origins.contains("*") {
            headers.append((name: "Access-Control-Allow-Credentials", value: "true"))
        }
        headers.append((name: "Access-Control-Expose-Headers", value: "ETag, Retry-After"))
        return headers
    }

    func add(to response: inout Response, for request: Request) {
        let origin = request.headers.first("Origin")
        response.headers += headers(for: origin)
        if let origin, isAllowed(origin) { allow(request, in: &response) }
    }

    private func isAllowed(_ origin: String) -> Bool {
        origins.contains(origin) || origins.contains("*")
    }

    /// Answers a preflight.
    private func allow(_ request: Request, in response: inout Response) {
        guard request.method == "OPTIONS",
            request.headers.first("Access-Control-Request-Method") != nil
        else { return }
        response.headers += [
            (name: "Access-Control-Allow-Methods", value: "GET, HEAD, OPTIONS"),
            (
                name: "Access-Control-Allow-Headers",
                value: "last-event-id, authorization, cache-control"
            ),
            (name: "Access-Control-Max-Age", value: "600"),
        ]
    }
}
