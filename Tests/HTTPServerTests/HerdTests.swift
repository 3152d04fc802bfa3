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
}
