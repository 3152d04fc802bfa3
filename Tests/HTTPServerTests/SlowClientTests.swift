import Reactive
import TestSupport
import Testing

@testable import HTTPServer

@Suite struct SlowClientTests {
    /// An item of about a kilobyte that says its key and number.
    static func item(_ number: Int, key: Int) -> StreamItem {
        let filler = String(repeating: "x", count: 1_000)
        return StreamItem(bytes: SharedBytes("\(key)/\(number) \(filler)\n"), key: key)
    }

    @Test func `a client that does not read loses old items only and is told how many`() throws {
        let server = try TestServer(body: {
            $0.capacity = 8
            $0.overflow = .skip(gap: { SharedBytes("gap/\($0)\n") })
        })
        let (client, stream) = try server.openStream(receiveBuffer: 4_096)
        let count = 3_000
        for number in 0..<count { stream?.send(Self.item(number, key: number % 3)) }
        stream?.end()
        let lines = String(decoding: try client.receiveChunks(), as: UTF8.self).split(
            separator: "\n"
        )
        var skipped = 0
        var numbers: [Int] = []
        for line in lines {
            let word = line.split(separator: " ")[0].split(separator: "/")
            if word[0] == "gap" {
                skipped += Int(word[1]) ?? 0
            } else {
                #expect(line.utf8.count > 1_000)
                numbers.append(Int(word[1]) ?? -1)
            }
        }
        #expect(skipped > 0)
        #expect(skipped + numbers.count == count)
        #expect(numbers == numbers.sorted())
        #expect(numbers.suffix(3) == [count - 3, count - 2, count - 1])
        #expect(server.server.counters.skipped == skipped)
    }

    @Test
    func `a client that does not read is closed with a farewell where nothing may be skipped`()
        throws
    {
        let server = try TestServer(body: {
            $0.capacity = 8
            $0.farewell = { SharedBytes("bye \($0.rawValue)\n") }
        })
        let (client, stream) = try server.openStream(receiveBuffer: 4_096)
        for number in 0..<3_000 { stream?.send(Self.item(number, key: 0)) }
        #expect(server.disposals.next() != nil)
        #expect(stream?.closeReason == .slow)
        let lines = String(decoding: try client.receiveChunks(), as: UTF8.self).split(
            separator: "\n"
        )
        #expect(lines.last == "bye slow")
        #expect(lines.dropLast().allSatisfy { $0.utf8.count > 1_000 })
        #expect(server.waitForClose(.slow))
    }

    @Test func `a client that takes no byte for the stall timeout is closed and not only muted`()
        throws
    {
        let scheduler = TestScheduler()
        let server = try TestServer(
            scheduler: scheduler,
            body: { $0.overflow = .skip(gap: { _ in SharedBytes("gap\n") }) }
        )
        let (client, stream) = try server.openStream(receiveBuffer: 4_096)
        for number in 0..<3_000 { stream?.send(Self.item(number, key: number % 3)) }
        #expect(eventually { scheduler.pendingCount > 0 })
        scheduler.advance(by: .milliseconds(29_900))
        #expect(stream?.closeReason == nil)
        // The client's kernel may have acknowledged a last byte meanwhile.
        scheduler.advance(by: .seconds(5))
        #expect(stream?.closeReason == .stalled)
        #expect(server.disposals.next() != nil)
        #expect(server.waitForClose(.stalled))
        let failure = #expect(throws: RawSocketClient.Failure.self) { try client.receiveChunks() }
        #expect(failure != .timeout)
    }

    @Test func `a client that takes a little now and then is not stalled`() throws {
        let scheduler = TestScheduler()
        let server = try TestServer(
            scheduler: scheduler,
            body: { $0.overflow = .skip(gap: { _ in SharedBytes("gap\n") }) }
        )
        let (client, stream) = try server.openStream(receiveBuffer: 4_096)
        // After these the library has handed the socket over.
        for number in 0..<5 {
            stream?.send(Self.item(number, key: 7))
            _ = try client.receiveChunks(through: "7/\(number) ")
        }
        let filler = SharedBytes([UInt8](repeating: 10, count: 100_000))
        for _ in 0..<60 { stream?.send(StreamItem(bytes: filler)) }
        #expect(eventually { scheduler.pendingCount > 0 })
        for _ in 0..<5 {
            var taken = 0
            while taken < 16_384 { taken += try client.receive(maximum: 4_096)?.count ?? 16_384 }
            scheduler.advance(by: .seconds(20))
            #expect(stream?.closeReason == nil)
        }
        scheduler.advance(by: .seconds(70))
        #expect(stream?.closeReason == .stalled)
    }

