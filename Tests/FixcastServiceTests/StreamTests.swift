import Location
import Reactive
import TestSupport
import Testing

@testable import FixcastService

@Suite struct StreamTests {
    @Test
    func `the first stream starts the source and the last one's end stops it after the linger`()
        throws
    {
        let source = ManualSource("car")
        let harness = try ServiceHarness([source]) { $0.linger = .seconds(5) }
        defer { harness.service.stop() }
        #expect(source.starts == 0)
        let first = try harness.stream("/v1/locations")
        let second = try harness.stream("/v1/locations")
        #expect(source.starts == 1)
        first.close()
        second.reset()
        #expect(eventually { harness.subscribers == 0 })
        #expect(source.isRunning)
        harness.scheduler.advance(by: .seconds(5))
        #expect(eventually { !source.isRunning })
        let third = try harness.stream("/v1/locations")
        #expect(source.starts == 2)
        third.close()
    }

    @Test func `a stream begins with its headers, retry and a comment on a silent source`() throws {
        let harness = try ServiceHarness([ManualSource("car")]) { $0.retry = .seconds(2) }
        defer { harness.service.stop() }
        let client = try harness.open("/v1/locations")
        let head = try client.receiveHead()
        #expect(head.status == 200)
        #expect(head["content-type"] == "text/event-stream; charset=utf-8")
        #expect(head["cache-control"] == "no-store, no-transform")
        #expect(head["x-accel-buffering"] == "no")
        #expect(head["transfer-encoding"] == "chunked")
        #expect(head["server"] == "fixcast/\(Service.version)")
        var parser = EventStreamParser()
        parser.feed(try client.receiveChunk() ?? [])
        #expect((1600...2400).contains(parser.reconnectionTime ?? 0))
        #expect(!parser.comments.isEmpty)
    }

    @Test
    func `a newcomer gets the newest fix of each device by rising id and then every later one`()
        throws
    {
        let car = ManualSource("car")
        let boats = ManualSource("gig", "sloop")
        let harness = try ServiceHarness([car, boats])
        defer { harness.service.stop() }
        let early = try harness.stream("/v1/locations")
        boats.send("gig")
        car.send()
        boats.send("sloop")
        car.send()
        _ = try early.events(through: "-4")
        let late = try harness.stream("/v1/locations")
        car.send()
        boats.send("gig")
        #expect(try late.events(through: "-6").map(\.sequence) == [1, 3, 4, 5, 6])
    }

    @Test func `a fix older than the maximum age is not sent to a newcomer`() throws {
        let source = ManualSource("car")
        let harness = try ServiceHarness([source]) { $0.maximumFixAge = .seconds(60) }
        defer { harness.service.stop() }
        let early = try harness.stream("/v1/locations")
        source.send()
        _ = try early.events(through: "-1")
        harness.scheduler.advance(by: .seconds(61))
        let late = try harness.stream("/v1/locations")
        source.send()
        #expect(try late.events(through: "-2").map(\.sequence) == [2])
        #expect(try harness.get("/v1/locations/latest").body.contains("-2"))
    }

    @Test func `a fix from before the run has the age it had then`() throws {
        let source = ManualSource("car", kind: .live)
        let harness = try ServiceHarness([source]) { $0.maximumFixAge = .seconds(60) }
        defer { harness.service.stop() }
        let early = try harness.stream("/v1/locations")
        source.sendLastKnown(age: .seconds(50))
        _ = try early.events(through: "-1")
        #expect(try harness.get("/v1/locations/latest").body.contains("-1"))
        harness.scheduler.advance(by: .seconds(11))
        #expect(try harness.get("/v1/locations/latest").body == "{\"locations\":[]}\n")
        let late = try harness.stream("/v1/locations")
        source.send()
        #expect(try late.events(through: "-2").map(\.sequence) == [2])
    }

    @Test func `a fix from before the run that is too old is said to be so`() throws {
        let source = ManualSource("car", kind: .live)
        let harness = try ServiceHarness([source]) { $0.maximumFixAge = .seconds(60) }
        defer { harness.service.stop() }
        let client = try harness.stream("/v1/locations")
        source.sendLastKnown(age: .seconds(61))
        source.send()
        let events = try client.events(through: "latitude")
        #expect(events.map(\.type) == ["status", "message"])
        #expect(events[0].data.contains(#""state":"nofix","message":"no position since 2026-"#))
    }

