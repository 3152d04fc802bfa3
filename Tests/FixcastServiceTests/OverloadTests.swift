import HTTPServer
import Reactive
import TestSupport
import Testing

@testable import FixcastService

@Suite struct OverloadTests {
    private func server() -> ServerConfiguration {
        var configuration = Configuration()
        configuration.corsOrigins = ["https://map.example"]
        let hub = EventHub(
            sources: [ManualSource("car")],
            epoch: "a",
            configuration: configuration,
            scheduler: TestScheduler()
        )
        let routes = Routes(
            hub: hub,
            configuration: configuration,
            lifecycle: Lifecycle(),
            version: "1"
        )
        return configuration.server(for: routes)
    }

    private func text(_ response: Response?) -> String {
        guard case .bytes(let bytes) = response?.body else { return "" }
        return String(decoding: bytes.bytes, as: UTF8.self)
    }

    @Test func `an EventSource that finds no connection is told to come back`() throws {
        let headers = Headers([
            ("Accept", "text/event-stream"), ("Origin", "https://map.example"),
        ])
        let request = try #require(Request(target: "/v1/locations?device=car", headers: headers))
        let response = server().overload(request)
        #expect(response?.status == 200)
        #expect(text(response).contains("retry: "))
        #expect(text(response).contains("event: bye\n"))
        let origin = response?.headers.first { $0.name == "Access-Control-Allow-Origin" }
        #expect(origin?.value == "https://map.example")
    }

    @Test func `other clients that find no connection get a problem`() throws {
        let lines = try #require(
            Request(
                target: "/v1/locations",
                headers: Headers([("Accept", "application/x-ndjson")])
            )
        )
        #expect(server().overload(lines)?.status == 503)
        let devices = try #require(Request(target: "/v1/devices"))
        #expect(server().overload(devices) == nil)
    }

    @Test func `health has connections and a thread of its own`() throws {
        #expect(server().reservedPaths == ["/livez", "/readyz", "/healthz"])
    }

    @Test func `what the server refuses on its own may be read by an allowed origin`() {
        let headers = server().commonHeaders("https://map.example")
        #expect(headers.contains { $0 == ("Access-Control-Allow-Origin", "https://map.example") })
        let other = server().commonHeaders("https://other.example")
        #expect(!other.contains { $0.name == "Access-Control-Allow-Origin" })
    }
}