    @Test func `a burst is sent whole, and what overflows behind it leaves it alone`() {
        var queue = StreamQueue(capacity: 2, skips: true)
        queue.append(burst: (0..<5).map { Self.item($0, key: 0) })
        for number in 5..<9 { _ = queue.append(Self.item(number, key: 0)) }
        #expect(
            texts(in: &queue) == (0..<5).map { Self.item($0, key: 0).bytes.text } + [
                "gap 3", Self.item(8, key: 0).bytes.text,
            ]
        )
    }

    @Test func `what a skipped item began, the newest of its key begins`() {
        var queue = StreamQueue(capacity: 2, skips: true)
        func append(_ text: String, key: Int, begins: Bool = false) {
            _ = queue.append(StreamItem(bytes: SharedBytes(text), key: key, begins: begins))
        }
        append("a1", key: 0)
        append("b1", key: 1)
        append("a2", key: 0, begins: true)
        append("b2", key: 1)
        append("a3", key: 0)
        #expect(queue.item(at: 2) == nil)
        append("b3", key: 1)
        append("a4", key: 0)
        #expect(texts(in: &queue) == ["gap 5", "b3", "a4 begins"])
        append("a5", key: 0)
        #expect(texts(in: &queue) == ["a5"])
    }

    /// What a reader makes of a queue, to its end.
    private func texts(in queue: inout StreamQueue) -> [String] {
        var texts: [String] = []
        while true {
            switch queue.front {
            case .bytes(let bytes, _):
                texts.append(bytes.text)
                _ = queue.advance(by: bytes.count, of: bytes.count)
            case .pending(.gap(let count)):
                queue.replace(.gap(count), by: SharedBytes("gap \(count)"))
            case .pending(.beginning(let item)):
                queue.replace(.beginning(item), by: SharedBytes("\(item.text) begins"))
            case .empty:
                return texts
            }
        }
    }

    @Test func `as many keys as there are wait however short the queue is`() {
        var queue = StreamQueue(capacity: 1, skips: true)
        for key in 0..<500 { #expect(queue.append(Self.item(0, key: key)) != .full) }
        #expect(queue.count >= 500)
        for _ in 0..<200 { _ = queue.append(StreamItem(bytes: SharedBytes("x"))) }
        #expect(queue.append(StreamItem(bytes: SharedBytes("x"))) == .full)
    }

    @Test func `a slow client does not delay another`() throws {
        let server = try TestServer(body: {
            $0.overflow = .skip(gap: { _ in SharedBytes("gap\n") })
            $0.capacity = 500
        })
        let slow = try server.openStream(receiveBuffer: 4_096)
        let fast = try server.openStream()
        for number in 0..<400 {
            slow.stream?.send(Self.item(number, key: number))
            fast.stream?.send(Self.item(number, key: number))
        }
        #expect(try fast.client.receiveChunks(through: "399/399 ").contains("0/0 "))
        #expect(slow.stream?.closeReason == nil)
    }

    @Test func `a slow client that reads again gets what is queued`() throws {
        let server = try TestServer(body: { $0.capacity = 4_000 })
        let (client, stream) = try server.openStream(receiveBuffer: 4_096)
        for number in 0..<3_000 { stream?.send(Self.item(number, key: number)) }
        var lines = 0
        while lines < 3_000 { lines += try client.receiveChunk()?.count { $0 == 10 } ?? 3_000 }
        #expect(lines == 3_000)
        stream?.send(Self.item(0, key: 77))
        #expect(try client.receiveChunks(through: "77/0 ").isEmpty == false)
    }

    @Test func `a client that leaves while it is blocked disposes its subscription`() throws {
        let server = try TestServer(body: { $0.capacity = 4_000 })
        let (client, stream) = try server.openStream(receiveBuffer: 4_096)
        for number in 0..<3_000 { stream?.send(Self.item(number, key: number)) }
        client.reset()
        #expect(server.disposals.next() != nil)
        #expect(server.waitForClose(.clientClosed))
    }

    @Test func `an item larger than all buffers arrives whole`() throws {
        let server = try TestServer()
        let (client, stream) = try server.openStream()
        let large = [UInt8]((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        stream?.send(StreamItem(bytes: SharedBytes(large)))
        stream?.end()
        #expect(try client.receiveChunks() == large)
    }

    @Test func `a client that does not even read the beginning can be cut off`() throws {
        let scheduler = TestScheduler()
        let server = try TestServer(
            scheduler: scheduler,
            body: { $0.preamble = SharedBytes([UInt8](repeating: 10, count: 4_000_000)) },
            configure: { $0.stallTimeout = .zero }
        )
        let client = try server.connect(receiveBuffer: 4_096)
        try client.get("/stream")
        #expect(server.streams.next() != nil)
        _ = try client.receiveHead()
        let drained = Recorder<Int>()
        server.server.drain(over: .zero) { drained.record(1) }
        scheduler.advance(by: .seconds(1))
        #expect(drained.next() != nil)
        #expect(server.server.streamCount == 0)
    }

    @Test func `no close waits for an older client that does not read`() throws {
        let waits = Recorder<Responder>()
        let server = try TestServer(
            body: { $0.farewell = { _ in SharedBytes("bye") } },
            routes: { router in
                router.on("GET", "/large") { _, _, responder in
                    let bytes = SharedBytes([UInt8](repeating: 10, count: 4_000_000))
                    responder(Response(body: .bytes(bytes)))
                }
                router.on("GET", "/wait") { _, _, responder in waits.record(responder) }
            }
        )
        let older = try server.connect(receiveBuffer: 4_096)
        try older.get("/large")
        _ = try older.receiveHead()
        let clients = try (0..<4).map { _ in try server.openStream() }
        clients[0].client.close()
        #expect(server.waitForClose(.clientClosed))
        clients[1].client.reset()
        #expect(server.waitForClose(.clientClosed, count: 2))
        clients[2].stream?.end()
        #expect(server.waitForClose(.ended))
        clients[3].client.halfClose()
        #expect(server.waitForClose(.clientClosed, count: 3))
        #expect(try clients[3].client.receiveToEnd().isEmpty)
        #expect(server.server.streamCount == 0)
        let waiting = try server.connect()
        try waiting.get("/wait")
        #expect(waits.next() != nil)
        waiting.reset()
        #expect(eventually { server.server.connectionCount == 1 })
        #expect(try server.exchange("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n").contains(" 200 "))
        #expect(eventually { server.server.connectionCount == 1 })
        older.close()
        #expect(eventually { server.server.connectionCount == 0 })
    }
}
