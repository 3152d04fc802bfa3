import HTTPServer
import Location
import Reactive
import Synchronization
import TestSupport

@testable import FixcastService

/// A source that says what a test tells it to.
final class ManualSource: FixSource {
    private struct State {
        var output: Observer<SourceEvent, SourceFailure>?
        var starts = 0
        var stops = 0
    }

    let kind: SourceKind
    let devices: [String]
    let isLooping: Bool
    private let state = Mutex(State())

    convenience init(
        _ devices: String...,
        kind: SourceKind = .replay,
        isLooping: Bool = true
    ) {
        self.init(devices, kind: kind, isLooping: isLooping)
    }

    init(_ devices: [String], kind: SourceKind = .replay, isLooping: Bool = true) {
        self.kind = kind
        self.devices = devices
        self.isLooping = isLooping
    }

    var starts: Int { state.withLock { $0.starts } }
    var stops: Int { state.withLock { $0.stops } }
    var isRunning: Bool { starts > stops }

    var fixes: SignalProducer<SourceEvent, SourceFailure> {
        SignalProducer { [self] output, lifetime in
            state.withLock { state in
                state.starts += 1
                state.output = output
            }
            lifetime += ActionDisposable { [self] in
                state.withLock { state in
                    state.stops += 1
                    state.output = nil
                }
            }
        }
    }

    func report(for device: String) -> TrackReport? { nil }

    func send(
        _ device: String? = nil,
        latitude: Double = 46.5,
        longitude: Double = 7.5,
        discontinuity: Bool = false
    ) {
        var fix = FixEncodingTests.fix(latitude: latitude, longitude: longitude)
        fix.discontinuity = discontinuity
        fix.device = device ?? devices[0]
        output?.send(value: .fix(fix))
    }

    /// Begins a run with a fix from before it.
    func sendLastKnown(age: Duration) {
        var fix = FixEncodingTests.fix()
        fix.device = devices[0]
        output?.send(value: .lastKnown(fix, age: age))
    }

    func announce(_ status: String) {
        output?.send(value: .status(device: devices[0], state: status, message: nil))
    }

    func complete() { output?.sendCompleted() }

    func fail(_ message: String) { output?.send(error: SourceFailure(message: message)) }

    private var output: Observer<SourceEvent, SourceFailure>? { state.withLock { $0.output } }
}

/// A whole service on a free port, with sources and time in the test's hands.
struct ServiceHarness {
    let service: Service
    let scheduler = TestScheduler()

    init(
        _ sources: [ManualSource],
        log: Log = .silent,
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws {
        var configuration = Configuration()
        configuration.listen = [ListenAddress(host: "127.0.0.1", port: 0)]
        configuration.drain = .zero
        change(&configuration)
        service = try Service(
            configuration: configuration,
            sources: sources,
            scheduler: scheduler,
            log: log
        )
    }

    /// Opens a connection and asks for a resource.
    func open(_ target: String, headers: [String] = []) throws -> RawSocketClient {
        let client = try RawSocketClient(port: RawSocketClient.port(of: service.addresses[0]))
        try client.get(target, headers: headers)
        return client
    }

    /// Opens a stream and waits until it has joined its sources.
    func stream(_ target: String, headers: [String] = []) throws -> RawSocketClient {
        let before = subscribers
        let client = try open(target, headers: headers)
        let head = try client.receiveHead()
        guard head.status == 200 else { throw UnexpectedStatus(status: head.status) }
        guard eventually({ subscribers > before }) else { throw NotJoined() }
        return client
    }

    /// Asks for a resource and returns its status, headers and whole body.
    func get(
        _ target: String,
        headers: [String] = []
    ) throws -> (head: ResponseHead, body: String) {
        let client = try open(target, headers: headers + ["Connection: close"])
        let head = try client.receiveHead()
        let bytes =
            try head["transfer-encoding"] == nil
            ? client.receiveToEnd() : client.receiveChunks()
        return (head, String(decoding: bytes, as: UTF8.self))
    }

    private struct UnexpectedStatus: Error {
        let status: Int
    }

    private struct NotJoined: Error {}

    /// The number of subscriptions over all devices.
    var subscribers: Int {
        service.subscriberCount
    }
}

extension RawSocketClient {
    /// The events of the stream up to and with the one whose data holds `text`.
    func events(through text: String) throws -> [ParsedEvent] {
        var parser = EventStreamParser()
        while !parser.events.contains(where: { $0.data.contains(text) }) {
            guard let chunk = try receiveChunk() else { throw Failure.ended }
            parser.feed(chunk)
        }
        return parser.events
    }

    /// The events up to the orderly end.
    func eventsToEnd() throws -> [ParsedEvent] {
        EventStreamParser.events(in: try receiveChunks())
    }
}

extension ParsedEvent {
    /// The number after the epoch.
    var sequence: Int? {
        lastEventID.split(separator: "-").last.flatMap { Int($0) }
    }
}

extension Request {
    /// A GET request for tests.
    static func get(
        _ target: String,
        headers: [(name: String, value: String)] = []
    ) -> Request {
        guard let request = Request(target: target, headers: Headers(headers)) else {
            preconditionFailure("\(target) is no target")
        }
        return request
    }
}
