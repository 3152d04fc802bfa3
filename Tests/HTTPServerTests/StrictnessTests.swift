import HTTPServer
import TestSupport
import Testing

/// One request that must not get through, and the status it gets.
struct BadRequest: Sendable, CustomTestStringConvertible {
    let name: String
    let status: Int
    let head: String

    var testDescription: String { name }

    init(_ name: String, _ status: Int, _ head: String) {
        self.name = name
        self.status = status
        self.head = head
    }

    static let all: [BadRequest] = [
        BadRequest("no Host", 400, "GET /hello HTTP/1.1\r\n\r\n"),
        BadRequest("two Hosts", 400, "GET /hello HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
        BadRequest(
            "two Hosts in HTTP/1.0",
            400,
            "GET /hello HTTP/1.0\r\nHost: a\r\nhost: b\r\n\r\n"
        ),
        BadRequest("a Host left open", 400, "GET /hello HTTP/1.1\r\nHost: [::1\r\n\r\n"),
        BadRequest("a Host with a bad escape", 400, "GET /hello HTTP/1.1\r\nHost: a%zz\r\n\r\n"),
        BadRequest("a Host with two ports", 400, "GET /hello HTTP/1.1\r\nHost: a:1:2\r\n\r\n"),
        BadRequest("a Host out of ports", 400, "GET /hello HTTP/1.1\r\nHost: a:65536\r\n\r\n"),
        BadRequest("a Host with a path", 400, "GET /hello HTTP/1.1\r\nHost: a/b\r\n\r\n"),
        BadRequest(
            "two lengths",
            400,
            "POST /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n"
        ),
        BadRequest(
            "two lengths in one",
            400,
            "POST /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 0, 0\r\n\r\n"
        ),
        BadRequest(
            "a signed length",
            400,
            "POST /hello HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\nabcde"
        ),
        BadRequest(
            "length and coding",
            400,
            "POST /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        BadRequest(
            "two codings",
            400,
            "POST /hello HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
                + "Transfer-Encoding: identity\r\n\r\n0\r\n\r\n"
        ),
        BadRequest(
            "an unknown coding",
            501,
            "POST /hello HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"
        ),
        BadRequest(
            "a coding in HTTP/1.0",
            400,
            "POST /hello HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        BadRequest(
            "a body on GET",
            400,
            "GET /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabcde"
        ),
        BadRequest(
            "chunks on GET",
            400,
            "GET /hello HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        BadRequest("a space before the colon", 400, "GET /hello HTTP/1.1\r\nHost : a\r\n\r\n"),
        BadRequest(
            "a tab before the colon",
            400,
            "GET /hello HTTP/1.1\r\nHost: a\r\nX\t: b\r\n\r\n"
        ),
        BadRequest("a field without a name", 400, "GET /hello HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n"),
        BadRequest("a field without a colon", 400, "GET /hello HTTP/1.1\r\nHost: a\r\nX\r\n\r\n"),
        BadRequest("a folded field", 400, "GET /hello HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n"),
        BadRequest("bare line feeds", 400, "GET /hello HTTP/1.1\nHost: a\n\n"),
        BadRequest(
            "a bare line feed in a field",
            400,
            "GET /hello HTTP/1.1\r\nHost: a\nX: b\r\n\r\n"
        ),
        BadRequest("a bare carriage return", 400, "GET /hello HTTP/1.1\r\nHost: a\rX: b\r\n\r\n"),
        BadRequest("a NUL in a value", 400, "GET /hello HTTP/1.1\r\nHost: a\r\nX: b\0c\r\n\r\n"),
        BadRequest("a NUL in the target", 400, "GET /he\0llo HTTP/1.1\r\nHost: a\r\n\r\n"),
        BadRequest("an absolute target", 400, "GET http://a/hello HTTP/1.1\r\nHost: a\r\n\r\n"),
        BadRequest("an authority target", 400, "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n"),
        BadRequest("an asterisk for GET", 400, "GET * HTTP/1.1\r\nHost: a\r\n\r\n"),
        BadRequest("a fragment", 400, "GET /hello#x HTTP/1.1\r\nHost: a\r\n\r\n"),
        BadRequest("a target that is no UTF-8", 400, "GET /%ff HTTP/1.1\r\nHost: a\r\n\r\n"),
        BadRequest("a query that is no UTF-8", 400, "GET /hello?a=%c3 HTTP/1.1\r\nHost: a\r\n\r\n"),
        BadRequest("an escaped NUL", 400, "GET /hello%00 HTTP/1.1\r\nHost: a\r\n\r\n"),
        BadRequest("a broken escape", 400, "GET /hello%2 HTTP/1.1\r\nHost: a\r\n\r\n"),
        BadRequest("a raw byte above ASCII", 400, "GET /hellö HTTP/1.1\r\nHost: a\r\n\r\n"),
        BadRequest("two spaces", 400, "GET  /hello HTTP/1.1\r\nHost: a\r\n\r\n"),
        BadRequest("no version", 400, "GET /hello\r\nHost: a\r\n\r\n"),
        BadRequest("version 2.0", 505, "GET /hello HTTP/2.0\r\nHost: a\r\n\r\n"),
        BadRequest("the preface of HTTP/2", 505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        BadRequest("a method with a control", 400, "G\u{1}T /hello HTTP/1.1\r\nHost: a\r\n\r\n"),
        BadRequest("TLS", 400, "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}"),
        BadRequest(
            "an over-long target",
            414,
            "GET /" + String(repeating: "a", count: 9_000) + " HTTP/1.1\r\nHost: a\r\n\r\n"
        ),
        BadRequest(
            "an endless target",
            414,
            "GET /" + String(repeating: "a", count: 12_000)
        ),
        BadRequest(
            "too large a head",
            431,
            "GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "a", count: 17_000)
        ),
        BadRequest(
            "too many fields",
            431,
            "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: a\r\n", count: 1_025) + "\r\n"
        ),
        BadRequest(
            "too many cookies",
            431,
            "GET / HTTP/1.1\r\nHost: a\r\nCookie: " + String(repeating: "a;", count: 2_000)
                + "\r\n\r\n"
        ),
    ]
}

@Suite struct StrictnessTests {
    static let secondRequest = "GET /hello?second HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test(arguments: BadRequest.all)
    func `a request that could be read in two ways is refused and what follows is not served`(
        request: BadRequest
    ) throws {
        let server = try TestServer()
        for suffix in ["", Self.secondRequest] {
            let answer = try server.exchange(request.head + suffix)
            #expect(answer.hasPrefix("HTTP/1.1 \(request.status) "), "\(answer)")
            #expect(answer.contains("Content-Type: application/problem+json\r\n"))
            #expect(answer.contains("Connection: close\r\n"))
            #expect(
                answer.contains(
                    /\r\nDate: [A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [0-9:]{8} GMT\r\n/
                )
            )
            #expect(!answer.contains("second"))
            #expect(answer.split(separator: "Content-Type: ").count == 2)
        }
        #expect(server.server.counters.refused == 2)
    }

    @Test(arguments: BadRequest.all)
    func `it does not matter in how many packets the request comes`(request: BadRequest) throws {
        guard request.head.utf8.count < 200 else { return }
        let server = try TestServer()
        let client = try server.connect()
        for byte in request.head.utf8 {
            do { try client.send([byte]) } catch { break }
        }
        let answer = String(decoding: (try? client.receiveToEnd()) ?? [], as: UTF8.self)
        #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 \(request.status) "), "\(answer)")
    }

    @Test func `a request with a body that a method allows is answered without the body`() throws {
        let server = try TestServer()
        let body = String(repeating: "x", count: 200_000)
        let head = "POST /hello HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        let answer = try server.exchange(head + body)
        #expect(answer.hasPrefix("HTTP/1.1 405 "), "\(answer)")
        #expect(answer.contains("Allow: GET, HEAD, OPTIONS\r\n"))
    }

    @Test func `a pipelined second request is not answered and the first is whole`() throws {
        let server = try TestServer()
        let request = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"
        let answer = try server.exchange(
            request + String(repeating: Self.secondRequest, count: 500)
        )
        #expect(answer.hasPrefix("HTTP/1.1 200 "))
        #expect(answer.hasSuffix("\r\n\r\nhello /hello"))
        #expect(answer.contains("Connection: close\r\n"))
    }

    @Test func `four KiB of headers are always served`() throws {
        let server = try TestServer()
        let fields = [
            "Cookie: fixcast_token=" + String(repeating: "c", count: 2_000),
            "Authorization: Bearer " + String(repeating: "t", count: 1_900),
            "Accept: text/event-stream", "Last-Event-ID: k3v9-1042",
        ]
        let head = "GET /hello HTTP/1.1\r\nHost: a\r\n" + fields.map { $0 + "\r\n" }.joined()
        #expect(try server.exchange(head + "\r\n").hasPrefix("HTTP/1.1 200 "))
        let many = (0..<95).map { "X-\($0): " + String(repeating: "v", count: 30) + "\r\n" }
        let second = "GET /hello HTTP/1.1\r\nHost: a\r\n" + many.joined() + "\r\n"
        #expect(try server.exchange(second).hasPrefix("HTTP/1.1 200 "))
        let target = "/hello?" + String(repeating: "a=b&", count: 500)
        let third = "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n"
        #expect(try server.exchange(third).hasPrefix("HTTP/1.1 200 "))
    }

    @Test(arguments: [
        "Cookie: " + String(repeating: "a=b; ", count: 700) + "\r\n",
        "Cookie: " + String(repeating: "a=;", count: 1_365) + "\r\n",
        String(repeating: "X:\r\n", count: 1_023), String(repeating: "X:a\r\n", count: 680),
        String(repeating: "Cookie: a=b\r\n", count: 315),
    ])
    func `four KiB of headers are served in whatever pieces they come`(fields: String) throws {
        let server = try TestServer()
        let answer = try server.exchange("GET /hello HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
    }

    @Test(arguments: [1, 20, 30, 60, 500, 1_500, 2_000])
    func `empty parameters of a query do no harm`(count: Int) throws {
        let server = try TestServer()
        let target = "/hello?" + String(repeating: "&", count: count)
        let answer = try server.exchange("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
        let isServed = answer.hasPrefix("HTTP/1.1 200 ") && answer.hasSuffix("hello \(target)")
        let isRefused = answer.hasPrefix("HTTP/1.1 431 ") && answer.contains("problem+json")
        #expect(count < 1_600 ? isServed : isRefused, "\(answer)")
    }

    @Test(arguments: [
        "", ";", "a", "a=", "=b", "a=b;;c=d", "a=\"b", "a b=c", "a=b,c=d", "ä=ö", "a=b; ",
    ])
    func `odd cookies are the application's to judge`(cookie: String) throws {
        let server = try TestServer()
        let head = "GET /hello HTTP/1.1\r\nHost: a\r\nCookie: \(cookie)\r\n\r\n"
        #expect(try server.exchange(head).hasPrefix("HTTP/1.1 200 "))
    }

    @Test func `a refusal has the headers for its origin and none a body for HEAD`() throws {
        let server = try TestServer(configure: {
            $0.commonHeaders = { [("X-Origin", $0 ?? "none")] }
        })
        let fields = "Host: a\r\nOrigin: https://b\r\nTransfer-Encoding: x\r\n\r\n"
        let post = try server.exchange("POST /hello HTTP/1.1\r\n\(fields)")
        #expect(post.hasPrefix("HTTP/1.1 501 ") && post.contains("X-Origin: https://b\r\n"))
        let head = try server.exchange("HEAD /%f HTTP/1.1\r\nHost: a\r\nOrigin: https://b\r\n\r\n")
        #expect(head.hasPrefix("HTTP/1.1 400 ") && head.contains("X-Origin: https://b\r\n"))
        #expect(head.hasSuffix("\r\n\r\n"))
    }

    @Test(arguments: [
        (400, "HEAD /hello"), (505, "HEAD /hello HTTP/3.0"), (400, "HEAD  /hello HTTP/1.1"),
        (414, "HEAD /\(String(repeating: "a", count: 9_000)) HTTP/1.1"),
    ])
    func `a bad request line is refused with the headers for its origin`(
        status: Int,
        line: String
    ) throws {
        let server = try TestServer(configure: {
            $0.commonHeaders = { [("X-Origin", $0 ?? "none")] }
        })
        let answer = try server.exchange("\(line)\r\nHost: a\r\norigin:  https://b\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
        #expect(answer.contains("X-Origin: https://b\r\n") && answer.hasSuffix("\r\n\r\n"))
        let none = try server.exchange("\(line)\r\nX-Origin: c\r\nOrigin: \u{1}\r\n\r\n")
        #expect(none.contains("X-Origin: none\r\n"))
    }

    @Test(arguments: ["", "a", "a:", "a.b-c_d~:80", "1.2.3.4:65535", "[::1]", "[::1]:8080", "%41"])
    func `a host with or without a port is one`(host: String) throws {
        let answer = try TestServer().exchange("GET /hello HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 200 "))
    }

    @Test func `an empty line before the request is ignored`() throws {
        let server = try TestServer()
        #expect(try server.exchange("\r\nGET /hello HTTP/1.1\r\nHost: a\r\n\r\n").contains(" 200 "))
    }

    @Test func `an unknown method and an unknown path are told apart`() throws {
        let server = try TestServer()
        #expect(try server.exchange("BREW /hello HTTP/1.1\r\nHost: a\r\n\r\n").contains(" 405 "))
        #expect(try server.exchange("BREW /tea HTTP/1.1\r\nHost: a\r\n\r\n").contains(" 404 "))
        #expect(try server.exchange("get /hello HTTP/1.1\r\nHost: a\r\n\r\n").contains(" 405 "))
        let options = try server.exchange("OPTIONS /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(options.hasPrefix("HTTP/1.1 204 "))
        #expect(options.contains("Allow: GET, HEAD, OPTIONS\r\n"))
        #expect(try server.exchange("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").contains(" 204 "))
    }

    @Test func `a head that does not come is cut off at the deadline`() throws {
        let server = try TestServer(configure: { $0.headTimeout = .milliseconds(200) })
        let client = try server.connect()
        try client.send("GET /hello HTTP/1.1\r\nHost: ")
        #expect(try client.receiveToEnd().isEmpty)
        #expect(try server.connect().receiveToEnd().isEmpty)
    }

    @Test func `queries are decoded in order and plus is not a space`() {
        let request = Request(target: "/a%2Fb/%C3%A9?x=1&y=a%26b+c&x=&z&=q")
        #expect(request?.path == "/a%2Fb/é")
        #expect(request?.query.map(\.name) == ["x", "y", "x", "z", ""])
        #expect(request?.query.map(\.value) == ["1", "a&b+c", "", "", "q"])
        #expect(request?.queryValue("y") == "a&b+c")
    }
}
