import Reactive
import TestSupport
import Testing

@testable import FixcastService

@Suite struct ResourceTests {
    @Test func `the newest fixes have a tag that answers 304 until one changes`() throws {
        let source = ManualSource("car")
        let harness = try ServiceHarness([source])
        defer { harness.service.stop() }
        #expect(try harness.get("/v1/locations/latest").body == "{\"locations\":[]}\n")
        let client = try harness.stream("/v1/locations")
        source.send()
        _ = try client.events(through: "-1")
        let first = try harness.get("/v1/locations/latest")
        #expect(first.body.hasPrefix(#"{"locations":[{"id":""#))
        let tag = try #require(first.head["etag"])
        let known = ["If-None-Match: \"other\", W/\(tag)"]
        let unchanged = try harness.get("/v1/locations/latest", headers: known)
        #expect(unchanged.head.status == 304)
        #expect(unchanged.body.isEmpty)
        #expect(unchanged.head["content-length"] == first.head["content-length"])
        let inside = ["If-None-Match: \"a,\(tag),b\""]
        #expect(try harness.get("/v1/locations/latest", headers: inside).head.status == 200)
        source.send()
        _ = try client.events(through: "-2")
        #expect(try harness.get("/v1/locations/latest", headers: known).head.status == 200)
    }

    @Test func `the newest fixes come as a feature collection to who prefers it`() throws {
        let harness = try ServiceHarness([ManualSource("car")])
        defer { harness.service.stop() }
        let answer = try harness.get(
            "/v1/locations/latest",
            headers: ["Accept: application/geo+json"]
        )
        #expect(answer.head["content-type"] == "application/geo+json")
        #expect(answer.body == "{\"type\":\"FeatureCollection\",\"features\":[]}\n")
    }

    @Test func `a wait counts as a subscriber and is answered by the first fix`() throws {
        let source = ManualSource("car")
        let harness = try ServiceHarness([source])
        defer { harness.service.stop() }
        let client = try harness.open("/v1/locations/latest?wait=10s")
        #expect(eventually { source.isRunning && harness.subscribers == 1 })
        source.send()
        #expect(try client.receiveHead().status == 200)
        #expect(eventually { harness.subscribers == 0 })
    }

    @Test func `a wait that sees no fix is answered at its end`() throws {
        let source = ManualSource("car")
        let harness = try ServiceHarness([source])
        defer { harness.service.stop() }
        let client = try harness.open("/v1/locations/latest?wait=10s")
        #expect(eventually { harness.subscribers == 1 })
        harness.scheduler.advance(by: .seconds(10))
        #expect(try client.receiveHead().status == 200)
        #expect(eventually { harness.subscribers == 0 })
    }

    @Test func `a wait is answered when the service begins to end`() throws {
        let source = ManualSource("car")
        let harness = try ServiceHarness([source])
        let client = try harness.open("/v1/locations/latest?wait=10s")
        #expect(eventually { harness.subscribers == 1 })
        harness.service.shutDown {}
        #expect(try client.receiveHead().status == 200)
        harness.service.stop()
    }

    @Test func `a client that leaves while it waits is no subscriber any more`() throws {
        let source = ManualSource("car")
        let harness = try ServiceHarness([source])
        defer { harness.service.stop() }
        let client = try harness.open("/v1/locations/latest?wait=10s")
        #expect(eventually { harness.subscribers == 1 })
        client.reset()
        #expect(eventually { harness.subscribers == 0 })
    }

    @Test func `the devices show state, subscribers, runs and fixes`() throws {
        let source = ManualSource("car")
        let harness = try ServiceHarness([source])
        defer { harness.service.stop() }
        let idle =
            #"{"device":"car","kind":"replay","state":"idle","subscribers":0,"runs":0,"fixes":0,"#
            + #""latest":null,"error":null}"#
        #expect(try harness.get("/v1/devices").body == "{\"devices\":[\(idle)]}\n")
        let first = try harness.stream("/v1/locations")
        let second = try harness.stream("/v1/locations")
        source.send()
        _ = try first.events(through: "-1")
        let running = try harness.get("/v1/devices/car").body
        let expected = #""state":"running","subscribers":2,"runs":1,"fixes":1,"latest":{"id":""#
        #expect(running.contains(expected))
        first.reset()
        second.reset()
        #expect(eventually { harness.subscribers == 0 })
        #expect(try harness.get("/v1/devices/car").body.contains(#""state":"lingering""#))
    }

