internal import HTTPServer
internal import Reactive
private import Synchronization

/// What the server counts, for `/metrics`; there is nothing to read before the server runs.
final class ServiceCounters: Sendable {
    private let server = Mutex<Server?>(nil)

    func attach(_ server: Server) {
        self.server.withLock { $0 = server }
    }

    var current: ServerCounters? {
        server.withLock { $0 }?.counters
    }
}

/// `GET /metrics`: Prometheus text exposition, version 0.0.4.
struct MetricsRoute: Sendable {
    let hub: EventHub
    let places: StreamPlaces
    let counters: ServiceCounters
    let version: String

    func answer() -> Response {
        var page = MetricsPage()
        page.family("fixcast_build_info", "gauge", "The version that runs.")
        page.sample("fixcast_build_info", [("version", version)], 1)
        streams(on: &page)
        sources(on: &page)
        return Response(
            status: 200,
            headers: [
                (name: "Content-Type", value: MediaType.metrics),
                (name: "Cache-Control", value: "no-store"),
            ],
            body: .bytes(SharedBytes(page.text))
        )
    }

    private func streams(on page: inout MetricsPage) {
        let counted = counters.current
        page.family("fixcast_streams", "gauge", "Streams and waits that are open.")
        page.sample("fixcast_streams", [], places.count)
        page.family("fixcast_streams_opened_total", "counter", "Streams that were opened.")
        page.sample("fixcast_streams_opened_total", [], counted?.opened ?? 0)
        page.family("fixcast_streams_closed_total", "counter", "Streams that ended, and why.")
        for reason in CloseReason.allCases {
            let count = counted?.closed[reason] ?? 0
            page.sample("fixcast_streams_closed_total", [("reason", reason.rawValue)], count)
        }
        page.family("fixcast_streams_shed_total", "counter", "Streams that found no place.")
        page.sample("fixcast_streams_shed_total", [], places.refusedCount)
        page.family("fixcast_stream_events_total", "counter", "Events sent on streams.")
        page.sample("fixcast_stream_events_total", [], counted?.eventsSent ?? 0)
        page.family("fixcast_stream_bytes_total", "counter", "Bytes of streams sent.")
        page.sample("fixcast_stream_bytes_total", [], counted?.bytesSent ?? 0)
        page.family("fixcast_events_skipped_total", "counter", "Events that slow clients missed.")
        page.sample("fixcast_events_skipped_total", [], counted?.skipped ?? 0)
        page.family("fixcast_heartbeats_total", "counter", "Heartbeats sent on silent streams.")
        page.sample("fixcast_heartbeats_total", [], counted?.heartbeats ?? 0)
        page.family("fixcast_requests_refused_total", "counter", "Requests that were not read.")
        page.sample("fixcast_requests_refused_total", [], counted?.refused ?? 0)
    }

    private func sources(on page: inout MetricsPage) {
        let devices = hub.catalogue.names.indices
        page.family("fixcast_fixes_total", "counter", "Fixes of each device.")
        for device in devices {
            let name = hub.catalogue.names[device]
            page.sample("fixcast_fixes_total", [("device", name)], Int(hub.log.count(of: device)))
        }
        page.family("fixcast_subscribers", "gauge", "Streams and waits that selected the device.")
        for device in devices {
            let name = hub.catalogue.names[device]
            page.sample(
                "fixcast_subscribers",
                [("device", name)],
                hub.subscriberCount(of: device)
            )
        }
        page.family("fixcast_source_runs_total", "counter", "Runs of each device's source.")
        for device in devices {
            let name = hub.catalogue.names[device]
            let runs = hub.channel(of: device).signal.snapshot.runs
            page.sample("fixcast_source_runs_total", [("device", name)], Int(runs))
        }
        page.family("fixcast_source_state", "gauge", "1 for the state each device's source is in.")
        for device in devices {
            let name = hub.catalogue.names[device]
            let state = hub.channel(of: device).signal.snapshot.state.rawValue
            page.sample("fixcast_source_state", [("device", name), ("state", state)], 1)
        }
    }
}

/// Text in the Prometheus exposition format.
///
/// Label values here are device names and states, whose letters need no escapes.
private struct MetricsPage {
    private(set) var text = ""

    mutating func family(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    mutating func sample(_ name: String, _ labels: [(String, String)], _ value: Int) {
        let inside = labels.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ",")
        text += inside.isEmpty ? "\(name) \(value)\n" : "\(name){\(inside)} \(value)\n"
    }
}
