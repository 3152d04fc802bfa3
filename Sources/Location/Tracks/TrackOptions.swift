/// How a track is to be read: the replay parameters that concern the file itself.
public struct TrackOptions: Sendable, Equatable {
    /// What happens to a fix whose time lies before that of an earlier one of its device.
    public enum Order: String, Sendable, CaseIterable {
        /// It is left out and counted.
        case drop
        /// Fixes are put in the order of their times, within a window of 100,000 of them.
        case sort
        /// The order of the file is kept; times may go back.
        case file
    }

    /// Whether the tracks of one file are devices of their own.
    public enum Split: String, Sendable, CaseIterable {
        /// All tracks of the file are one device, one after the other.
        case none
        /// Every track is a device, named by the track.
        case track
    }

    /// Metres per second at which a segment without times is travelled; above 0.
    public var speed = 1.4
    /// The zone of times that do not name one; nil: UTC, which is reported.
    public var timeZone: TrackTimeZone?
    /// The day of the first fix of an NMEA log without dates.
    public var date: CivilDate?
    /// A step of time longer than this is a gap: the fix after it does not continue the one before.
    public var maxGap = Duration.seconds(60)
    /// What happens to fixes out of order.
    public var order = Order.drop
    /// Whether tracks are devices.
    public var split = Split.none

    /// The defaults.
    public init() {}
}
