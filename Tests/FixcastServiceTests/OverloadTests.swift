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

    @Test(arguments: ["text/event-stream", "application/x-ndjson"])
    func `a client that was too slow for the beginning of something is told with the newest fix`(
        media: String
    ) throws {
        let source = ManualSource("car")
        let harness = try ServiceHarness([source])
        defer { harness.service.stop() }
        let client = try RawSocketClient(
            port: RawSocketClient.port(of: harness.service.addresses[0]),
            receiveBuffer: 4_096
        )
        try client.get("/v1/locations", headers: ["Accept: \(media)"])
        _ = try client.receiveHead()
        #expect(eventually { harness.subscribers == 1 })
        let beginning = 9_500
        for number in 1...10_000 { source.send(discontinuity: number == beginning) }
        source.complete()
        let text = String(decoding: try client.receiveChunks(), as: UTF8.self)
        let fixes = try text.matches(of: /"id":"[^"]*-(\d+)".*"discontinuity":(true|false)/)
            .map { (number: try #require(Int($0.1)), isDiscontinuous: $0.2 == "true") }
        #expect(fixes.last?.number == 10_000)
        #expect(!fixes.contains { $0.number == beginning })
        let told = fixes.filter(\.isDiscontinuous).map(\.number)
        let next = fixes.first { $0.number > beginning }
        #expect(told.count == 1 && told.first == next?.number)
    }
}
