import HTTPServer
import Reactive
import Synchronization
import TestSupport

/// A server on a free port of loopback, with one stream at `/stream` whose opening, items and
/// disposal the test controls.
final class TestServer: Sendable {
    let server: Server
    let port: Int
    let streams = Recorder<EventStream>()
    let disposals = Recorder<Int>()
    let messages = Recorder<String>()

    init(
        scheduler: any Scheduler = DispatchScheduler(label: "test server"),
        body: @escaping @Sendable (inout StreamBody) -> Void = { _ in },
        configure: (inout ServerConfiguration) -> Void = { _ in },
        routes: (inout Router) -> Void = { _ in }
    ) throws {
        let streams = streams
        let disposals = disposals
        let messages = messages
        var router = Router()
        router.on("GET", "/stream") { _, _, responder in
            var stream = StreamBody(preamble: SharedBytes(": hello\n\n")) { stream in
                streams.record(stream)
                return ActionDisposable { disposals.record(1) }
            }
            body(&stream)
            responder(
                Response(
                    headers: [("Content-Type", "text/event-stream")],
                    body: .stream(stream)
                )
            )
        }
        router.on("GET", "/hello") { request, _, responder in
            responder(Response(contentType: "text/plain", text: "hello \(request.target)"))
        }
        routes(&router)
        let finished = router
        var configuration = ServerConfiguration(
            listen: [ListenAddress(host: "127.0.0.1", port: 0)]
        )
        configure(&configuration)
        server = try Server(
            configuration: configuration,
            scheduler: scheduler,
            log: { messages.record($0) },
            handler: { finished($0, $1) }
        )
        port = RawSocketClient.port(of: server.addresses[0])
    }

    deinit {
        server.stop()
    }

    /// A client that has not sent anything.
    func connect(receiveBuffer: Int32? = nil) throws -> RawSocketClient {
        try RawSocketClient(port: port, receiveBuffer: receiveBuffer)
    }

    /// A client with an open stream whose head and preamble have been read, and the stream's end on
    /// the server.
    func openStream(
        receiveBuffer: Int32? = nil
    ) throws -> (client: RawSocketClient, stream: EventStream?) {
        let client = try connect(receiveBuffer: receiveBuffer)
        try client.get("/stream")
        _ = try client.receiveHead()
        _ = try client.receiveChunks(through: ": hello\n\n")
        return (client, streams.next())
    }

    /// Sends raw bytes on a new connection and returns everything that comes back.
    func exchange(_ text: String) throws -> String {
        let client = try connect()
        try client.send(text)
        return String(decoding: try client.receiveToEnd(), as: UTF8.self)
    }

    /// Waits until a stream with that reason has been counted.
    func waitForClose(_ reason: CloseReason, count: Int = 1) -> Bool {
        eventually { server.counters.closed[reason] == count }
    }
}
