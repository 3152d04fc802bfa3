public import Reactive
import Synchronization

/// An HTTP/1.1 server for finite answers and for streams that stay open.
///
/// ## Thread safety
/// Everything may be called from any thread, except that ``stop()`` joins the server's threads and
/// so must not be called from a handler, from `StreamBody.open` or from a disposable of a stream.
/// Handlers run on the server's threads and should return soon.
public final class Server: Sendable {
    private let core: ServerCore
    private let daemon: Daemon
    private let isStopped = Mutex(false)

    /// The URLs the server listens on, such as `http://127.0.0.1:8080`, with the ports it got.
    public let addresses: [String]

    /// Listens and serves until ``stop()``; `log` gets messages about the server itself.
    public init(
        configuration: ServerConfiguration,
        scheduler: any Scheduler,
        log: @escaping @Sendable (String) -> Void,
        handler: @escaping @Sendable (Request, Responder) -> Void
    ) throws(ServerError) {
        let capacity = ServerCapacity(configuration)
        let core = ServerCore(
            configuration: configuration,
            limit: capacity.connections,
            reserve: capacity.reserve,
            scheduler: scheduler,
            log: log,
            handler: handler
        )
        guard
            let daemon = Daemon(
                configuration: configuration,
                waiting: capacity.waiting,
                core: core
            )
        else {
            throw ServerError(message: "the HTTP server cannot start: out of memory or descriptors")
        }
        core.flusher.setDaemon(daemon)
        var addresses: [String] = []
        do {
            for address in configuration.listen {
                addresses.append("http://" + (try daemon.listen(address)))
            }
            try daemon.start()
        } catch {
            core.flusher.setDaemon(nil)
            daemon.free()
            throw error
        }
        self.core = core
        self.daemon = daemon
        self.addresses = addresses
    }

    deinit {
        stop()
    }

    /// How many streams have a connection.
    public var streamCount: Int { core.streamCount }

    /// How many connections have a request that is being answered, those of streams among them.
    public var connectionCount: Int { core.connectionCount }

    /// What has been counted.
    public var counters: ServerCounters { core.counters.snapshot }

    /// Ends all streams with the farewell of `.drain`, spread evenly over `duration`, and calls
    /// `done` once, when nothing is being answered any more: a client that does not read is cut
    /// off a second after the end of `duration`, and finite answers are waited for until a second
    /// after the last stream has gone.
    ///
    /// New connections are still served. A second call with a `duration` of zero ends all streams
    /// at once and breaks off what is left a tenth of a second later.
    public func drain(over duration: Duration, _ done: @escaping @Sendable () -> Void) {
        core.drain(over: duration, done)
    }

    /// Closes everything at once and joins the server's threads; does nothing the second time.
    public func stop() {
        let isFirst = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return !isStopped
        }
        guard isFirst else { return }
        // The library aborts the process if a connection is suspended when it is stopped: first no
        // new ones come, then none can suspend any more, then the suspended ones are resumed.
        daemon.endGate()
        core.flusher.setDaemon(nil)
        core.stop()
        daemon.free()
        core.clear()
    }
}