    @Test func `the newest fix of the run before is not sent again by the next run`() throws {
        let source = ManualSource("car", kind: .live)
        let harness = try ServiceHarness([source]) {
            $0.warmUp = .zero
            $0.linger = .zero
        }
        defer { harness.service.stop() }
        let client = try harness.stream("/v1/locations")
        source.sendLastKnown(age: .zero)
        #expect(try client.events(through: "-1").count == 1)
        client.close()
        #expect(eventually { source.stops == 1 })
        let next = try harness.stream("/v1/locations")
        source.sendLastKnown(age: .zero)
        source.send(latitude: 47.25)
        #expect(try next.events(through: "47.25").map(\.sequence) == [1, 2])
    }

    @Test func `a source that comes back with the fix that was the newest has no error`() throws {
        let source = ManualSource("car", kind: .live)
        let harness = try ServiceHarness([source]) { $0.warmUp = .zero }
        defer { harness.service.stop() }
        let client = try harness.stream("/v1/locations")
        source.sendLastKnown(age: .zero)
        _ = try client.events(through: "-1")
        source.fail("unplugged")
        harness.scheduler.advance(by: .seconds(60))
        #expect(eventually { source.starts == 2 })
        source.sendLastKnown(age: .zero)
        #expect(try client.events(through: "running").map(\.type) == ["status", "status"])
        #expect(try harness.get("/v1/devices/car").body.contains(#""error":null"#))
    }

    @Test func `a newcomer is told why there is no fix, as long as there is none`() throws {
        let source = ManualSource("car", kind: .live)
        let harness = try ServiceHarness([source])
        defer { harness.service.stop() }
        #expect(eventually { source.isRunning })
        source.announce("nofix")
        let early = try harness.stream("/v1/locations")
        #expect(try early.events(through: "nofix").map(\.type) == ["status"])
        source.send()
        let late = try harness.stream("/v1/locations")
        #expect(try late.events(through: "-1").map(\.type) == ["message"])
    }

    @Test func `a selected device starts only the source that has it`() throws {
        let car = ManualSource("car")
        let boat = ManualSource("boat")
        let harness = try ServiceHarness([car, boat])
        defer { harness.service.stop() }
        let client = try harness.stream("/v1/locations?device=boat")
        #expect(car.starts == 0)
        boat.send()
        #expect(try client.events(through: "boat").count == 1)
    }

    @Test func `a limit ends the stream in order after so many fixes`() throws {
        let source = ManualSource("car")
        let harness = try ServiceHarness([source])
        defer { harness.service.stop() }
        let client = try harness.stream("/v1/locations?limit=2")
        for _ in 0..<5 { source.send() }
        #expect(try client.eventsToEnd().map(\.sequence) == [1, 2])
        #expect(eventually { harness.subscribers == 0 })
    }

