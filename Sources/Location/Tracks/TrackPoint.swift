/// A position as a parser reads it, before order, holes and ranges are dealt with.
///
/// Unknown numbers are not-a-number and an unknown time is the smallest integer: a point is then
/// plain memory, of which many can be held.
struct TrackPoint {
    static let noTime = Int64.min

    var latitude = Double.nan
    var longitude = Double.nan
    var altitude = Double.nan
    var ellipsoidalAltitude = Double.nan
    var horizontalAccuracy = Double.nan
    var verticalAccuracy = Double.nan
    /// Metres per second.
    var speed = Double.nan
    var course = Double.nan
    /// Milliseconds since 1970.
    var time = noTime
    var place = Place.none
    /// Which segment of the file it belongs to; another number than the point before is a break.
    var segment: UInt32 = 0
    /// Which stretch of its device it belongs to: one ends where a point says that it does not
    /// continue the one before, whether or not that point is used.
    var stretch: UInt32 = 0
    /// The index of its device in `TrackSink.devices`.
    var device: UInt32 = 0
    /// Whether it does not continue the point before: of a parser's, as its file says, which the
    /// sink makes a stretch of; of a lane's, for what was left out or the feed's clock.
    var isBreak = false
    /// Whether its device has been on another track of the file before.
    var isOfLaterTrack = false
    /// Where its time comes from.
    var clock = Clock.own

    enum Clock: UInt8 {
        /// The file.
        case own
        /// The times around it, by distance.
        case interpolated
        /// Distance and speed.
        case counted
    }

    var hasTime: Bool { time != TrackPoint.noTime }
}
