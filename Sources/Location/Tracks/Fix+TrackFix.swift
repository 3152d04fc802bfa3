extension Fix {
    /// A fix of a track as it is presented: where and how it was recorded, at a time of now.
    public init(_ recorded: TrackFix, device: String, timestamp: Timestamp, origin: Origin) {
        self.init(
            device: device,
            timestamp: timestamp,
            latitude: recorded.latitude,
            longitude: recorded.longitude,
            origin: origin
        )
        altitude = recorded.altitude
        ellipsoidalAltitude = recorded.ellipsoidalAltitude
        horizontalAccuracy = recorded.horizontalAccuracy
        verticalAccuracy = recorded.verticalAccuracy
        speed = recorded.speed
        course = recorded.course
        discontinuity = recorded.discontinuity
    }
}
