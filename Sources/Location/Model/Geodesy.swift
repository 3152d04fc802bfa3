private import CGeodesic

/// Geodesics on WGS 84: the two questions asked of a map, answered to nanometres, at poles and
/// antimeridian too.
public enum Geodesy {
    /// A position in degrees WGS 84.
    public struct Position: Sendable, Equatable {
        /// Degrees, [-90, 90].
        public var latitude: Double
        /// Degrees, [-180, 180).
        public var longitude: Double

        /// A position from degrees.
        public init(latitude: Double, longitude: Double) {
            self.latitude = latitude
            self.longitude = longitude
        }
    }

    /// The shortest path from one point to another: metres, and the courses in degrees [0, 360) at
    /// both ends.
    public static func inverse(
        from start: Position,
        to end: Position
    ) -> (distance: Double, initialCourse: Double, finalCourse: Double) {
        let path = cgeodesic_inverse(start.latitude, start.longitude, end.latitude, end.longitude)
        return (path.distance, turn(path.initial_course), turn(path.final_course))
    }

    /// The point `distance` metres from `start` along the geodesic that leaves it at `course`
    /// degrees.
    public static func direct(
        from start: Position,
        course: Double,
        distance: Double
    ) -> (position: Position, finalCourse: Double) {
        let end = cgeodesic_direct(start.latitude, start.longitude, course, distance)
        let position = Position(latitude: end.latitude, longitude: longitude(end.longitude))
        return (position, turn(end.final_course))
    }

    /// Any longitude in degrees, brought into [-180, 180).
    public static func longitude(_ degrees: Double) -> Double {
        if degrees >= -180, degrees < 180 { return degrees }
        let wrapped = (degrees + 180).truncatingRemainder(dividingBy: 360)
        return wrapped < 0 ? wrapped + 180 : wrapped - 180
    }

    /// Any angle in degrees, brought into [0, 360).
    public static func turn(_ degrees: Double) -> Double {
        let wrapped = degrees.truncatingRemainder(dividingBy: 360)
        let positive = wrapped < 0 ? wrapped + 360 : wrapped
        return positive == 360 ? 0 : positive
    }
}
