internal import HTTPServer
internal import Location
internal import Reactive
private import Synchronization

/// `GET /v1/locations/latest`: the newest fix of each device, at once or as soon as there is one.
struct LatestRoute: Sendable {
    let hub: EventHub
    let places: StreamPlaces
    let lifecycle: Lifecycle

    /// The longest `wait=`.
    static let maximumWait: Duration = .seconds(30)

    func answer(_ request: Request, _ responder: Responder) {
        let accept = AcceptHeader(request.headers.all("Accept"))
        let offers = [MediaType.json, MediaType.geoJSON]
        guard let media = accept.preferred(among: offers) else {
            return responder(Problem.notAcceptable(offers))
        }
        let devices: Set<Int>
        let wait: Duration?
        do throws(ParameterFault) {
            var reader = QueryReader(request)
            devices = try hub.catalogue.select(reader.list("device"))
            wait = try reader.duration("wait", upTo: Self.maximumWait)
            try reader.finish()
        } catch {
            return responder(error.problem.response())
        }
        let answer = LatestAnswer(
            hub: hub,
            devices: devices.sorted(),
            isGeoJSON: media == MediaType.geoJSON,
            knownTags: request.headers.all("If-None-Match")
        )
        guard let wait, wait > .zero, !answer.isComplete, !lifecycle.isDraining, places.take()
        else { return responder(answer.response()) }
        let place = ActionDisposable { [places] in places.giveBack() }
        let pending = LatestWait(answer, devices: devices, hub: hub, place: place) { response in
            responder(response)
        }
        responder.onCancel(ActionDisposable { pending.cancel() })
        pending.start(for: wait)
    }
}

/// The newest fixes of some devices, as one client wants them.
private struct LatestAnswer: Sendable {
    let hub: EventHub
    let devices: [Int]
    let isGeoJSON: Bool
    let knownTags: [String]

    var isComplete: Bool {
        devices.allSatisfy { hub.currentEvent(of: $0) != nil }
    }

    func response() -> Response {
        let events = devices.compactMap(hub.currentEvent(of:))
        let tag = tag(of: events)
        let headers = [
            (name: "ETag", value: tag),
            (name: "Cache-Control", value: "no-cache"),
            (name: "Vary", value: "Accept"),
        ]
        var writer = JSONWriter(capacity: 64 + 400 * events.count)
        writer.raw(
            isGeoJSON ? #"{"type":"FeatureCollection","features":["# : #"{"locations":["#
        )
        for (index, event) in events.enumerated() {
            if index > 0 { writer.raw(UInt8(ascii: ",")) }
            if isGeoJSON {
                FixEncoding.geoJSON(event.fix, id: event.id, into: &writer)
            } else {
                writer.raw(event.object)
            }
        }
        writer.raw("]}\n")
        let media = isGeoJSON ? MediaType.geoJSON : MediaType.json
        // The body of a 304 is not sent; its length is, and must be that of the 200 (RFC 9110
        // section 8.6).
        return Response(
            status: isKnown(tag) ? 304 : 200,
            headers: headers + [(name: "Content-Type", value: media)],
            body: .bytes(SharedBytes(writer.take()))
        )
    }

    /// A strong tag: the FNV-1a hash of the ids in the answer, and which of its two forms it is.
    private func tag(of events: [StreamEvent]) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for event in events {
            for byte in event.id.text.utf8 {
                hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
            }
            hash = (hash ^ 0xFF) &* 0x100_0000_01b3
        }
        return "\"\(String(hash, radix: 36))-\(isGeoJSON ? "g" : "j")\""
    }

    /// Weak comparison, as RFC 9110 section 13.1.2 asks for `If-None-Match`.
    private func isKnown(_ tag: String) -> Bool {
        knownTags.contains { value in
            HeaderList.parts(of: value, separator: UInt8(ascii: ",")).contains { text in
                text == "*" || text == tag || text == "W/" + tag
            }
        }
    }
}

/// One client that waits until every device it selected has a fix: while it waits it counts as a
/// subscriber, so that its sources run.
private final class LatestWait: Sendable {
    private let answer: LatestAnswer
    private let devices: Set<Int>
    private let hub: EventHub
    private let respond: @Sendable (Response) -> Void
    private let disposables = CompositeDisposable()
    private let isAnswered = Atomic<Bool>(false)

    init(
        _ answer: LatestAnswer,
        devices: Set<Int>,
        hub: EventHub,
        place: any Disposable,
        respond: @escaping @Sendable (Response) -> Void
    ) {
        self.answer = answer
        self.devices = devices
        self.hub = hub
        self.respond = respond
        disposables += place
    }

    func start(for wait: Duration) {
        disposables += hub.scheduler.schedule(after: wait) { self.finish() }
        disposables += hub.observeEnding { self.finish() }
        hub.step.perform {
            guard !self.disposables.isDisposed else { return }
            self.disposables += self.hub.countSubscriber(of: self.devices)
            for channel in self.hub.channels(of: self.devices) {
                self.disposables += channel.signal.observe { event in
                    if case .value(.status) = event { return }
                    if self.answer.isComplete { self.finish() }
                }
            }
        }
    }

    func cancel() {
        disposables.dispose()
    }

    private func finish() {
        guard !isAnswered.exchange(true, ordering: .acquiringAndReleasing) else { return }
        disposables.dispose()
        respond(answer.response())
    }
}
