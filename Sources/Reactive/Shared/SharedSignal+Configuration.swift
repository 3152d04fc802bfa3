extension SharedSignal {
    /// How a shared signal behaves.
    public struct Configuration: Sendable {
        /// How long a run goes on after its last observer has left.
        public var linger: Duration
        /// How many of the newest values a newcomer gets.
        public var replayCount: Int
        /// When set, that many of each key's newest values are kept.
        ///
        /// There should be a bounded number of keys: a key's values are kept until the replay is
        /// cleared.
        public var replayKey: (@Sendable (Value) -> Int)?
        /// Older values are not given to newcomers.
        public var replayMaximumAge: Duration?
        /// What becomes of the kept values when a run ends.
        public var replayAtStop: ReplayAtStop
        /// How long to wait after a failure.
        public var backOff: BackOff
        /// Whether a value shows that the upstream works, which ends its failures in a row; without
        /// it every value does.
        public var endsFailures: (@Sendable (Value) -> Bool)?
        /// Whether observers stay when a run fails, to get the values of the next one.
        ///
        /// Otherwise they get `failed` and have left.
        public var retriesOnFailure: Bool
        /// Called with the error of each failed run.
        public var onFailure: (@Sendable (Failure) -> Void)?
        /// How many events an observer whose callback is still running may lag behind before the
        /// oldest of them are dropped.
        public var lagLimit: Int

        /// Creates a configuration: no linger, the newest value replayed and kept.
        public init(
            linger: Duration = .zero,
            replayCount: Int = 1,
            replayKey: (@Sendable (Value) -> Int)? = nil,
            replayMaximumAge: Duration? = nil,
            replayAtStop: ReplayAtStop = .keep,
            backOff: BackOff = BackOff(),
            endsFailures: (@Sendable (Value) -> Bool)? = nil,
            retriesOnFailure: Bool = true,
            onFailure: (@Sendable (Failure) -> Void)? = nil,
            lagLimit: Int = 4096
        ) {
            self.linger = linger
            self.replayCount = replayCount
            self.replayKey = replayKey
            self.replayMaximumAge = replayMaximumAge
            self.replayAtStop = replayAtStop
            self.backOff = backOff
            self.endsFailures = endsFailures
            self.retriesOnFailure = retriesOnFailure
            self.onFailure = onFailure
            self.lagLimit = lagLimit
        }
    }

    /// What a shared signal is doing, and what it has done so far.
    public typealias Snapshot = SharedSignalSnapshot
}
