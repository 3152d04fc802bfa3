/// What the descriptors that a process may open allow a server.
public struct ServerCapacity: Sendable, Equatable {
    /// What is left for sources, logs and the server's own sets.
    private static let ownDescriptors = 192
    /// What is kept for the reserved paths, as long as that is no more than a quarter.
    private static let reservedConnections = 64

    /// How many descriptors may be open.
    public let descriptors: Int
    /// How many streams there may be: as many as are wanted, or so many that a quarter of the
    /// connections is left for finite requests.
    public let streams: Int
    /// How many connections may have a request, streams among them.
    let connections: Int
    /// How many more may be for the reserved paths.
    let reserve: Int
    /// How many more may be without a complete head.
    let waiting: Int

    /// What a server with that configuration may have, after raising the limit of descriptors as
    /// far as it goes.
    public init(_ configuration: ServerConfiguration) {
        self.init(configuration, descriptors: Daemon.raiseDescriptorLimit())
    }

    init(_ configuration: ServerConfiguration, descriptors: Int) {
        let usable = max(16, descriptors - Self.ownDescriptors)
        let wanted = configuration.maximumStreams + configuration.headroom
        self.descriptors = descriptors
        reserve = min(Self.reservedConnections, usable / 4)
        connections = min(wanted, usable - reserve)
        streams = min(
            configuration.maximumStreams,
            connections - min(configuration.headroom, connections / 4)
        )
        // Who has yet to ask makes room for a newcomer, and so does no harm where nobody comes; but
        // silent clients must not take all descriptors.
        waiting = min(configuration.maximumWaiting, max(usable - reserve - wanted, usable / 2))
    }
}
