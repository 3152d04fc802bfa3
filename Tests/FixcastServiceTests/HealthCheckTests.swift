import Testing

@testable import FixcastService

@Suite struct HealthCheckTests {
    private func failure(url: String) -> String? {
        do throws(HealthCheck.Failure) {
            try HealthCheck(url: url).run()
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `a healthy service passes by IPv4 address and by name`() throws {
        let harness = try ServiceHarness([ManualSource("car")])
        defer { harness.service.stop() }
        let port = harness.service.addresses[0].split(separator: ":").last ?? ""
        #expect(failure(url: "http://127.0.0.1:\(port)/livez") == nil)
        #expect(failure(url: "http://localhost:\(port)/readyz") == nil)
        #expect(failure(url: "HTTP://127.0.0.1:\(port)/livez?") != "unhealthy")
        #expect(failure(url: "http://127.0.0.1:\(port)/no")?.hasSuffix("/no answers 404") == true)
        let check = try HealthCheck(listen: "0.0.0.0:\(port)")
        try check.run()
    }

    @Test func `a service that is gone fails with what the system says`() throws {
        let harness = try ServiceHarness([ManualSource("car")])
        let url = harness.service.addresses[0] + "/livez"
        harness.service.stop()
        #expect(failure(url: url)?.hasPrefix("cannot connect to 127.0.0.1 port ") == true)
    }

    @Test(arguments: [
        "https://localhost/", "localhost:8080", "http://", "http://:8080/", "http://h:99999/",
        "http://h:x/", "http://[::1/", "http://h:80/a b", "http://[::1]x:80/", "ftp://h/",
    ])
    func `text that is no plain HTTP URL is refused`(url: String) {
        #expect(failure(url: url) == "'\(url)' is not a URL; expected http://HOST:PORT/PATH")
    }
}
