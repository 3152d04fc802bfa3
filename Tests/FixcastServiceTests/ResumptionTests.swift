import TestSupport
import Testing

@testable import FixcastService

@Suite struct ResumptionTests {
    /// Sends `count` fixes to a stream and returns the id of the last.
    private func epoch(_ harness: ServiceHarness, _ source: ManualSource, count: Int) throws
        -> String
    {
        let client = try harness.stream("/v1/locations")
        for _ in 0..<count { source.send() }
        let events = try client.events(through: "-\(count)")
        client.close()
        guard eventually({ harness.subscribers == 0 }) else {
            throw RawSocketClient.Failure.timeout
        }
        return events.last?.lastEventID.split(separator: "-").first.map(String.init) ?? ""
    }

    @Test
    func `a client that names an id of the history gets exactly what it missed and then live`()
        throws
    {
        let source = ManualSource("car")
        let harness = try ServiceHarness([source])
        defer { harness.service.stop() }
        let epoch = try epoch(harness, source, count: 5)
        let client = try harness.stream("/v1/locations", headers: ["Last-Event-ID: \(epoch)-2"])
        source.send()
        #expect(try client.events(through: "-6").map(\.sequence) == [3, 4, 5, 6])
    }

    @Test func `a client that names the newest id gets nothing again`() throws {
        let source = ManualSource("car")
        let harness = try ServiceHarness([source])
        defer { harness.service.stop() }
        let epoch = try epoch(harness, source, count: 3)
        let client = try harness.stream("/v1/locations?lastEventId=\(epoch)-3")
        source.send()
        #expect(try client.events(through: "-4").map(\.sequence) == [4])
    }

    @Test(arguments: ["other-3", "nonsense", "%0A", "%00", "-1", "999999999999999999999999-1"])
    func `a client that names an unknown id gets a reset and a fresh start`(id: String) throws {
        let source = ManualSource("car")
        let harness = try ServiceHarness([source])
        defer { harness.service.stop() }
        _ = try epoch(harness, source, count: 3)
        let client = try harness.stream("/v1/locations?lastEventId=\(id)")
        let events = try client.events(through: "-3")
        #expect(events.map(\.type) == ["reset", "message"])
        #expect(events.first?.data.hasPrefix(#"{"reason":"unknown","requested":"#) == true)
        #expect(events.first?.lastEventID == "")
        #expect(events.last?.sequence == 3)
    }

    @Test func `an id that has left the history is answered by a reset`() throws {
        let source = ManualSource("car")
        let harness = try ServiceHarness([source]) { $0.history = 2 }
        defer { harness.service.stop() }
        let epoch = try epoch(harness, source, count: 5)
        let client = try harness.stream("/v1/locations?lastEventId=\(epoch)-1")
        let events = try client.events(through: "-5")
        #expect(events.map(\.type) == ["reset", "message"])
        #expect(events.first?.data.contains(#""reason":"expired""#) == true)
    }

    @Test(arguments: ["a-0", "now:0", "0", "a-18446744073709551615", "earliest"])
    func `an id from elsewhere gets a reset also before the first fix`(id: String) throws {
        let source = ManualSource("car")
        let harness = try ServiceHarness([source])
        defer { harness.service.stop() }
        let client = try harness.stream("/v1/locations?lastEventId=\(id)")
        source.send()
        let events = try client.events(through: "latitude")
        #expect(events.map(\.type) == ["reset", "message"])
    }

    @Test func `an id of an earlier start gets a reset when its number is given again`() throws {
        let earlier = ManualSource("car")
        let before = try ServiceHarness([earlier])
        let old = try epoch(before, earlier, count: 3)
        before.service.stop()
        let source = ManualSource("car")
        let harness = try ServiceHarness([source])
        defer { harness.service.stop() }
        #expect(try epoch(harness, source, count: 5) != old)
        let client = try harness.stream("/v1/locations?lastEventId=\(old)-3")
        let events = try client.events(through: "-5")
        #expect(events.map(\.type) == ["reset", "message"])
    }

    @Test func `a client that leaves in the middle of what it missed holds nobody up`() throws {
        let source = ManualSource("car")
        let harness = try ServiceHarness([source])
        defer { harness.service.stop() }
        let other = try harness.stream("/v1/locations?minInterval=1h")
        for _ in 0..<1_000 { source.send() }
        let first = try #require(try other.events(through: "-1").last?.lastEventID)
        let port = RawSocketClient.port(of: harness.service.addresses[0])
        let clients = try (0..<5).map { _ in
            let client = try RawSocketClient(port: port, receiveBuffer: 4_096)
            try client.get("/v1/locations", headers: ["Last-Event-ID: \(first)"])
            _ = try client.receiveHead()
            return client
        }
        #expect(eventually { harness.subscribers == 6 })
        for client in clients { client.reset() }
        #expect(eventually { harness.subscribers == 1 })
        let next = try harness.stream("/v1/locations?lastEventId=\(first.dropLast())999")
        source.send()
        #expect(try next.events(through: "-1001").map(\.sequence) == [1_000, 1_001])
    }

