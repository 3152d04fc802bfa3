import Dispatch
import TestSupport
import Testing

@testable import HTTPServer

/// What a request may take of the server's memory and threads.
@Suite struct RoomTests {
    /// A way to make a head longer.
    struct Shape: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// A target and header fields of about so many bytes.
        let make: @Sendable (Int) -> (target: String, fields: String)

        private static func repeated(_ text: String, _ size: Int) -> String {
            String(repeating: text, count: size / text.utf8.count)
        }

        static let all = [
            Shape(testDescription: "a cookie") { ("/hello", "Cookie: a=\(repeated("c", $0))\r\n") },
            Shape(testDescription: "cookies") { ("/hello", "Cookie: \(repeated("a=;", $0))\r\n") },
            Shape(testDescription: "a field") { ("/hello", "X: \(repeated("x", $0))\r\n") },
            Shape(testDescription: "fields") { ("/hello", repeated("X: yyyyyyyyyyyy\r\n", $0)) },
            Shape(testDescription: "an origin") { ("/origin", "Origin: \(repeated("o", $0))\r\n") },
            Shape(testDescription: "a path") { ("/hello?\(repeated("p", $0))", "") },
            Shape(testDescription: "parameters") { ("/hello?\(repeated("a=b&", $0))", "") },
        ]
    }

    @Test(arguments: Shape.all)
    func `a head of any size and shape is served or refused, in whichever pool`(
        shape: Shape
    ) throws {
        let server = try TestServer(
            configure: { $0.reservedPaths = ["/origin"] },
            routes: { router in
                router.on("GET", "/origin") { request, _, responder in
                    let origin = request.headers.first("Origin") ?? ""
                    responder(Response(status: 200, headers: [("X-Origin", origin)], body: .empty))
                }
            }
        )
        for size in stride(from: 1, to: 17_000, by: 131) {
            let (target, fields) = shape.make(size)
            let head = "GET \(target) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
            let answer = try server.exchange(head)
            if size < 4_000 || answer.hasPrefix("HTTP/1.1 200 ") {
                #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(size) bytes: \(answer.prefix(80))")
                let isWhole = answer.hasSuffix("hello \(target)") || answer.hasSuffix("\r\n\r\n")
                #expect(isWhole, "\(size) bytes: \(answer.suffix(80))")
            } else {
                let isRefused = ["HTTP/1.1 414 ", "HTTP/1.1 431 "].contains(answer.prefix(13))
                #expect(isRefused && answer.contains("problem+json"), "\(answer.prefix(80))")
            }
        }
    }

    @Test func `a reserved path is answered while another answer is in the making`() throws {
        let isBusy = DispatchSemaphore(value: 0)
        let mayGoOn = DispatchSemaphore(value: 0)
        let server = try TestServer(
            configure: { $0.reservedPaths = ["/health"] },
            routes: { router in
                router.on("GET", "/slow") { _, _, responder in
                    isBusy.signal()
                    mayGoOn.wait()
                    responder(Response(contentType: "text/plain", text: "slow"))
                }
                router.on("GET", "/health") { _, _, responder in
                    responder(Response(contentType: "text/plain", text: "healthy"))
                }
            }
        )
        // More than there are threads for small heads.
        let slow = try (0..<8).map { _ in
            let client = try server.connect()
            try client.get("/slow")
            return client
        }
        isBusy.wait()
        let answer = try server.exchange("GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(answer.hasSuffix("healthy"))
        for _ in slow { mayGoOn.signal() }
        for client in slow { _ = try client.receiveToEnd() }
    }

    @Test func `answers that clients leave unread are bounded and health is not`() throws {
        let large = String(repeating: "x", count: 1 << 20)
        let server = try TestServer(
            configure: {
                $0.reservedPaths = ["/health"]
                $0.maximumAnswerBytes = 4 << 20
                $0.commonHeaders = { [("X-Origin", $0 ?? "none")] }
            },
            routes: { router in
                for path in ["/large", "/health"] {
                    router.on("GET", path) { _, _, responder in
                        responder(Response(contentType: "text/plain", text: large))
                    }
                }
            }
        )
        let request = "GET /large HTTP/1.1\r\nHost: a\r\nOrigin: b\r\n\r\n"
        let unread = try (0..<3).map { _ in
            let client = try server.connect(receiveBuffer: 4_096)
            try client.send(request)
            #expect(try client.receiveHead().status == 200)
            return client
        }
        let refused = try server.exchange(request)
        #expect(refused.hasPrefix("HTTP/1.1 503 ") && refused.contains("X-Origin: b\r\n"))
        #expect(refused.contains("Retry-After: "))
        let health = try server.exchange("GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(health.hasPrefix("HTTP/1.1 200 ") && health.hasSuffix(large))
        for client in unread { client.close() }
        #expect(eventually { (try? server.exchange(request).hasSuffix(large)) == true })
    }

    @Test func `a head that comes byte by byte is served when it is complete`() throws {
        let server = try TestServer()
        let client = try server.connect()
        let cookie = String(repeating: "c", count: 1_000)
        for byte in "GET /hello HTTP/1.1\r\nHost: a\r\nCookie: \(cookie)\r\n\r\n".utf8 {
            try client.send([byte])
        }
        let answer = String(decoding: try client.receiveToEnd(), as: UTF8.self)
        #expect(answer.hasSuffix("hello /hello"))
    }

    @Test(arguments: [
        (1_000_000, 10_000, 10_512, 10_000), (10_768, 10_000, 10_512, 10_000),
        (1_024, 10_000, 768, 576), (256, 48, 48, 36), (256, 10_000, 48, 36), (32, 10, 12, 9),
    ])
    func `with few descriptors a quarter of the connections is left for finite requests`(
        descriptors: Int,
        wanted: Int,
        connections: Int,
        streams: Int
    ) {
        var configuration = ServerConfiguration(listen: [])
        configuration.maximumStreams = wanted
        let capacity = ServerCapacity(configuration, descriptors: descriptors)
        #expect(capacity.connections == connections && capacity.streams == streams)
        let own = 32 > descriptors - 192 ? 16 : descriptors - 192
        #expect(capacity.connections + capacity.reserve <= own)
        #expect(capacity.waiting >= min(own / 2, 65_536) && capacity.waiting < own)
    }

    @Test func `an answer that may not be sent is not made`() throws {
        let made = Recorder<Int>()
        let server = try TestServer(
            configure: { $0.maximumAnswerBytes = 100_000 },
            routes: { router in
                router.on("GET", "/large") { _, _, responder in
                    let body = Response.Body.made(count: 80_000) {
                        made.record(1)
                        return SharedBytes("")
                    }
                    responder(Response(body: body))
                }
                router.on("GET", "/middle") { _, _, responder in
                    let text = String(repeating: "x", count: 60_000)
                    responder(Response(contentType: "text/plain", text: text))
                }
            }
        )
        let large = try server.exchange("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(large.hasPrefix("HTTP/1.1 503 ") && made.all.isEmpty)
        let middle = try server.exchange("GET /middle HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(middle.hasPrefix("HTTP/1.1 200 "))
    }
}
