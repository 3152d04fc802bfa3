internal import Location
private import Synchronization

/// Gives each fix its id, keeps the newest of every device and the last events for `Last-Event-ID`.
///
/// ## Thread safety Appending happens only inside the service's `OrderedStep`; reading may happen
/// anywhere and sees the log between two appends.
final class EventLog: Sendable {
    /// New at each start of the service, so that an id of an earlier start is never mistaken.
    let epoch: String
    private let state: Mutex<State>

    private struct State {
        let capacity: Int
        var sequence: UInt64 = 0
        /// A ring: the event with sequence `s` stands at `(s - 1) % capacity`.
        var ring: [StreamEvent] = []
        var latest: [StreamEvent?]
        var counts: [UInt64]

        mutating func store(_ event: StreamEvent) -> [StreamEvent?] {
            var old = [latest[event.device]]
            sequence = event.id.sequence
            latest[event.device] = event
            counts[event.device] += 1
            guard capacity > 0 else { return old }
            if ring.count < capacity {
                ring.append(event)
            } else {
                let slot = Int((sequence - 1) % UInt64(capacity))
                old.append(ring[slot])
                ring[slot] = event
            }
            return old
        }

        func slice(from first: UInt64) -> [StreamEvent] {
            guard first <= sequence, capacity > 0 else { return [] }
            return (first...sequence).map { ring[Int(($0 - 1) % UInt64(capacity))] }
        }
    }

    init(epoch: String, devices: Int, capacity: Int) {
        self.epoch = epoch
        self.state = Mutex(
            State(
                capacity: capacity,
                latest: Array(repeating: nil, count: devices),
                counts: Array(repeating: 0, count: devices)
            )
        )
    }

    /// What a client that names the last event it saw has missed.
    enum Resumption: Sendable {
        /// Every later event, by rising id; none if it saw the newest.
        case events([StreamEvent])
        /// The events after that id are no longer all kept.
        case expired
        /// The id is none that this start of the service gave.
        case unknown
    }

    /// Gives a fix the next id and keeps it.
    ///
    /// The time never falls behind the device's previous one.
    func append(_ fix: Fix, device: Int, received: Duration) -> StreamEvent {
        let (sequence, previous) = state.withLock { state in
            (state.sequence + 1, state.latest[device])
        }
        var fix = fix
        if let previous { fix.timestamp = max(fix.timestamp, previous.fix.timestamp) }
        let event = StreamEvent(
            id: EventID(epoch: epoch, sequence: sequence),
            device: device,
            fix: fix,
            received: received
        )
        // What the ring pushes out is released after unlocking.
        let old = state.withLock { $0.store(event) }
        return withExtendedLifetime(old) { event }
    }

    /// What came after the event that `lastEventID` names.
    func events(after lastEventID: String) -> Resumption {
        guard let id = EventID(parsing: lastEventID), gave(id) else { return .unknown }
        return state.withLock { state in
            let oldest = state.sequence - UInt64(state.ring.count) + 1
            guard id.sequence + 1 >= oldest else { return .expired }
            return .events(state.slice(from: id.sequence + 1))
        }
    }

    /// Whether the id is one that this start of the service gave.
    func gave(_ id: EventID) -> Bool {
        id.epoch == epoch && id.sequence <= newestSequence
    }

    /// Every event that is kept, by rising id.
    var kept: [StreamEvent] {
        state.withLock { state in
            state.slice(from: state.sequence - UInt64(state.ring.count) + 1)
        }
    }

    /// The newest event of a device, however old.
    func latest(of device: Int) -> StreamEvent? {
        state.withLock { $0.latest[device] }
    }

    /// How many fixes a device has had since the service started.
    func count(of device: Int) -> UInt64 {
        state.withLock { $0.counts[device] }
    }

    /// The sequence of the newest event, 0 before the first.
    var newestSequence: UInt64 {
        state.withLock { $0.sequence }
    }
}