    @Test func `a stream of lines carries the same fixes, one object a line`() throws {
        let source = ManualSource("car")
        let harness = try ServiceHarness([source])
        defer { harness.service.stop() }
        let client = try harness.open(
            "/v1/locations?limit=2",
            headers: ["Accept: application/x-ndjson"]
        )
        #expect(try client.receiveHead()["content-type"] == "application/x-ndjson")
        #expect(eventually { harness.subscribers == 1 })
        source.send()
        source.send()
        let lines = String(decoding: try client.receiveChunks(), as: UTF8.self).split(
            separator: "\n"
        )
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.hasPrefix("{\"id\":") && $0.hasSuffix("}") })
    }

    @Test func `a stream can carry GeoJSON features`() throws {
        let source = ManualSource("car")
        let harness = try ServiceHarness([source])
        defer { harness.service.stop() }
        let client = try harness.stream("/v1/locations?format=geojson&limit=1")
        source.send()
        let events = try client.eventsToEnd()
        #expect(events.first?.data.hasPrefix(#"{"type":"Feature","id":"car""#) == true)
    }

    @Test func `with an interval the last fix that is held back leaves at its end`() throws {
        let source = ManualSource("car")
        let harness = try ServiceHarness([source])
        defer { harness.service.stop() }
        let client = try harness.stream("/v1/locations?minInterval=10s")
        for _ in 0..<3 { source.send() }
        #expect(try client.events(through: "-1").map(\.sequence) == [1])
        harness.scheduler.advance(by: .seconds(10))
        #expect(try client.events(through: "-3").map(\.sequence) == [3])
    }

    @Test func `a failing source says so and the stream goes on when it is back`() throws {
        let source = ManualSource("car", kind: .live)
        let harness = try ServiceHarness([source]) { $0.warmUp = .zero }
        defer { harness.service.stop() }
        let client = try harness.stream("/v1/locations")
        source.fail("the receiver is unplugged")
        let status = try client.events(through: "unplugged").last
        #expect(status?.type == "status")
        #expect(status?.data.contains(#""state":"backoff""#) == true)
        #expect(try harness.get("/v1/devices").body.contains("the receiver is unplugged"))
        harness.scheduler.advance(by: .seconds(60))
        #expect(eventually { source.starts == 2 })
        source.send()
        let later = try client.events(through: "-1")
        #expect(later.map(\.type) == ["status", "message"])
        #expect(later.first?.data.contains(#""state":"running""#) == true)
    }

    @Test func `a failure is told once to each stream, however often the source is tried again`()
        throws
    {
        let source = ManualSource("car", kind: .live)
        let harness = try ServiceHarness([source]) { $0.warmUp = .zero }
        defer { harness.service.stop() }
        let first = try harness.stream("/v1/locations")
        for starts in 1...4 {
            #expect(eventually { source.starts == starts })
            source.fail("the receiver is unplugged")
            harness.scheduler.advance(by: .seconds(60))
        }
        #expect(eventually { source.starts == 5 })
        let second = try harness.stream("/v1/locations")
        source.fail("the receiver is broken")
        harness.scheduler.advance(by: .seconds(60))
        #expect(eventually { source.starts == 6 })
        source.send()
        for client in [first, second] {
            let events = try client.events(through: "-1")
            #expect(events.map(\.type) == ["status", "status", "status", "message"])
            let words = ["unplugged", "broken", "running", "latitude"]
            #expect(zip(events, words).allSatisfy { $0.data.contains($1) })
        }
    }

    @Test func `a source that fails again and again is tried less and less often`() throws {
        let source = ManualSource("car", kind: .live)
        let harness = try ServiceHarness([source]) { $0.warmUp = .zero }
        defer { harness.service.stop() }
        let client = try harness.stream("/v1/locations")
        for wait in [1, 2, 4, 8, 16, 30, 30] {
            let starts = source.starts
            source.announce("nofix")
            source.fail("the receiver is unplugged")
            harness.scheduler.advance(by: .milliseconds(wait * 800 - 1))
            #expect(source.starts == starts)
            harness.scheduler.advance(by: .milliseconds(wait * 400 + 1))
            #expect(eventually { source.starts == starts + 1 })
        }
        client.close()
    }

    @Test func `a receiver without a fix says so`() throws {
        let source = ManualSource("car", kind: .live)
        let harness = try ServiceHarness([source]) { $0.warmUp = .zero }
        defer { harness.service.stop() }
        let client = try harness.stream("/v1/locations")
        source.announce("nofix")
        let event = try client.events(through: "nofix").first
        #expect(event?.data == #"{"device":"car","state":"nofix","message":null}"#)
        #expect(event?.lastEventID == "")
    }

    @Test func `every source but a replay is held open at the start`() throws {
        let live = ManualSource("live", kind: .live)
        let replay = ManualSource("replay", kind: .replay)
        let harness = try ServiceHarness([live, replay]) {
            $0.warmUp = .seconds(3)
            $0.linger = .zero
        }
        defer { harness.service.stop() }
        harness.scheduler.advance()
        #expect(eventually { live.isRunning })
        #expect(replay.starts == 0)
        #expect(harness.subscribers == 0)
        harness.scheduler.advance(by: .seconds(3))
        #expect(eventually { !live.isRunning })
    }
}
