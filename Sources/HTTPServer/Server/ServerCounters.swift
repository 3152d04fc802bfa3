import Synchronization

/// What a server has counted since it started.
public struct ServerCounters: Sendable {
    /// Streams opened.
    public var opened: Int
    /// Streams that are over, by reason; every reason is there.
    public var closed: [CloseReason: Int]
    /// Items sent to their end, preambles and farewells among them.
    public var eventsSent: Int
    /// Bytes of bodies of streams handed to the network.
    public var bytesSent: Int
    /// Items that never left because a client was slow.
    public var skipped: Int
    /// Heartbeats queued.
    public var heartbeats: Int
    /// Requests refused before routing, because of their syntax or for want of room.
    public var refused: Int
}

/// The counting itself; each cell on its own, so that a sum may be a moment off.
final class CounterCells: Sendable {
    let opened = Atomic(0)
    let events = Atomic(0)
    let bytes = Atomic(0)
    let skipped = Atomic(0)
    let heartbeats = Atomic(0)
    let refused = Atomic(0)
    private let closed = Mutex<[CloseReason: Int]>([:])

    func count(_ progress: StreamProgress) {
        guard progress.bytes > 0 else { return }
        events.add(progress.events, ordering: .relaxed)
        bytes.add(progress.bytes, ordering: .relaxed)
    }

    func close(_ reason: CloseReason) {
        closed.withLock { $0[reason, default: 0] += 1 }
    }

    var snapshot: ServerCounters {
        let closed = closed.withLock { $0 }
        return ServerCounters(
            opened: opened.load(ordering: .relaxed),
            closed: Dictionary(
                uniqueKeysWithValues: CloseReason.allCases.map { ($0, closed[$0] ?? 0) }
            ),
            eventsSent: events.load(ordering: .relaxed),
            bytesSent: bytes.load(ordering: .relaxed),
            skipped: skipped.load(ordering: .relaxed),
            heartbeats: heartbeats.load(ordering: .relaxed),
            refused: refused.load(ordering: .relaxed)
        )
    }
}
