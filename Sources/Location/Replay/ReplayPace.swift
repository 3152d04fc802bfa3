/// How the times of a track become times of a run.
enum ReplayRate: Sendable, Equatable {
    /// So many times as fast as recorded.
    case times(Double)
    /// As fast as fixes may be sent.
    case maximum
}

/// When each fix of a lap is due, counted from the lap's start.
///
/// Offsets are computed from the sum of the track's own steps, in whole milliseconds, so that they
/// do not drift however long the track is.
struct ReplayPace {
    /// The shortest time between fixes on average: a little longer than 10,000 a second would have,
    /// so that timers that are early do not make more of them.
    static let shortestStep = Duration.microseconds(101)
    /// The shortest lap.
    static let shortestLap = Duration.seconds(1)

    private let rate: ReplayRate
    private let maxGap: Int64
    private var played: Int64 = 0
    private var lastStep: Int64?
    private var lastTime: Timestamp?
    private var count: Int64 = 0

    /// A pace at the beginning of a lap; longer steps between recorded times are shortened to
    /// `maxGap`.
    init(rate: ReplayRate, maxGap: Duration) {
        self.rate = rate
        self.maxGap = maxGap.wholeMilliseconds
    }

    /// When the next fix is due.
    ///
    /// The first is due at once; one whose time lies before that of the fix before it comes
    /// together with that. The way of a fix that was recorded without a time takes as long as its
    /// speed makes it.
    mutating func offset(of fix: TrackFix) -> Duration {
        let time = fix.trackTime
        if let lastTime {
            let (difference, overflow) = time.milliseconds.subtractingReportingOverflow(
                lastTime.milliseconds
            )
            let longest = fix.recordedAt == nil && !fix.discontinuity ? difference : maxGap
            let step = overflow ? maxGap : max(0, min(difference, longest))
            played += step
            if step > 0 { lastStep = step }
        }
        lastTime = time
        defer { count += 1 }
        return scaled(played, count)
    }

    /// Whether the lap has had a fix.
    var hasFixes: Bool { count > 0 }

    /// How long the lap is, with a last step, as long as the one before it, back to its first fix.
    var lapLength: Duration {
        max(scaled(played + (lastStep ?? 1_000), count), Self.shortestLap)
    }

    private func scaled(_ milliseconds: Int64, _ count: Int64) -> Duration {
        switch rate {
        case .times(1): .milliseconds(milliseconds)
        case .times(let factor): .milliseconds(milliseconds) / factor
        case .maximum: Self.shortestStep * count
        }
    }
}
