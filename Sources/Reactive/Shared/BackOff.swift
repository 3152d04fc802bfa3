/// How long to wait before an upstream that failed is started again.
public struct BackOff: Sendable, Equatable {
    /// The wait after the first failure.
    public var initial: Duration
    /// What each further failure in a row multiplies it by.
    public var factor: Double
    /// What it never exceeds, before jitter.
    public var maximum: Duration
    /// The share by which a wait is made longer or shorter at random, 0 to 1.
    public var jitter: Double
    /// Where the random numbers begin; the same seed gives the same waits.
    public var seed: UInt64

    /// Creates a rule; without arguments 1 s, 2 s, 4 s … 30 s, each ±20 %.
    public init(
        initial: Duration = .seconds(1),
        factor: Double = 2,
        maximum: Duration = .seconds(30),
        jitter: Double = 0.2,
        seed: UInt64 = .random(in: .min ... .max)
    ) {
        self.initial = initial
        self.factor = factor
        self.maximum = maximum
        self.jitter = jitter
        self.seed = seed
    }

    /// The wait after `failures` failures in a row; `random` is from 0 to 1.
    func delay(afterFailures failures: Int, random: Double) -> Duration {
        var delay = initial
        for _ in 1..<max(failures, 1) {
            guard delay < maximum else { break }
            delay = delay * factor
        }
        return min(delay, maximum) * (1 + jitter * (2 * random - 1))
    }
}

/// A small deterministic generator (SplitMix64), for jitter only.
struct JitterGenerator: Equatable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// The next number from 0 up to, not including, 1.
    mutating func next() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return Double(mixed >> 11) / 9_007_199_254_740_992
    }
}
