/// What a shared signal's upstream is doing.
public enum SharedSignalState: String, Sendable, CaseIterable {
    /// There is no run, and nobody asks for one.
    case idle
    /// The upstream is being started: its start has not returned and has sent no value.
    case starting
    /// The upstream runs.
    case running
    /// The upstream runs, though nobody observes, in case somebody comes back.
    case lingering
    /// The run is over; its resources are being given up.
    case stopping
    /// The last run failed; the next one has to wait.
    case backoff
}
