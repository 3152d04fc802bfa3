internal import HTTPServer

/// `GET /v1/locations/history`: the kept events, or those after an id.
struct HistoryRoute: Sendable {
    let hub: EventHub

    func answer(_ request: Request) -> Response {
        let accept = AcceptHeader(request.headers.all("Accept"))
        let offers = [MediaType.json, MediaType.lines]
        guard let media = accept.preferred(among: offers) else {
            return Problem.notAcceptable(offers)
        }
        do throws(ParameterFault) {
            let events = try events(request)
            return media == MediaType.lines ? lines(events) : array(events)
        } catch {
            return error.problem.response()
        }
    }

    private func events(_ request: Request) throws(ParameterFault) -> [StreamEvent] {
        var reader = QueryReader(request)
        let devices = try hub.catalogue.select(reader.list("device"))
        let limit = try reader.positiveInteger("limit")
        let since = try reader.single("since")
        try reader.finish()
        let kept = try since.map(eventsAfter(_:)) ?? hub.log.kept
        let selected = kept.filter { devices.contains($0.device) }
        return Array(selected.prefix(limit ?? selected.count))
    }

    private func eventsAfter(_ id: String) throws(ParameterFault) -> [StreamEvent] {
        switch hub.log.events(after: id) {
        case .events(let events):
            return events
        case .expired:
            throw ParameterFault(
                status: 410,
                parameter: "since",
                detail: "the events after since=\(id) are no longer all kept"
            )
        case .unknown:
            throw ParameterFault(
                parameter: "since",
                detail: "since=\(id) is no id that this run of the service gave"
            )
        }
    }

    private func lines(_ events: [StreamEvent]) -> Response {
        let separator = Array("\n".utf8)
        return answer(of: length(of: events, with: separator), as: MediaType.lines) {
            join(events, with: separator)
        }
    }

    private func array(_ events: [StreamEvent]) -> Response {
        let separator = Array(",\n".utf8)
        return answer(of: length(of: events, with: separator), as: MediaType.json) {
            let members = join(events, with: separator).dropLast(separator.count)
            return Array("[".utf8) + members + Array("]\n".utf8)
        }
    }

    private func length(of events: [StreamEvent], with separator: [UInt8]) -> Int {
        events.reduce(0) { $0 + $1.object.count + separator.count }
    }

    /// The events as they were encoded for the streams, each followed by a separator.
    private func join(_ events: [StreamEvent], with separator: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length(of: events, with: separator) + 16)
        for event in events {
            bytes += event.object
            bytes += separator
        }
        return bytes
    }

    private func answer(
        of count: Int,
        as media: String,
        _ bytes: @escaping @Sendable () -> [UInt8]
    ) -> Response {
        Response(
            status: 200,
            headers: [
                (name: "Content-Type", value: media),
                (name: "Cache-Control", value: "no-store"),
                (name: "Vary", value: "Accept"),
            ],
            body: .made(count: count) { SharedBytes(bytes()) }
        )
    }
}
