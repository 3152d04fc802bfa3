import Dispatch
import HTTPServer
import Reactive
import Synchronization
import TestSupport
import Testing

@Suite struct AnswerTests {
    /// A server whose `/later` hands its responder to the test.
    private func server(
        _ responders: Recorder<Responder>,
        onCancel: (any Disposable)? = nil
    ) throws -> TestServer {
        try TestServer(routes: { router in
            router.on("GET", "/later") { _, _, responder in
                if let onCancel { responder.onCancel(onCancel) }
                responders.record(responder)
            }
            router.on("GET", "/never") { _, _, _ in }
            router.on("GET", "/devices/{device}/now") { _, parameters, responder in
                responder(Response(contentType: "text/plain", text: parameters["device"]))
            }
            router.on("GET", "/none") { _, _, responder in responder(Response(status: 204)) }
            router.on("GET", "/same") { _, _, responder in
                responder(Response(status: 304, headers: [("ETag", "\"1\"")]))
            }
        })
    }

    @Test func `an answer may come later and from another thread`() throws {
        let responders = Recorder<Responder>()
        let server = try server(responders)
        let client = try server.connect()
        try client.get("/later")
        let responder = responders.next()
        #expect(!client.isReadable(within: 20))
        DispatchQueue.global().async {
            responder?(Response(contentType: "text/plain", text: "at last"))
            responder?(Response(status: 500))
        }
        #expect(try client.receiveHead().status == 200)
        #expect(String(decoding: try client.receiveToEnd(), as: UTF8.self) == "at last")
    }

    @Test func `a drain waits for answers in the making, but not for long`() throws {
        let scheduler = TestScheduler()
        let responders = Recorder<Responder>()
        let server = try TestServer(
            scheduler: scheduler,
            routes: { router in
                router.on("GET", "/later") { responders.record($2) }
            }
        )
        let client = try server.connect()
        try client.get("/later")
        let responder = responders.next()
        let drained = Recorder<Int>()
        server.server.drain(over: .zero) { drained.record(1) }
        #expect(drained.all.isEmpty)
        responder?(Response(contentType: "text/plain", text: "in time"))
        #expect(drained.next() == 1)
        #expect(String(decoding: try client.receiveToEnd(), as: UTF8.self).hasSuffix("in time"))
        let second = try server.connect()
        try second.get("/later")
        let late = responders.next()
        server.server.drain(over: .seconds(1)) { drained.record(2) }
        scheduler.advance(by: .milliseconds(999))
        #expect(drained.all == [1])
        scheduler.advance(by: .milliseconds(1))
        #expect(drained.all == [1, 2])
        late?(Response(status: 204))
    }

    @Test func `a second drain without time breaks off who does not read`() throws {
        let scheduler = TestScheduler()
        let server = try TestServer(scheduler: scheduler)
        let (client, stream) = try server.openStream(receiveBuffer: 4_096)
        let filler = SharedBytes([UInt8](repeating: 10, count: 100_000))
        for _ in 0..<40 { stream?.send(StreamItem(bytes: filler)) }
        let drained = Recorder<Int>()
        server.server.drain(over: .seconds(5)) { drained.record(1) }
        server.server.drain(over: .zero) { drained.record(2) }
        scheduler.advance(by: .milliseconds(100))
        #expect(drained.wait(for: 2))
        client.close()
    }

