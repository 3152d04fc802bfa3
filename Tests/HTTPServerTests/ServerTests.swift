import HTTPServer
import Reactive
import TestSupport
import Testing

@Suite struct ServerTests {
    private func start(_ addresses: [ListenAddress]) throws -> Server {
        try Server(
            configuration: ServerConfiguration(listen: addresses),
            scheduler: TestScheduler(),
            log: { _ in },
            handler: { $1(Response(status: 204)) }
        )
    }

    @Test func `a port in use is one clear sentence and a restart on the same port works at once`()
        throws
    {
        let first = try start([ListenAddress(host: "127.0.0.1", port: 0)])
        let port = RawSocketClient.port(of: first.addresses[0])
        let client = try RawSocketClient(port: port)
        try client.get("/")
        _ = try client.receiveToEnd()
        let address = ListenAddress(host: "127.0.0.1", port: port)
        #expect(
            throws: ServerError(
                message: "port \(port) on 127.0.0.1 is in use; "
                    + "stop what listens there or choose another port"
            )
        ) { try start([address]) }
        first.stop()
        #expect(throws: RawSocketClient.Failure.system("connect", code: 111)) {
            try RawSocketClient(port: port)
        }
        let second = try start([address])
        #expect(second.addresses == ["http://127.0.0.1:\(port)"])
        second.stop()
    }

    @Test func `names and IPv6 addresses can be listened on, several at once`() throws {
        let server = try start([
            ListenAddress(host: "localhost", port: 0), ListenAddress(host: "::1", port: 0),
        ])
        #expect(server.addresses[0].hasPrefix("http://127.0.0.1:"))
        #expect(server.addresses[1].hasPrefix("http://[::1]:"))
        server.stop()
    }

    @Test func `a host that does not exist is one clear sentence`() throws {
        #expect(throws: ServerError.self) {
            try start([ListenAddress(host: "host.invalid", port: 0)])
        }
        #expect(throws: ServerError.self) {
            try start([ListenAddress(host: "192.0.2.1", port: 0)])
        }
    }

    @Test func `listen addresses are read and written alike`() throws {
        for text in ["127.0.0.1:8080", "[::1]:0", "localhost:65535", "[fe80::1%lo]:1"] {
            #expect(try ListenAddress(parsing: text).description == text)
        }
        let wrong = ["", "8080", "localhost", "localhost:", ":80", "a:-1", "a:65536", "::1:80"]
        for text in wrong + ["[]:80", "[::1]", "a:8o", "[a:80", "a:１"] {
            #expect(throws: ServerError.self) { try ListenAddress(parsing: text) }
        }
    }

    @Test func `beyond streams and headroom a request is answered 503 without a place`() throws {
        let server = try TestServer(configure: {
            $0.maximumStreams = 2
            $0.headroom = 1
            $0.commonHeaders = { _ in [("Server", "test/1")] }
        })
        let clients = try (0..<3).map { _ in try server.openStream().client }
        let answer = try server.exchange("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 503 "))
        #expect(answer.contains("Retry-After: "))
        #expect(answer.contains("Server: test/1\r\n"))
        clients[0].close()
        #expect(server.waitForClose(.clientClosed))
        #expect(
            eventually {
                (try? server.exchange("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"))?
                    .hasPrefix("HTTP/1.1 200 ") ?? false
            }
        )
    }

    @Test func `connections that say nothing take no place`() throws {
        let server = try TestServer(configure: {
            $0.maximumStreams = 1
            $0.headroom = 1
        })
        let silent = try (0..<100).map { _ in try server.connect() }
        #expect(try server.exchange("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n").contains(" 200 "))
        for client in silent { client.close() }
    }

    @Test func `the oldest of too many connections that say nothing is closed`() throws {
        let server = try TestServer(configure: { $0.maximumWaiting = 8 })
        let silent = try (0..<20).map { _ in try server.connect() }
        for client in silent.prefix(12) { #expect(try client.receiveToEnd().isEmpty) }
        for client in silent.suffix(8) {
            try client.get("/hello")
            #expect(try client.receiveHead().status == 200)
        }
    }

    @Test func `many clients that connect at once all get their first bytes`() throws {
        let server = try TestServer()
        let clients = try (0..<1_000).map { _ in try server.connect() }
        for client in clients { try client.get("/stream") }
        for client in clients {
            #expect(try client.receiveHead().status == 200)
            #expect(try client.receiveChunk() == Array(": hello\n\n".utf8))
        }
        #expect(server.server.streamCount == 1_000)
        for client in clients { client.close() }
        #expect(eventually { server.disposals.all.count == 1_000 })
        #expect(eventually { server.server.streamCount == 0 })
        #expect(server.server.counters.closed[.clientClosed] == 1_000)
    }

    @Test func `clients that come and go leave nothing behind`() throws {
        let server = try TestServer()
        for round in 0..<300 {
            let client = try server.connect()
            try client.get("/stream")
            if round % 3 == 0 { _ = try client.receiveHead() }
            if round % 2 == 0 { client.reset() } else { client.close() }
        }
        #expect(eventually { server.server.streamCount == 0 })
        let counters = server.server.counters
        #expect(counters.opened == counters.closed.values.reduce(0, +))
        #expect(eventually { server.disposals.all.count == counters.opened })
    }

    @Test func `servers start, serve under load and stop, round after round`() throws {
        for _ in 0..<20 {
            let server = try TestServer(body: {
                $0.capacity = 8
                $0.overflow = .skip(gap: { _ in SharedBytes("gap\n") })
            })
            let opened = try (0..<10).map { _ in try server.openStream() }
            let senders = opened.map { stream in Sender(stream.stream) }
            opened[0].client.close()
            server.server.stop()
            for sender in senders { sender.stop() }
            #expect(server.disposals.all.count == 10)
            #expect(server.server.streamCount == 0)
        }
    }
}
