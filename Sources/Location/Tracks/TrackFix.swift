/// One fix of a track, normalised: order, holes, duplicates and units are dealt with.
///
/// Every number is finite and in the range that `Fix` documents; unknown is nil.
public struct TrackFix: Sendable, Equatable {
    /// Degrees WGS 84, [-90, 90].
    public var latitude: Double
    /// Degrees WGS 84, [-180, 180).
    public var longitude: Double
    /// Metres above mean sea level.
    public var altitude: Double?
    /// Metres above the ellipsoid, where the file says so itself.
    public var ellipsoidalAltitude: Double?
    /// Metres, 68 %.
    public var horizontalAccuracy: Double?
    /// Metres, 68 %.
    public var verticalAccuracy: Double?
    /// Metres per second: the file's, else that of the leg that ends here; nil after a
    /// discontinuity that the file gives no speed for.
    public var speed: Double?
    /// Degrees [0, 360): the file's, else that of the leg that ends here; nil below 0.5 m/s.
    public var course: Double?
    /// The file's own time; in stretches without times one counted by distance and speed, from one
    /// second after the fix before, or from 1970-01-01T00:00:00Z where there is none.
    ///
    /// Per device it goes back only with `TrackOptions.Order.file`, and where a segment with times
    /// follows one without (then with `discontinuity`).
    public var trackTime: Timestamp
    /// The file's own time, or in a hole of a timed segment the time interpolated by distance; nil
    /// in segments without times.
    public var recordedAt: Timestamp?
    /// Whether it does not continue the fix before it of the same device (a new segment, or a step
    /// longer than `TrackOptions.maxGap`); false for the first fix of a device.
    public var discontinuity: Bool
    /// The device by the file's own id, or by the track with `TrackOptions.Split.track`; matches
    /// `[A-Za-z0-9._-]{1,64}`; nil where the file names none.
    public var device: String?

    /// A fix at a position and time; the rest is unknown until set.
    public init(latitude: Double, longitude: Double, trackTime: Timestamp) {
        self.latitude = latitude
        self.longitude = longitude
        self.trackTime = trackTime
        self.discontinuity = false
    }
}
