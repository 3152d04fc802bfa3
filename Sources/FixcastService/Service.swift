internal import HTTPServer
internal import Location
internal import Reactive
private import Synchronization

/// The service: sources in, streams out.
///
/// Making one opens the listening sockets; from then on requests are answered, and each source
/// starts with its first subscriber. `shutDown` ends it in order.
///
/// ## Thread safety
/// Every method may be called from any thread.
public final class Service: Sendable {
    /// The version of fixcast, as in the `Server` header.
    public static let version = "1.0.0"

    private let configuration: Configuration
    private let hub: EventHub
    private let lifecycle: Lifecycle
    private let log: Log
    private let server: Server
    private let scheduler: any Scheduler

    /// Where the service answers, as `http://HOST:PORT`, with the real port.
    public var addresses: [String] {
        server.addresses
    }

    /// Starts the service.
    ///
    /// - Parameters:
    ///   - configuration: What was chosen.
    ///   - sources: At least one; their device names are all different.
    ///   - scheduler: The time of lingers, warm-ups, waits and heartbeats.
    ///   - log: Where to say what happens.
    /// - Throws: When an address cannot be listened at.
    init(
        configuration: Configuration,
        sources: [any FixSource],
        scheduler: any Scheduler,
        log: Log
    ) throws(ServerError) {
        var generator = SystemRandomNumberGenerator()
        let hub = EventHub(
            sources: sources,
            epoch: EventID.newEpoch(using: &generator),
            configuration: configuration,
            scheduler: scheduler
        )
        let lifecycle = Lifecycle()
        let capacity = ServerCapacity(configuration.server)
        let wantedStreams = configuration.maximumStreams
        var configuration = configuration
        configuration.maximumStreams = capacity.streams
        let routes = Routes(
            hub: hub,
            configuration: configuration,
            lifecycle: lifecycle,
            version: Self.version
        )
        self.configuration = configuration
        self.hub = hub
        self.lifecycle = lifecycle
        self.log = log
        self.scheduler = scheduler
        for warning in configuration.warnings { log.write(.warning, warning) }
        let router = routes.router()
        self.server = try Server(
            configuration: configuration.server(for: routes),
            scheduler: scheduler,
            log: { log.write(.debug, $0) },
            handler: { request, responder in router(request, responder) }
        )
        log.write(capacity, wantedStreams: wantedStreams)
        routes.counters.attach(server)
        for channel in hub.channels { logStates(of: channel) }
        _ = lifecycle.advance(to: .ready)
        warmUp()
    }

    /// Starts the service on opened sources and the machine's own time.
    ///
    /// - Throws: When an address cannot be listened at.
    public convenience init(
        configuration: Configuration,
        sources: SourceSet,
        log: Log
    ) throws(StartFailure) {
        do throws(ServerError) {
            try self.init(
                configuration: configuration,
                sources: sources.sources,
                scheduler: sources.scheduler,
                log: log
            )
        } catch {
            throw StartFailure(message: error.message, isUsage: false)
        }
    }

    /// Ends the service in order: readiness goes, the streams end one by one over the time that
    /// `--drain` gives, then the sources stop and the sockets close.
    ///
    /// A second call ends all at once.
    ///
    /// - Parameter done: Called once everything has ended, on a thread of the service.
    public func shutDown(_ done: @escaping @Sendable () -> Void) {
        guard lifecycle.advance(to: .draining) else {
            return server.drain(over: .zero) {}
        }
        log.write(.info, "streams to end: \(server.streamCount)")
        hub.beginEnding()
        server.drain(over: configuration.drain) { [self] in
            // Not on the thread that reports the end of the last stream: stopping joins it.
            scheduler.schedule(after: .zero) { [self] in
                stop()
                log.write(.info, "ended")
                done()
            }
        }
    }

    /// Ends everything at once and waits until it has ended.
    func stop() {
        _ = lifecycle.advance(to: .draining)
        for channel in hub.channels { channel.signal.drain() }
        server.stop()
    }

    /// How many selections of devices by streams and waits there are.
    var subscriberCount: Int {
        hub.catalogue.names.indices.reduce(0) { $0 + hub.subscriberCount(of: $1) }
    }

    /// Holds every source but the replays open for a while, so that the first client gets a good
    /// fix at once.
    ///
    /// A replay has one at once anyway, and its track must not run off unseen.
    private func warmUp() {
        guard configuration.warmUp > .zero else { return }
        for channel in hub.channels where channel.source.kind != .replay {
            channel.signal.warmUp(for: configuration.warmUp)
        }
    }

    private func logStates(of channel: SourceChannel) {
        let names = channel.source.devices
        let name = names.count == 1 ? names[0] : "\(names.first ?? "") and \(names.count - 1) more"
        let news = StateNews()
        channel.signal.observeState { [log] snapshot in
            let text =
                snapshot.state == .backoff
                ? "\(snapshot.failure ?? "failed"); will try again" : snapshot.state.rawValue
            log.write(news.level(of: snapshot), "\(name): \(text)")
        }
    }
}

extension Log {
    /// Says how many descriptors may be open, and whether they are enough.
    fileprivate func write(_ capacity: ServerCapacity, wantedStreams: Int) {
        let start = "\(capacity.descriptors) descriptors may be open"
        guard capacity.streams < wantedStreams else { return write(.info, start) }
        write(
            .warning,
            "\(start), too few for \(wantedStreams) streams: there may be \(capacity.streams)"
        )
    }
}

/// What has been said of a source's states, so that what repeats is said more quietly.
private final class StateNews: Sendable {
    private struct Said {
        var run = 0
        var failure: String?
    }

    private let said = Mutex(Said())

    /// How important it is what a source does now.
    func level(of snapshot: SharedSignalSnapshot) -> Log.Level {
        said.withLock { said in
            switch snapshot.state {
            case .backoff:
                defer { said.failure = snapshot.failure }
                return said.failure == snapshot.failure ? .debug : .error
            case .running where snapshot.failure == nil:
                defer { said = Said(run: snapshot.runs) }
                // It is the same run where somebody came back in time.
                return said.run == snapshot.runs ? .debug : .info
            case .idle:
                said.failure = nil
                return .info
            // One that runs after a failure has yet to show that it works.
            case .running, .starting, .lingering, .stopping:
                return .debug
            }
        }
    }
}