    @Test(arguments: Configuration.SlowClient.allCases)
    func `what was missed arrives whole however short the queue is`(
        policy: Configuration.SlowClient
    ) throws {
        let source = ManualSource("car")
        let harness = try ServiceHarness([source]) {
            $0.streamQueue = 1
            $0.slowClient = policy
        }
        defer { harness.service.stop() }
        // A client that selects another order of things keeps the source running meanwhile.
        let other = try harness.stream("/v1/locations?bbox=1,1,2,2")
        for _ in 0..<200 { source.send() }
        let latest = try harness.get("/v1/locations/latest").body
        let epoch = try #require(latest.split(separator: "\"").dropFirst(5).first)
            .prefix { $0 != "-" }
        let client = try harness.stream("/v1/locations?lastEventId=\(epoch)-1")
        #expect(try client.events(through: "-200").map(\.sequence) == Array(2...200))
        other.close()
    }

    @Test func `more devices than the queue has places all begin with their newest fix`() throws {
        let names = (0..<100).map { "d\($0)" }
        let source = ManualSource(names)
        let harness = try ServiceHarness([source]) { $0.streamQueue = 1 }
        defer { harness.service.stop() }
        let early = try harness.stream("/v1/locations")
        for name in names { source.send(name) }
        _ = try early.events(through: "-100")
        let late = try harness.stream("/v1/locations")
        #expect(try late.events(through: "-100").map(\.sequence) == Array(1...100))
    }

    @Test func `a client that saw the end of a track gets 204 even when its id is long past`()
        throws
    {
        let track = ManualSource("car", isLooping: false)
        let busy = ManualSource("boat")
        let harness = try ServiceHarness([track, busy]) { $0.history = 2 }
        defer { harness.service.stop() }
        let client = try harness.stream("/v1/locations?device=car")
        track.send()
        track.complete()
        let seen = try #require(try client.eventsToEnd().last?.lastEventID)
        let other = try harness.stream("/v1/locations?device=boat")
        for _ in 0..<10 { busy.send() }
        _ = try other.events(through: "-11")
        let again = try harness.get("/v1/locations?device=car&lastEventId=\(seen)")
        #expect(again.head.status == 204)
        #expect(track.starts == 1)
    }

    @Test func `an empty id is the same as none`() throws {
        let source = ManualSource("car")
        let harness = try ServiceHarness([source])
        defer { harness.service.stop() }
        _ = try epoch(harness, source, count: 3)
        let client = try harness.stream("/v1/locations", headers: ["Last-Event-ID: "])
        #expect(try client.events(through: "-3").map(\.type) == ["message"])
    }

    @Test
    func `a track that does not loop ends its streams and a client that saw the end gets 204`()
        throws
    {
        let source = ManualSource("car", isLooping: false)
        let harness = try ServiceHarness([source])
        defer { harness.service.stop() }
        let client = try harness.stream("/v1/locations")
        source.send()
        source.send()
        source.complete()
        let events = try client.eventsToEnd()
        #expect(events.map(\.type) == ["message", "message", "end"])
        #expect(events.last?.data == #"{"device":"car"}"#)
        let seen = try #require(events.last?.lastEventID)
        #expect(seen.hasSuffix("-2"))

        let again = try harness.get("/v1/locations", headers: ["Last-Event-ID: \(seen)"])
        #expect(again.head.status == 204)
        #expect(source.starts == 1)

        let epoch = seen.dropLast(2)
        let behind = try harness.open("/v1/locations?lastEventId=\(epoch)-1")
        #expect(try behind.receiveHead().status == 200)
        let rest = try behind.eventsToEnd()
        #expect(rest.map(\.type) == ["message", "end"])
        #expect(rest.first?.sequence == 2)
        #expect(source.starts == 1)
    }

    @Test func `a client without an id starts a new run of a track that has ended`() throws {
        let source = ManualSource("car", isLooping: false)
        let harness = try ServiceHarness([source])
        defer { harness.service.stop() }
        let first = try harness.stream("/v1/locations")
        source.send()
        source.complete()
        _ = try first.eventsToEnd()
        let second = try harness.stream("/v1/locations")
        #expect(source.starts == 2)
        source.send()
        #expect(try second.events(through: "-2").map(\.sequence) == [1, 2])
    }

    @Test func `a stream of two tracks ends when both have ended`() throws {
        let car = ManualSource("car", isLooping: false)
        let boat = ManualSource("boat", isLooping: false)
        let harness = try ServiceHarness([car, boat])
        defer { harness.service.stop() }
        let client = try harness.stream("/v1/locations")
        car.send()
        car.complete()
        boat.send()
        boat.complete()
        let events = try client.eventsToEnd()
        #expect(events.map(\.type) == ["message", "end", "message", "end"])
    }

    @Test(arguments: ["", "&format=geojson"])
    func `what was missed is filtered without losing that something new began`(
        format: String
    ) throws {
        let source = ManualSource("car")
        let harness = try ServiceHarness([source])
        defer { harness.service.stop() }
        let epoch = try epoch(harness, source, count: 1)
        let other = try harness.stream("/v1/locations")
        source.send(latitude: 50, discontinuity: true)
        source.send()
        source.send()
        _ = try other.events(through: "-4")
        let client = try harness.stream(
            "/v1/locations?bbox=7,46,8,47&lastEventId=\(epoch)-1\(format)"
        )
        let events = try client.events(through: "-4")
        #expect(events.map(\.sequence) == [3, 4])
        #expect(events.map { $0.data.contains(#""discontinuity":true"#) } == [true, false])
    }
}
