private import Synchronization

/// Where the service is between its start and its end.
final class Lifecycle: Sendable {
    /// A stretch of the service's life.
    enum Phase: UInt8, Sendable {
        case starting
        case ready
        case draining
    }

    private let current = Atomic<UInt8>(Phase.starting.rawValue)

    var phase: Phase {
        Phase(rawValue: current.load(ordering: .acquiring)) ?? .draining
    }

    var isDraining: Bool {
        phase == .draining
    }

    /// Goes on to a later phase; false if it, or one after it, was reached already.
    func advance(to phase: Phase) -> Bool {
        let (exchanged, _) = current.max(phase.rawValue, ordering: .acquiringAndReleasing)
        return exchanged < phase.rawValue
    }
}
