/// What a shared signal is doing, and what it has done so far.
public struct SharedSignalSnapshot: Sendable, Equatable {
    /// What the upstream is doing.
    public var state: SharedSignalState
    /// How many counted observers there are; the warm-up is none.
    public var subscribers: Int
    /// The number of the current or last run: how often the upstream has been started.
    public var runs: Int
    /// How many of those starts were not retries after a failure.
    public var starts: Int
    /// How often a kept value has been given to a newcomer.
    public var replays: Int
    /// How often a newcomer found a run that was lingering.
    public var lingers: Int
    /// How many events were dropped because an observer's callback was too slow.
    public var drops: Int
    /// The text of the last failure, until a run sends a value that ends the failures.
    public var failure: String?

    @usableFromInline
    init(
        state: SharedSignalState,
        subscribers: Int,
        runs: Int,
        starts: Int,
        replays: Int,
        lingers: Int,
        drops: Int,
        failure: String?
    ) {
        self.state = state
        self.subscribers = subscribers
        self.runs = runs
        self.starts = starts
        self.replays = replays
        self.lingers = lingers
        self.drops = drops
        self.failure = failure
    }
}
