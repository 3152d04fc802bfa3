import Synchronization

/// The times at which a source's fixes are presented: they keep the distances of the scheduler's
/// clock, and never go back, over all runs of the source.
final class PresentedTime: Sendable {
    private let last = Mutex<Timestamp?>(nil)

    /// Nothing is presented yet.
    init() {}

    /// The time itself, or the last one given out where that is later.
    func advance(to time: Timestamp) -> Timestamp {
        last.withLock { last in
            let presented = max(last ?? time, time)
            last = presented
            return presented
        }
    }
}

/// Civil time in step with a scheduler's clock from one moment on, so that a wall clock that is
/// corrected in small steps does not show in the distances between fixes.
struct PresentationAnchor {
    /// How far ahead the wall clock may be before time follows it, in milliseconds.
    ///
    /// It has then been set, or the machine has slept. One that was set back is not followed, since
    /// time never goes back.
    private static let tolerance: Int64 = 2_000

    private let clock: any WallClock
    private var monotonic: Duration
    private var wall: Timestamp

    /// Anchored to what the clock shows at `now` on the scheduler's clock.
    init(clock: any WallClock, now: Duration) {
        self.clock = clock
        monotonic = now
        wall = clock.now
    }

    /// The civil time of a moment of the scheduler's clock, seen at `now` on it.
    mutating func time(of moment: Duration, now: Duration) -> Timestamp {
        let ahead = clock.now.milliseconds - onGrid(now).milliseconds
        if ahead > Self.tolerance { wall.milliseconds += ahead }
        return onGrid(moment)
    }

    private func onGrid(_ moment: Duration) -> Timestamp {
        Timestamp(milliseconds: wall.milliseconds + (moment - monotonic).wholeMilliseconds)
    }
}
