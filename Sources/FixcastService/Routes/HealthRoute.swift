internal import HTTPServer
internal import Reactive

/// `GET /livez`, `/readyz`, `/healthz`: for whoever restarts the process or sends it clients.
struct HealthRoute: Sendable {
    let hub: EventHub
    let places: StreamPlaces
    let lifecycle: Lifecycle
    let version: String
    let started: Duration

    private enum Status: String {
        case ok
        case draining
        case failing
    }

    /// The process answers: that is all it takes to be alive.
    func live() -> Response {
        answer(lifecycle.isDraining ? .draining : .ok, status: 200)
    }

    /// Ready from the end of the start to the begin of the drain.
    ///
    /// A source that is idle or failing and a full house are told as checks: another replica would
    /// not be better off.
    func ready() -> Response {
        switch lifecycle.phase {
        case .starting: answer(.failing, status: 503)
        case .ready: answer(.ok, status: 200)
        case .draining: answer(.draining, status: 503)
        }
    }

    private func answer(_ health: Status, status: Int) -> Response {
        var writer = JSONWriter(capacity: 256)
        writer.raw(#"{"status":"#)
        writer.string(health.rawValue)
        writer.raw(#","checks":{"lifecycle":"#)
        writer.string("\(lifecycle.phase)")
        writer.raw(#","sources":"#)
        let isFailing = hub.channels.contains { $0.signal.snapshot.state == .backoff }
        writer.string((isFailing ? Status.failing : .ok).rawValue)
        writer.raw(#","streams":"#)
        writer.string(places.isFull ? "full" : Status.ok.rawValue)
        writer.raw(#"},"version":"#)
        writer.string(version)
        writer.raw(#","uptimeSeconds":"#)
        writer.integer((hub.scheduler.now - started).components.seconds)
        writer.raw(#","streams":"#)
        writer.integer(Int64(places.count))
        writer.raw("}\n")
        return .json(writer.take(), status: status)
    }
}
