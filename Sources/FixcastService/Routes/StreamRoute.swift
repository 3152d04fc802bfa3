internal import HTTPServer
internal import Reactive

/// `GET /v1/locations`: the stream.
struct StreamRoute: Sendable {
    let hub: EventHub
    let configuration: Configuration
    let places: StreamPlaces
    let lifecycle: Lifecycle

    private static let offers = [MediaType.eventStream, MediaType.lines]

    /// The answer; with `isOverloaded` a finite one, because there is no connection for another.
    func answer(_ request: Request, isOverloaded: Bool = false) -> Response {
        let accept = AcceptHeader(request.headers.all("Accept"))
        guard let media = accept.preferred(among: Self.offers) else {
            return Problem.notAcceptable(Self.offers)
        }
        let query: StreamQuery
        do throws(ParameterFault) {
            query = try StreamQuery(
                request,
                asLines: media == MediaType.lines,
                catalogue: hub.catalogue
            )
        } catch {
            return error.problem.response()
        }
        if hasSeenTheEnd(query) { return Response(status: 204) }
        guard !lifecycle.isDraining else { return shed(query, reason: .draining) }
        guard !isOverloaded, places.take() else { return shed(query, reason: .capacity) }
        return stream(query)
    }

    /// A client that has seen everything of tracks that are over is told to stop asking: 204 is the
    /// one answer after which an EventSource does not come back (WHATWG HTML section 9.2.3).
    private func hasSeenTheEnd(_ query: StreamQuery) -> Bool {
        guard let id = query.lastEventID.flatMap(EventID.init(parsing:)), hub.log.gave(id) else {
            return false
        }
        return hub.channels(of: query.devices).allSatisfy(\.hasEnded)
            && query.devices.allSatisfy { device in
                (hub.log.latest(of: device)?.id.sequence ?? 0) <= id.sequence
            }
    }

    private func stream(_ query: StreamQuery) -> Response {
        let isEventStream = query.format.isEventStream
        // A stream that is never opened, for HEAD or because the client has gone, gives its place
        // back when the response is released.
        let place = ScopedDisposable(ActionDisposable { [places] in places.giveBack() })
        return Response(
            status: 200,
            headers: Self.headers(isEventStream: isEventStream),
            body: .stream(
                StreamBody(
                    preamble: isEventStream ? opening() : SharedBytes(""),
                    capacity: max(configuration.streamQueue, query.devices.count),
                    overflow: overflow(isEventStream: isEventStream),
                    heartbeat: isEventStream ? ControlEvent.heartbeat : ControlEvent.lineHeartbeat,
                    farewell: { reason in
                        isEventStream ? ControlEvent.bye(reason: reason.farewell) : nil
                    },
                    open: { [hub] stream in
                        let subscription = StreamSubscription(query, to: stream, hub: hub)
                        return ActionDisposable {
                            subscription.disposable.dispose()
                            place.dispose()
                        }
                    }
                )
            )
        )
    }

    private func overflow(isEventStream: Bool) -> StreamBody.Overflow {
        switch configuration.slowClient {
        case .skip:
            .skip(
                gap: { skipped in
                    isEventStream ? ControlEvent.gap(skipped: skipped) : SharedBytes("")
                },
                beginning: FixEncoding.discontinuous
            )
        case .close:
            .close
        }
    }

    private enum ShedReason: String {
        case capacity
        case draining
    }

    /// Turns a client away in the way it understands: an event stream that ends at once and says
    /// when to come back, because a browser never asks again after any status but 200; a 503 for
    /// the rest.
    private func shed(_ query: StreamQuery, reason: ShedReason) -> Response {
        places.countRefused()
        guard query.format.isEventStream else {
            let detail =
                reason == .capacity
                ? "none of the \(configuration.maximumStreams) places for streams is free"
                : "the service is shutting down"
            let (seconds, _) = configuration.retry.components
            return Problem(status: 503, detail: detail).response(retryAfter: seconds)
        }
        let bye = ControlEvent.bye(reason: reason.rawValue)
        return Response(
            status: 200,
            headers: Self.headers(isEventStream: true),
            body: .bytes(SharedBytes(concatenating: [opening(), bye]))
        )
    }

    private func opening() -> SharedBytes {
        var generator = SystemRandomNumberGenerator()
        return ControlEvent.opening(retry: configuration.retry, using: &generator)
    }

    private static func headers(isEventStream: Bool) -> [(name: String, value: String)] {
        let media = isEventStream ? "\(MediaType.eventStream); charset=utf-8" : MediaType.lines
        return [
            (name: "Content-Type", value: media),
            (name: "Cache-Control", value: "no-store, no-transform"),
            (name: "X-Accel-Buffering", value: "no"),
            (name: "Vary", value: "Accept"),
        ]
    }
}

extension CloseReason {
    /// The reason as a client reads it in `bye`.
    fileprivate var farewell: String {
        switch self {
        case .drain: "draining"
        case .slow: "slow"
        case .maximumAge: "maximum age"
        default: rawValue
        }
    }
}