    @Test(arguments: ["/livez", "/readyz", "/healthz"])
    func `health is told as JSON`(path: String) throws {
        let harness = try ServiceHarness([ManualSource("car")])
        defer { harness.service.stop() }
        let answer = try harness.get(path)
        #expect(answer.head.status == 200)
        let start = #"{"status":"ok","checks":{"lifecycle":"ready","sources":"ok","streams":"ok"},"#
        #expect(answer.body.hasPrefix(start))
        #expect(
            answer.body.contains(#""version":"\#(Service.version)","uptimeSeconds":0,"streams":0"#)
        )
    }

    @Test(arguments: [
        ("/v1/locations?device=boat", 404), ("/v1/locations?limit=x", 400),
        ("/v1/devices/boat", 404), ("/v1/devices?x=1", 400), ("/nowhere", 404),
        ("/v1/locations/latest?wait=31s", 400), ("/v1/locations/history?since=x-1", 400),
    ])
    func `every error is a problem document`(target: String, status: Int) throws {
        let harness = try ServiceHarness([ManualSource("car")])
        defer { harness.service.stop() }
        let answer = try harness.get(target)
        #expect(answer.head.status == status)
        #expect(answer.head["content-type"] == "application/problem+json")
        #expect(answer.body.contains("\"status\":\(status)"))
    }

    @Test func `a client that takes none of the forms gets 406`() throws {
        let harness = try ServiceHarness([ManualSource("car")])
        defer { harness.service.stop() }
        let headers = ["Accept: image/png"]
        for path in ["/v1/locations", "/v1/locations/latest", "/v1/locations/history"] {
            #expect(try harness.get(path, headers: headers).head.status == 406)
        }
    }

