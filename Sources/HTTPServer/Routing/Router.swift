/// Finds the handler for a request by its path and method.
///
/// A pattern is a path whose segments may be variables: `/v1/devices/{device}`. Every `GET` route
/// also answers `HEAD`, and every path answers `OPTIONS` with its methods. An unknown path is
/// answered 404, another method on a known one 405 with `Allow`.
public struct Router: Sendable {
    /// A handler for one method of one path.
    public typealias Handler = @Sendable (Request, PathParameters, Responder) -> Void

    /// One pattern and its methods.
    public struct Route: Sendable {
        /// The pattern, as given.
        public let pattern: String
        /// The methods with a handler of their own, in alphabetical order.
        public var methods: [String] { handlers.keys.sorted() }

        fileprivate let segments: [Substring]
        fileprivate var handlers: [String: Handler]
    }

    /// All routes, in the order they were added.
    public private(set) var routes: [Route] = []

    private let decorate: @Sendable (Request, inout Response) -> Void

    /// A router without routes; `decorate` may change every response, errors included, such as by
    /// adding header fields.
    public init(decorate: @escaping @Sendable (Request, inout Response) -> Void = { _, _ in }) {
        self.decorate = decorate
    }

    /// Adds a handler for a method of all paths that match the pattern.
    public mutating func on(_ method: String, _ pattern: String, handler: @escaping Handler) {
        if let index = routes.firstIndex(where: { $0.pattern == pattern }) {
            routes[index].handlers[method] = handler
        } else {
            routes.append(
                Route(
                    pattern: pattern,
                    segments: Self.segments(pattern),
                    handlers: [method: handler]
                )
            )
        }
    }

    /// Answers a request or passes it to its handler.
    public func callAsFunction(_ request: Request, _ responder: Responder) {
        let decorate = decorate
        let responder = responder.mapping { response in
            var response = response
            decorate(request, &response)
            return response
        }
        if request.path == "*" {
            responder(Response(status: 204, headers: [("Allow", "GET, HEAD, OPTIONS")]))
            return
        }
        guard let (route, parameters) = find(request.path) else {
            responder(Problem(status: 404, detail: "There is nothing at this path."))
            return
        }
        let method = request.method == "HEAD" ? "GET" : request.method
        if let handler = route.handlers[request.method] ?? route.handlers[method] {
            handler(request, parameters, responder)
            return
        }
        let allow = ("Allow", Self.allowed(route).joined(separator: ", "))
        if request.method == "OPTIONS" {
            responder(Response(status: 204, headers: [allow]))
            return
        }
        let problem = Problem(status: 405, detail: "This path does not answer \(request.method).")
        responder(problem.response(headers: [allow]))
    }

    private static func allowed(_ route: Route) -> [String] {
        var methods = Set(route.handlers.keys).union(["OPTIONS"])
        if methods.contains("GET") { methods.insert("HEAD") }
        return methods.sorted()
    }

    private func find(_ path: String) -> (Route, PathParameters)? {
        let segments = Self.segments(path)
        for route in routes {
            if let values = Self.match(segments, route.segments) {
                return (route, PathParameters(values))
            }
        }
        return nil
    }

    private static func segments(_ path: String) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: false)
    }

    private static func match(
        _ segments: [Substring],
        _ pattern: [Substring]
    ) -> [String: String]? {
        guard segments.count == pattern.count else { return nil }
        var values: [String: String] = [:]
        for (segment, part) in zip(segments, pattern) {
            if part.hasPrefix("{"), part.hasSuffix("}") {
                guard !segment.isEmpty else { return nil }
                values[String(part.dropFirst().dropLast())] = String(segment)
            } else if part.utf8.elementsEqual(segment.utf8) == false {
                return nil
            }
        }
        return values
    }
}
