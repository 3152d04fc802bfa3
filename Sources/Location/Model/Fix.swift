/// One position report, as in GNSS: where a device was, when, and how sure that is.
///
/// Unknown values are nil, never a sentinel. Every number is finite and in range, so that a fix can
/// always be encoded.
public struct Fix: Sendable, Equatable {
    /// Where a fix comes from.
    public enum Origin: String, Sendable {
        /// Made by the motion simulator.
        case simulated
        /// Read from a recorded track and given a new time.
        case replayed
        /// Reported by a receiver just now.
        case live
    }

    /// Which device, `[A-Za-z0-9._-]{1,64}`.
    public var device: String
    /// When, as presented now.
    public var timestamp: Timestamp
    /// Degrees WGS 84, [-90, 90].
    public var latitude: Double
    /// Degrees WGS 84, [-180, 180).
    public var longitude: Double
    /// Metres above mean sea level.
    public var altitude: Double?
    /// Metres above the WGS 84 ellipsoid, where the source says so itself.
    public var ellipsoidalAltitude: Double?
    /// Metres; the position is inside this radius with 68 % probability.
    public var horizontalAccuracy: Double?
    /// Metres, 68 %.
    public var verticalAccuracy: Double?
    /// Metres per second over ground.
    public var speed: Double?
    /// Degrees clockwise from true north, [0, 360).
    public var course: Double?
    /// Where the fix comes from.
    public var origin: Origin
    /// The time in the file, when a replay presents it at another time.
    public var recordedAt: Timestamp?
    /// How often the track has started again.
    public var lap: Int
    /// Whether this fix does not continue the previous one of its device: no line should join them.
    public var discontinuity: Bool

    /// A fix with what every fix has; the rest is unknown until set.
    public init(
        device: String,
        timestamp: Timestamp,
        latitude: Double,
        longitude: Double,
        origin: Origin
    ) {
        self.device = device
        self.timestamp = timestamp
        self.latitude = latitude
        self.longitude = longitude
        self.origin = origin
        self.lap = 0
        self.discontinuity = false
    }
}
