import HTTPServer
import Reactive
import TestSupport
import Testing

@Suite struct StreamTimeTests {
    private func server(
        _ scheduler: TestScheduler,
        configure: (inout ServerConfiguration) -> Void = { _ in }
    ) throws -> TestServer {
        try TestServer(
            scheduler: scheduler,
            body: {
                $0.heartbeat = SharedBytes(":beat\n")
                $0.farewell = { SharedBytes("bye \($0.rawValue)\n") }
            },
            configure: configure
        )
    }

    @Test func `a heartbeat is sent after its time without traffic and again after it`() throws {
        let scheduler = TestScheduler()
        let server = try server(scheduler)
        let (client, stream) = try server.openStream()
        scheduler.advance(by: .milliseconds(14_999))
        stream?.send(StreamItem(bytes: SharedBytes("early\n")))
        #expect(try client.receiveChunk() == Array("early\n".utf8))
        scheduler.advance(by: .seconds(14))
        stream?.send(StreamItem(bytes: SharedBytes("later\n")))
        #expect(try client.receiveChunk() == Array("later\n".utf8))
        scheduler.advance(by: .seconds(15))
        #expect(try client.receiveChunk() == Array(":beat\n".utf8))
        scheduler.advance(by: .seconds(15))
        #expect(try client.receiveChunk() == Array(":beat\n".utf8))
        #expect(server.server.counters.heartbeats == 2)
    }

    @Test func `one timer serves the heartbeats of all streams`() throws {
        let scheduler = TestScheduler()
        let server = try server(scheduler)
        var clients: [RawSocketClient] = []
        for _ in 0..<30 {
            clients.append(try server.openStream().client)
            scheduler.advance(by: .milliseconds(100))
        }
        #expect(scheduler.pendingCount == 1)
        scheduler.advance(by: .seconds(15))
        for client in clients { #expect(try client.receiveChunk() == Array(":beat\n".utf8)) }
        #expect(scheduler.pendingCount == 1)
    }

    @Test func `a heartbeat of zero sends none`() throws {
        let scheduler = TestScheduler()
        let server = try server(scheduler) { $0.heartbeat = .zero }
        let (client, stream) = try server.openStream()
        scheduler.advance(by: .seconds(3_600))
        stream?.end()
        #expect(try client.receiveChunks().isEmpty)
        #expect(scheduler.pendingCount == 0)
    }

    @Test func `an idle stream outlives every timeout`() throws {
        let scheduler = TestScheduler()
        let server = try server(scheduler)
        let (client, stream) = try server.openStream()
        for _ in 0..<(24 * 60 * 4) {
            scheduler.advance(by: .seconds(15))
            #expect(try client.receiveChunk() == Array(":beat\n".utf8))
        }
        #expect(stream?.closeReason == nil)
        #expect(server.server.counters.heartbeats == 24 * 60 * 4)
    }

    /// The library's and the gate's own deadlines follow no clock that a test could move.
    @Test func `a stream outlives the deadlines of its head and of a stall`() throws {
        let server = try TestServer(configure: {
            $0.headTimeout = .milliseconds(100)
            $0.stallTimeout = .seconds(1)
            $0.heartbeat = .zero
        })
        let (client, stream) = try server.openStream()
        for text in ["late\n", "later\n"] {
            #expect(!client.isReadable(within: 1_500))
            stream?.send(StreamItem(bytes: SharedBytes(text)))
            #expect(try client.receiveChunk() == Array(text.utf8))
        }
        #expect(stream?.closeReason == nil)
    }

    @Test func `streams end in order in the last fifth of their maximum age`() throws {
        let scheduler = TestScheduler()
        let server = try server(scheduler) {
            $0.maximumStreamAge = .seconds(100)
            $0.heartbeat = .zero
        }
        let opened = try (0..<40).map { _ in try server.openStream() }
        scheduler.advance(by: .milliseconds(79_999))
        #expect(opened.allSatisfy { $0.stream?.closeReason == nil })
        scheduler.advance(by: .seconds(10))
        let early = opened.count { $0.stream?.closeReason == .maximumAge }
        #expect((1...39).contains(early))
        scheduler.advance(by: .milliseconds(10_100))
        for (client, stream) in opened {
            #expect(stream?.closeReason == .maximumAge)
            #expect(try client.receiveChunks() == Array("bye maximumAge\n".utf8))
        }
    }

    @Test func `a drain is spread over its duration`() throws {
        let scheduler = TestScheduler()
        let server = try server(scheduler) { $0.heartbeat = .zero }
        let opened = try (0..<50).map { _ in try server.openStream() }
        let drained = Recorder<Int>()
        server.server.drain(over: .seconds(5)) { drained.record(1) }
        var ended: [Int] = []
        for _ in 0..<5 {
            scheduler.advance(by: .seconds(1))
            ended.append(opened.count { $0.stream?.closeReason == .drain })
        }
        #expect(ended == [11, 21, 31, 41, 50])
        for (client, _) in opened {
            #expect(try client.receiveChunks() == Array("bye drain\n".utf8))
        }
        #expect(drained.next() != nil)
        #expect(drained.all.count == 1)
    }

    @Test func `a client that does not read cannot hold up a drain`() throws {
        let scheduler = TestScheduler()
        let server = try TestServer(
            scheduler: scheduler,
            body: { $0.capacity = 4_000 },
            configure: { $0.stallTimeout = .zero }
        )
        let (client, stream) = try server.openStream(receiveBuffer: 4_096)
        for number in 0..<3_000 { stream?.send(SlowClientTests.item(number, key: number)) }
        let drained = Recorder<Int>()
        server.server.drain(over: .zero) { drained.record(1) }
        #expect(drained.all.isEmpty)
        scheduler.advance(by: .seconds(1))
        #expect(drained.next() != nil)
        client.close()
    }

    @Test func `a drain without streams is done at once`() throws {
        let scheduler = TestScheduler()
        let server = try server(scheduler)
        let drained = Recorder<Int>()
        server.server.drain(over: .seconds(5)) { drained.record(1) }
        #expect(drained.all == [1])
    }
}
