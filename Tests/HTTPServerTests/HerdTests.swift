import HTTPServer
import TestSupport
import Testing

@Suite struct HerdTests {
    /// The library fetches events 128 at a time.
    @Test(arguments: [127, 128, 256, 640])
    func `clients that come while the server's thread is busy are all answered`(
        count: Int
    ) throws {
        let gate = Gate()
        let server = try TestServer(routes: { router in
            router.on("GET", "/busy") { _, _, responder in
                gate.pass()
                responder(Response(status: 204))
            }
        })
        // One daemon has all large heads, whatever the number of processors.
        let large = ["Cookie: " + String(repeating: "c", count: 4_000)]
        let first = try server.connect()
        try first.get("/busy", headers: large)
        #expect(gate.waitForArrival())
        let clients = try (0..<count).map { _ in
            let client = try server.connect()
            try client.get("/hello", headers: large)
            return client
        }
        #expect(eventually { server.server.connectionCount == count + 1 })
        gate.open()
        for client in clients { #expect(try client.receiveHead().status == 200) }
        #expect(try first.receiveHead().status == 204)
    }

    /// A server with all its connections taken.
    private func full(
        configure: (inout ServerConfiguration) -> Void
    ) throws -> (server: TestServer, clients: [RawSocketClient]) {
        let server = try TestServer(configure: {
            $0.maximumStreams = 1
            $0.headroom = 1
            configure(&$0)
        })
        return (server, try (0..<2).map { _ in try server.openStream().client })
    }

    @Test func `the application says what a request gets that finds no connection`() throws {
        let (server, clients) = try full {
            $0.overload = { request in
                guard request.path == "/stream" else { return nil }
                return Response(contentType: "text/event-stream", text: "data: later\n\n")
            }
        }
        defer { for client in clients { client.close() } }
        for _ in 0..<200 {
            let answer = try server.exchange("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(answer.contains("Connection: close\r\n"))
            #expect(answer.hasSuffix("\r\n\r\ndata: later\n\n"))
        }
        let head = try server.exchange("HEAD /stream HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(head.hasSuffix("\r\n\r\n"))
        let other = try server.exchange("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(other.hasPrefix("HTTP/1.1 503 "))
    }

    @Test func `a reserved path is answered when every connection is taken`() throws {
        let (server, clients) = try full { $0.reservedPaths = ["/hello"] }
        defer { for client in clients { client.close() } }
        let answer = try server.exchange("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 200 "))
        let other = try server.exchange("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(other.hasPrefix("HTTP/1.1 503 "))
    }

    @Test func `who finds no connection takes none from another`() throws {
        let (server, clients) = try full { _ in }
        let silent = try (0..<100).map { _ in try server.connect() }
        for _ in 0..<50 {
            let answer = try server.exchange("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 503 "))
        }
        for stream in server.streams.all { stream.send(StreamItem(bytes: SharedBytes("still\n"))) }
        for client in clients { #expect(try client.receiveChunk() == Array("still\n".utf8)) }
        for client in silent { client.close() }
    }
}
