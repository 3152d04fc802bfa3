import Dispatch
import HTTPServer
import Reactive
import Synchronization
import TestSupport
import Testing

/// The end of a server at moments that only a forced order of events reaches.
@Suite struct DrainTests {
    private final class Box: Sendable {
        let server = Mutex<Server?>(nil)

        func drain() {
            server.withLock { $0 }?.drain(over: .zero) {}
        }
    }

    @Test func `a stream that opens while a drain begins ends in order`() throws {
        let box = Box()
        let server = try TestServer(
            scheduler: TestScheduler(),
            routes: { router in
                router.on("GET", "/late") { _, _, responder in
                    var body = StreamBody(preamble: SharedBytes("hello\n")) { _ in
                        ActionDisposable {}
                    }
                    body.farewell = { _ in SharedBytes("bye\n") }
                    responder(Response(body: .stream(body)))
                    // Answered, but the stream itself is made only after this handler.
                    box.drain()
                }
            }
        )
        box.server.withLock { $0 = server.server }
        let client = try server.connect()
        try client.get("/late")
        #expect(try client.receiveHead().status == 200)
        #expect(try client.receiveChunks() == Array("hello\nbye\n".utf8))
    }

    @Test func `a drain does not break off who only waits for the last chunk`() throws {
        let scheduler = TestScheduler()
        let isBusy = DispatchSemaphore(value: 0)
        let mayGoOn = DispatchSemaphore(value: 0)
        let server = try TestServer(
            scheduler: scheduler,
            body: { $0.farewell = { _ in SharedBytes("bye\n") } },
            routes: { router in
                router.on("GET", "/slow") { _, _, responder in
                    isBusy.signal()
                    mayGoOn.wait()
                    responder(Response(status: 204))
                }
            }
        )
        let (client, _) = try server.openStream()
        // As many as there may be threads that could end the stream.
        let slow = try (0..<16).map { _ in
            let client = try server.connect()
            try client.get("/slow")
            return client
        }
        isBusy.wait()
        server.server.drain(over: .zero) {}
        #expect(try client.receiveChunk() == Array("bye\n".utf8))
        scheduler.advance(by: .milliseconds(1_500))
        for _ in slow { mayGoOn.signal() }
        #expect(try client.receiveChunks().isEmpty)
        for client in slow { client.close() }
    }
}