    @Test func `many waits are answered`() throws {
        let responders = Recorder<Responder>()
        let server = try server(responders)
        let clients = try (0..<200).map { _ in try server.connect() }
        for client in clients { try client.get("/later") }
        #expect(responders.wait(for: 200))
        for responder in responders.all { responder(Response(contentType: "a/b", text: "x")) }
        for client in clients { #expect(try client.receiveHead().status == 200) }
    }

    @Test func `a client that breaks off its wait has it disposed`() throws {
        let responders = Recorder<Responder>()
        let cancelled = Recorder<Int>()
        let server = try server(responders, onCancel: ActionDisposable { cancelled.record(1) })
        let client = try server.connect()
        try client.get("/later")
        let responder = responders.next()
        client.reset()
        #expect(cancelled.next() != nil)
        responder?(Response(status: 204))
        #expect(try server.exchange("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n").contains(" 200 "))
    }

    @Test func `a half-close does not break off a wait`() throws {
        let responders = Recorder<Responder>()
        let cancelled = Recorder<Int>()
        let server = try server(responders, onCancel: ActionDisposable { cancelled.record(1) })
        let client = try server.connect()
        try client.get("/later")
        client.halfClose()
        let responder = responders.next()
        #expect(!client.isReadable(within: 20))
        #expect(cancelled.all.isEmpty)
        responder?(Response(contentType: "text/plain", text: "still"))
        #expect(String(decoding: try client.receiveToEnd(), as: UTF8.self).hasSuffix("still"))
        #expect(cancelled.all == [1])
    }

    @Test func `a request without an answer is answered 500`() throws {
        let server = try server(Recorder())
        let answer = try server.exchange("GET /never HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 500 "))
        #expect(answer.contains("application/problem+json"))
    }

    @Test func `stopping while clients wait for an answer breaks their waits off`() throws {
        let responders = Recorder<Responder>()
        let server = try server(responders)
        let clients = try (0..<20).map { _ in try server.connect() }
        for client in clients { try client.get("/later") }
        #expect(responders.wait(for: 20))
        server.server.stop()
        for responder in responders.all { responder(Response(status: 204)) }
        for client in clients { #expect((try? client.receiveToEnd())?.isEmpty ?? true) }
    }

    @Test func `a path's variable parts are decoded and must not be empty`() throws {
        let server = try server(Recorder())
        let answer = try server.exchange("GET /devices/a%20b/now HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(answer.hasSuffix("\r\n\r\na b"))
        let empty = try server.exchange("GET /devices//now HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(empty.hasPrefix("HTTP/1.1 404 "))
    }

    @Test func `answers without a body have none`() throws {
        let server = try server(Recorder())
        for (path, status) in [("/none", 204), ("/same", 304)] {
            let answer = try server.exchange("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
            #expect(answer.hasSuffix("\r\n\r\n"))
        }
        let none = try server.exchange("GET /none HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(!none.lowercased().contains("content-length"))
    }

    @Test func `HEAD gives the length of the body and no body`() throws {
        let server = try server(Recorder())
        let answer = try server.exchange("HEAD /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(answer.contains("Content-Length: 12\r\n"))
        #expect(answer.hasSuffix("\r\n\r\n"))
        let missing = try server.exchange("HEAD /nothing HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(missing.hasPrefix("HTTP/1.1 404 "))
        #expect(missing.hasSuffix("\r\n\r\n"))
    }

    @Test func `every answer can be given more header fields`() throws {
        var router = Router { request, response in
            response.headers.append(("X-Target", request.target))
        }
        router.on("GET", "/a") { _, _, responder in responder(Response(status: 204)) }
        let finished = router
        let server = try Server(
            configuration: ServerConfiguration(listen: [ListenAddress(host: "127.0.0.1", port: 0)]),
            scheduler: TestScheduler(),
            log: { _ in },
            handler: { finished($0, $1) }
        )
        defer { server.stop() }
        for (method, path) in [("GET", "/a"), ("GET", "/b"), ("PUT", "/a"), ("OPTIONS", "/a")] {
            let client = try RawSocketClient(port: RawSocketClient.port(of: server.addresses[0]))
            try client.send("\(method) \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.receiveHead()["x-target"] == path)
        }
    }

    @Test func `a problem is JSON whatever it says`() {
        let problem = Problem(status: 404, detail: "no \"\\\n\t\u{1}é", parameter: "a\r")
        #expect(
            problem.json
                == #"{"type":"about:blank","title":"Not Found","status":404,"#
                + #""detail":"no \"\\\n\t\u0001é","parameter":"a\r"}"#
        )
    }
}
