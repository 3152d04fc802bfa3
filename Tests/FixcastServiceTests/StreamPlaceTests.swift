import TestSupport
import Testing

@testable import FixcastService

@Suite struct StreamPlaceTests {
    @Test func `a stream that is never opened gives its place back`() throws {
        let source = ManualSource("car")
        let harness = try ServiceHarness([source])
        defer { harness.service.stop() }
        let port = RawSocketClient.port(of: harness.service.addresses[0])
        for _ in 0..<3 {
            let client = try RawSocketClient(port: port)
            try client.send("HEAD /v1/locations HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.receiveHead().status == 200)
            let gone = try RawSocketClient(port: port)
            try gone.get("/v1/locations")
            gone.halfClose()
            _ = try gone.receiveToEnd()
        }
        #expect(
            eventually {
                (try? harness.get("/metrics").body.contains("\nfixcast_streams 0\n")) ?? false
            }
        )
        #expect(eventually { harness.subscribers == 0 })
    }
}
