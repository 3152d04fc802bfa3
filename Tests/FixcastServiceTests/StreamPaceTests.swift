import TestSupport
import Testing

@testable import FixcastService

@Suite struct StreamPaceTests {
    @Test func `a silent stream carries a comment or an empty line every fifteen seconds`()
        throws
    {
        let harness = try ServiceHarness([ManualSource("car")])
        defer { harness.service.stop() }
        let events = try harness.stream("/v1/locations")
        _ = try events.receiveChunk()
        let lines = try harness.stream(
            "/v1/locations",
            headers: ["Accept: application/x-ndjson"]
        )
        for _ in 0..<3 {
            harness.scheduler.advance(by: .seconds(15))
            #expect(try events.receiveChunk() == Array(":\n\n".utf8))
            #expect(try lines.receiveChunk() == Array("\n".utf8))
        }
    }

    @Test func `clients that come together are told to come back at different times`() throws {
        let harness = try ServiceHarness([ManualSource("car")]) {
            $0.maximumStreams = 60
            $0.retry = .seconds(10)
        }
        defer { harness.service.stop() }
        let served = try (0..<60).map { _ in
            let client = try harness.stream("/v1/locations")
            return (client, time: try time(in: client.receiveChunk() ?? []))
        }
        let turnedAway = try (0..<60).map { _ in
            try time(in: Array(harness.get("/v1/locations").body.utf8))
        }
        for times in [served.map(\.time), turnedAway] {
            #expect(times.allSatisfy { (8_000...12_000).contains($0) })
            #expect(times.contains { $0 < 9_000 } && times.contains { $0 > 11_000 })
            #expect(Set(times).count > 30)
        }
        let lines = try (0..<60).map { _ in
            let answer = try harness.get(
                "/v1/locations",
                headers: ["Accept: application/x-ndjson"]
            )
            return try #require(answer.head["retry-after"].flatMap(Int.init))
        }
        #expect(lines.allSatisfy { (10...20).contains($0) } && Set(lines).count > 3)
    }

    private func time(in bytes: [UInt8]) throws -> Int {
        var parser = EventStreamParser()
        parser.feed(bytes)
        return try #require(parser.reconnectionTime)
    }

    @Test func `streams that have gone leave no timer behind`() throws {
        let source = ManualSource("car")
        let harness = try ServiceHarness([source])
        defer { harness.service.stop() }
        let clients = try (0..<50).map { _ in
            try harness.stream("/v1/locations?minInterval=1h")
        }
        source.send()
        for client in clients { _ = try client.events(through: "-1") }
        #expect(eventually { harness.scheduler.pendingCount >= 50 })
        for client in clients { client.close() }
        // What is left is the source's linger and the round of all streams' heartbeats.
        #expect(eventually { harness.scheduler.pendingCount <= 2 })
    }
}
