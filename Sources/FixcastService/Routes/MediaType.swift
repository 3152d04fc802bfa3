internal import HTTPServer

/// The media types the service speaks.
enum MediaType {
    static let eventStream = "text/event-stream"
    static let lines = "application/x-ndjson"
    static let json = "application/json"
    static let geoJSON = "application/geo+json"
    static let metrics = "text/plain; version=0.0.4; charset=utf-8"
}

extension Problem {
    /// The client takes none of the forms that the resource has.
    static func notAcceptable(_ offers: [String]) -> Response {
        let forms = offers.joined(separator: ", ")
        let detail = "Accept takes none of the forms of this resource: \(forms)"
        return Problem(status: 406, detail: detail).response(headers: [("Vary", "Accept")])
    }
}