    @Test func `the history holds the kept events, those after an id, and no more than asked for`()
        throws
    {
        let source = ManualSource("car")
        let harness = try ServiceHarness([source])
        defer { harness.service.stop() }
        let client = try harness.stream("/v1/locations")
        for _ in 0..<4 { source.send() }
        let last = try #require(try client.events(through: "-4").last?.lastEventID)
        let epoch = last.dropLast(2)
        let all = try harness.get("/v1/locations/history").body
        #expect(all.split(separator: "\"id\"").count == 5)
        let lines = try harness.get(
            "/v1/locations/history?since=\(epoch)-1&limit=2",
            headers: ["Accept: application/x-ndjson"]
        ).body.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.contains("\(epoch)-2") == true)
    }

    @Test func `above the stream places an event stream is turned away so that it comes back`()
        throws
    {
        let harness = try ServiceHarness([ManualSource("car")]) { $0.maximumStreams = 1 }
        defer { harness.service.stop() }
        let first = try harness.stream("/v1/locations")
        let shed = try harness.open("/v1/locations", headers: ["Accept: text/event-stream"])
        #expect(try shed.receiveHead().status == 200)
        let lines = try harness.get(
            "/v1/locations",
            headers: ["Accept: application/x-ndjson"]
        )
        #expect(lines.head.status == 503)
        #expect(lines.head["retry-after"] != nil)
        let health = try harness.get("/readyz")
        #expect(health.head.status == 200)
        #expect(health.body.contains(#""streams":"full""#))
        #expect(try harness.get("/v1/locations/latest?wait=5s").head.status == 200)
        first.close()
        #expect(eventually { harness.subscribers == 0 })
        let next = try harness.stream("/v1/locations")
        next.close()
    }

    @Test func `a form that is not to be had is refused for this Accept only`() throws {
        let harness = try ServiceHarness([ManualSource("car")])
        defer { harness.service.stop() }
        for path in ["/v1/locations", "/v1/locations/latest", "/v1/locations/history"] {
            let answer = try harness.get(path, headers: ["Accept: image/png"])
            #expect(answer.head.status == 406 && answer.head["vary"] == "Accept")
        }
    }

    @Test func `a wait that is too long is refused in the words of the parameter`() throws {
        let harness = try ServiceHarness([ManualSource("car")])
        defer { harness.service.stop() }
        let answer = try harness.get("/v1/locations/latest?wait=31s")
        #expect(answer.body.contains("wait=31s is too long; expected at most 30s"))
    }

    @Test(arguments: ["/v1%2Fdevices", "/v1/devices%2fcar", "/v1/devices/car%2F", "/%2Flivez"])
    func `an encoded slash does not separate the segments of a path`(target: String) throws {
        let harness = try ServiceHarness([ManualSource("car")])
        defer { harness.service.stop() }
        #expect(try harness.get(target).head.status == 404)
    }

    @Test func `an allowed origin is echoed on every answer and another is not`() throws {
        let harness = try ServiceHarness([ManualSource("car")]) {
            $0.corsOrigins = ["https://a.example"]
        }
        defer { harness.service.stop() }
        for path in ["/v1/devices", "/nowhere", "/v1/locations?limit=x"] {
            let allowed = try harness.get(path, headers: ["Origin: https://a.example"])
            #expect(allowed.head["access-control-allow-origin"] == "https://a.example")
            #expect(allowed.head["access-control-allow-credentials"] == "true")
            let other = try harness.get(path, headers: ["Origin: https://b.example"])
            #expect(other.head["access-control-allow-origin"] == nil)
            #expect(other.head.fields.contains { $0.name == "vary" && $0.value == "Origin" })
        }
    }

    @Test(arguments: [
        "/v1/locations", "/v1/locations/latest", "/v1/locations/history", "/v1/devices",
        "/v1/devices/car", "/livez", "/metrics",
    ])
    func `a preflight allows what clients that reconnect send, to allowed origins only`(
        path: String
    ) throws {
        let harness = try ServiceHarness([ManualSource("car")]) {
            $0.corsOrigins = ["https://a.example"]
        }
        defer { harness.service.stop() }
        func allowed(_ origin: String) throws -> Set<String> {
            let port = RawSocketClient.port(of: harness.service.addresses[0])
            let client = try RawSocketClient(port: port)
            try client.send(
                "OPTIONS \(path) HTTP/1.1\r\nHost: a\r\nOrigin: \(origin)\r\n"
                    + "Access-Control-Request-Method: GET\r\n"
                    + "Access-Control-Request-Headers: last-event-id\r\n\r\n"
            )
            let head = try client.receiveHead()
            #expect((200..<300).contains(head.status))
            let names = head["access-control-allow-headers"] ?? ""
            return Set(names.split(separator: ", ").map(String.init))
        }
        let wanted: Set = ["last-event-id", "authorization", "cache-control"]
        #expect(try allowed("https://a.example") == wanted)
        #expect(try allowed("https://b.example") == [])
    }

    @Test func `any origin is allowed without credentials when the origin is a star`() throws {
        let harness = try ServiceHarness([ManualSource("car")]) { $0.corsOrigins = ["*"] }
        defer { harness.service.stop() }
        let answer = try harness.get("/livez", headers: ["Origin: https://b.example"])
        #expect(answer.head["access-control-allow-origin"] == "https://b.example")
        #expect(answer.head["access-control-allow-credentials"] == nil)
    }

    @Test func `shutting down says bye to the streams and ends them in order`() throws {
        let source = ManualSource("car")
        let harness = try ServiceHarness([source])
        let client = try harness.stream("/v1/locations")
        let ended = Gate()
        harness.service.shutDown { ended.open() }
        let events = try client.eventsToEnd()
        #expect(events.map(\.type) == ["bye"])
        #expect(events.first?.data == #"{"reason":"draining"}"#)
        #expect(
            eventually {
                harness.scheduler.advance(by: .seconds(1))
                return !source.isRunning
            }
        )
    }

    @Test func `a second call to shut down ends at once and the first still hears of the end`()
        throws
    {
        let harness = try ServiceHarness([ManualSource("car")]) { $0.drain = .seconds(600) }
        let clients = try (0..<3).map { _ in try harness.stream("/v1/locations") }
        let ended = SimpleDisposable()
        harness.service.shutDown { ended.dispose() }
        harness.service.shutDown {}
        for client in clients { _ = try client.eventsToEnd() }
        #expect(
            eventually {
                harness.scheduler.advance()
                return ended.isDisposed
            }
        )
    }

    @Test func `metrics are in the exposition format and count streams and fixes`() throws {
        let source = ManualSource("car")
        let harness = try ServiceHarness([source])
        defer { harness.service.stop() }
        let client = try harness.stream("/v1/locations")
        source.send()
        _ = try client.events(through: "-1")
        let page = try harness.get("/metrics")
        #expect(page.head["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        #expect(page.body.contains("\nfixcast_fixes_total{device=\"car\"} 1\n"))
        #expect(page.body.contains("\nfixcast_streams 1\n"))
        #expect(page.body.contains("\nfixcast_source_state{device=\"car\",state=\"running\"} 1\n"))
    }

    @Test func `heartbeats and refused requests are counted`() throws {
        let harness = try ServiceHarness([ManualSource("car")])
        defer { harness.service.stop() }
        let client = try harness.stream("/v1/locations")
        _ = try client.receiveChunk()
        harness.scheduler.advance(by: .seconds(15))
        _ = try client.receiveChunk()
        #expect(try harness.get("/livez", headers: ["Host: b"]).head.status == 400)
        let page = try harness.get("/metrics").body
        #expect(page.contains("\nfixcast_heartbeats_total 1\n"))
        #expect(page.contains("\nfixcast_requests_refused_total 1\n"))
    }
}
