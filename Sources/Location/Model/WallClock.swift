/// Civil time as a parameter, so that tests decide what time it is.
///
/// It may jump (a corrected clock, a suspended machine); durations are measured on a `Scheduler`.
public protocol WallClock: Sendable {
    /// The current time in UTC.
    var now: Timestamp { get }
}

/// The machine's own clock.
public struct SystemWallClock: WallClock {
    /// A reader of the machine's clock; it holds nothing.
    public init() {}

    /// The machine's time, cut to milliseconds.
    public var now: Timestamp { SystemCall.realTime() }
}
