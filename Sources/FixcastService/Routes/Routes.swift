internal import HTTPServer
internal import Reactive

/// Every path the service answers, and what answers it.
struct Routes: Sendable {
    let hub: EventHub
    let configuration: Configuration
    let lifecycle: Lifecycle
    let version: String
    let places: StreamPlaces
    let counters: ServiceCounters
    let common: CommonHeaders
    private let started: Duration

    init(hub: EventHub, configuration: Configuration, lifecycle: Lifecycle, version: String) {
        self.hub = hub
        self.configuration = configuration
        self.lifecycle = lifecycle
        self.version = version
        self.places = StreamPlaces(configuration.maximumStreams)
        self.counters = ServiceCounters()
        self.common = CommonHeaders(version: version, origins: configuration.corsOrigins)
        self.started = hub.scheduler.now
    }

    func router() -> Router {
        let common = common
        var router = Router { request, response in common.add(to: &response, for: request) }
        addData(to: &router)
        addOperations(to: &router)
        return router
    }

    /// The paths that answer also when every connection is taken.
    static let health: Set<String> = ["/livez", "/readyz", "/healthz"]

    private var stream: StreamRoute {
        StreamRoute(
            hub: hub,
            configuration: configuration,
            places: places,
            lifecycle: lifecycle
        )
    }

    /// What a client is told when every connection is taken: an event stream ends at once, as if
    /// only the places for streams were taken; nil for the rest.
    func overload() -> @Sendable (Request) -> Response? {
        let stream = stream
        let common = common
        return { request in
            guard request.path == "/v1/locations", ["GET", "HEAD"].contains(request.method) else {
                return nil
            }
            var response = stream.answer(request, isOverloaded: true)
            common.add(to: &response, for: request)
            return response
        }
    }

    private func addData(to router: inout Router) {
        let stream = stream
        let latest = LatestRoute(hub: hub, places: places, lifecycle: lifecycle)
        let history = HistoryRoute(hub: hub)
        let devices = DevicesRoute(hub: hub)
        router.on("GET", "/v1/locations") { request, _, respond in respond(stream.answer(request)) }
        router.on("GET", "/v1/locations/latest") { request, _, respond in
            latest.answer(request, respond)
        }
        router.on("GET", "/v1/locations/history") { request, _, respond in
            respond(history.answer(request))
        }
        router.on("GET", "/v1/devices") { request, _, respond in respond(devices.answerAll(request))
        }
        router.on("GET", "/v1/devices/{device}") { request, parameters, respond in
            respond(devices.answer(request, device: parameters["device"]))
        }
    }

    private func addOperations(to router: inout Router) {
        let health = HealthRoute(
            hub: hub,
            places: places,
            lifecycle: lifecycle,
            version: version,
            started: started
        )
        let metrics = MetricsRoute(hub: hub, places: places, counters: counters, version: version)
        router.on("GET", "/livez") { _, _, respond in respond(health.live()) }
        router.on("GET", "/readyz") { _, _, respond in respond(health.ready()) }
        router.on("GET", "/healthz") { _, _, respond in respond(health.ready()) }
        router.on("GET", "/metrics") { _, _, respond in respond(metrics.answer()) }
    }
}
