import HTTPServer
import Reactive
import TestSupport
import Testing

@Suite struct StreamTests {
    @Test func `headers and preamble leave at once on a silent source`() throws {
        let server = try TestServer()
        let client = try server.connect()
        try client.get("/stream")
        let head = try client.receiveHead()
        #expect(head.status == 200)
        #expect(head["transfer-encoding"] == "chunked")
        #expect(head["content-type"] == "text/event-stream")
        #expect(try client.receiveChunk() == Array(": hello\n\n".utf8))
        #expect(server.server.streamCount == 1)
    }

    @Test func `items arrive in order and the end terminates the chunked body`() throws {
        let server = try TestServer(body: { $0.capacity = 200 })
        let (client, stream) = try server.openStream()
        for number in 0..<100 { stream?.send(StreamItem(bytes: SharedBytes("\(number),"))) }
        stream?.end()
        let body = String(decoding: try client.receiveChunks(), as: UTF8.self)
        #expect(body == (0..<100).map { "\($0)," }.joined())
        #expect(try client.receive() == nil)
        #expect(server.disposals.next() != nil)
        #expect(server.waitForClose(.ended))
    }

    @Test func `a client's close on a silent source disposes its subscription`() throws {
        let server = try TestServer()
        let (client, _) = try server.openStream()
        client.close()
        #expect(server.disposals.next() != nil)
        #expect(server.waitForClose(.clientClosed))
        #expect(server.server.streamCount == 0)
    }

    @Test func `a reset on a silent source disposes its subscription`() throws {
        let server = try TestServer()
        let (client, _) = try server.openStream()
        client.reset()
        #expect(server.disposals.next() != nil)
        #expect(server.waitForClose(.clientClosed))
    }

    @Test func `a half-close counts as a close on a stream`() throws {
        let server = try TestServer()
        let (client, _) = try server.openStream()
        client.halfClose()
        #expect(server.disposals.next() != nil)
        #expect(try client.receiveToEnd().isEmpty)
        #expect(server.waitForClose(.clientClosed))
    }

    @Test func `a half-close before the answer still gets a finite answer`() throws {
        let server = try TestServer()
        let client = try server.connect()
        try client.get("/hello")
        client.halfClose()
        #expect(try client.receiveHead().status == 200)
        #expect(String(decoding: try client.receiveToEnd(), as: UTF8.self) == "hello /hello")
    }

    @Test func `stopping with open streams ends them and joins all threads`() throws {
        let server = try TestServer()
        let clients = try (0..<20).map { _ in try server.openStream().client }
        server.server.stop()
        server.server.stop()
        #expect(server.disposals.all.count == 20)
        #expect(server.server.streamCount == 0)
        for client in clients { _ = try? client.receiveToEnd() }
    }

    @Test func `draining ends every stream in order with its farewell`() throws {
        let server = try TestServer(body: { $0.farewell = { SharedBytes("bye \($0.rawValue)") } })
        let clients = try (0..<20).map { _ in try server.openStream().client }
        let drained = Recorder<Int>()
        server.server.drain(over: .milliseconds(100)) { drained.record(1) }
        for client in clients {
            let body = String(decoding: try client.receiveChunks(), as: UTF8.self)
            #expect(body == "bye drain")
        }
        #expect(drained.next() != nil)
        #expect(server.server.counters.closed[.drain] == 20)
        #expect(eventually { server.disposals.all.count == 20 })
    }

    @Test func `HEAD on a stream answers with headers only and opens nothing`() throws {
        let server = try TestServer()
        let answer = try server.exchange("HEAD /stream HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 200"))
        #expect(answer.hasSuffix("\r\n\r\n"))
        #expect(answer.components(separatedBy: "\r\n\r\n").count == 2)
        #expect(server.streams.all.isEmpty)
    }

    @Test func `HTTP/1.0 gets a body that ends with the connection`() throws {
        let server = try TestServer()
        let client = try server.connect()
        try client.send("GET /stream HTTP/1.0\r\n\r\n")
        let head = try client.receiveHead()
        #expect(head.status == 200)
        #expect(head["transfer-encoding"] == nil)
        let stream = server.streams.next()
        stream?.send(StreamItem(bytes: SharedBytes("one")))
        stream?.end()
        let body = try client.receiveToEnd()
        #expect(String(decoding: body, as: UTF8.self) == ": hello\n\none")
    }
}

extension String {
    fileprivate func components(separatedBy separator: String) -> [Substring] {
        split(separator: separator, omittingEmptySubsequences: false)
    }
}
