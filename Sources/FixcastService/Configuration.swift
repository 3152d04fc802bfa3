internal import HTTPServer
internal import Location

/// Everything that can be chosen about a running service.
public struct Configuration: Sendable {
    /// What happens to a stream whose queue is full.
    public enum SlowClient: String, Sendable, CaseIterable {
        /// The queue becomes the newest fix of each device, and a `gap` says how many were lost.
        case skip
        /// The stream is ended.
        case close
    }

    /// Where to listen.
    var listen: [ListenAddress] = []
    /// How long a source keeps running after its last subscriber left.
    public var linger: Duration = .seconds(5)
    /// How long every source but a replay is held open at start.
    public var warmUp: Duration = .seconds(3)
    /// An older last fix is not sent to a new subscriber.
    public var maximumFixAge: Duration = .seconds(300)
    /// How many events are kept for `Last-Event-ID`.
    public var history = 1024
    /// A comment is sent after this long without traffic on a stream; zero: none.
    public var heartbeat: Duration = .seconds(15)
    /// The reconnection time told to clients, before its jitter of ±20 %.
    public var retry: Duration = .seconds(2)
    /// Above this many streams new ones are shed.
    public var maximumStreams = 10_000
    /// How many events may wait in one stream.
    public var streamQueue = 64
    /// What happens when that queue is full.
    public var slowClient = SlowClient.skip
    /// A client that takes no byte for this long is closed.
    public var stallTimeout: Duration = .seconds(30)
    /// A stream is ended cleanly after this; zero: never.
    public var maximumStreamAge: Duration = .zero
    /// Over how long the end of the service spreads the closing of its streams.
    public var drain: Duration = .seconds(5)
    /// The web origins whose pages may read; `*` is all of them, without credentials.
    public var corsOrigins: [String] = []

    /// The defaults, with nowhere to listen yet.
    public init() {}

    /// Replaces the addresses to listen at by some in the form `HOST:PORT`, an IPv6 address in
    /// brackets; returns the first that is none and then changes nothing.
    public mutating func setListen(_ texts: [String]) -> String? {
        var addresses: [ListenAddress] = []
        for text in texts {
            guard let address = try? ListenAddress(parsing: text) else { return text }
            addresses.append(address)
        }
        listen = addresses
        return nil
    }

    /// The part of the HTTP server that does not depend on the routes.
    var server: ServerConfiguration {
        var server = ServerConfiguration(listen: listen)
        server.heartbeat = heartbeat
        server.stallTimeout = stallTimeout
        server.maximumStreamAge = maximumStreamAge
        server.maximumStreams = maximumStreams
        return server
    }

    /// All that the HTTP server is told.
    func server(for routes: Routes) -> ServerConfiguration {
        var server = server
        server.commonHeaders = { [common = routes.common] in common.headers(for: $0) }
        server.reservedPaths = Routes.health
        server.overload = routes.overload()
        return server
    }

    /// What should be said of this configuration before it is used, one sentence each.
    public var warnings: [String] {
        var warnings: [String] = []
        if linger > .zero, retry >= linger {
            warnings.append(
                "--retry \(retry.text) is not shorter than --linger \(linger.text): a client that "
                    + "reconnects finds its source stopped"
            )
        }
        for address in listen where !address.isLoopback {
            warnings.append(
                "listening on \(address), beyond loopback: everyone who can reach it may read all "
                    + "positions"
            )
        }
        return warnings
    }
}
