/// Where something truly is at any time: a path and the speed along it.
struct Trajectory: Sendable {
    private let path: RoundedPath
    private let plan: SpeedPlan
    private let height: Double

    /// The motion of a profile along a route.
    init(route: Route, profile: MotionProfile) {
        let limits = profile.limits
        path = RoundedPath(route, limits: limits)
        plan = SpeedPlan(path, limits: limits)
        height = limits.height
    }

    /// How long one round takes, in seconds; 0 when nothing moves.
    var period: Double { plan.period }

    /// What is true at a time in seconds.
    ///
    /// Speed and course are those of the straight way covered in the `window` seconds before it, as
    /// a receiver measures them, and as one finds them between two fixes.
    func state(at time: Double, window: Double) -> State {
        let here = path.point(at: plan.distance(at: time))
        let before = path.point(at: plan.distance(at: time - window))
        let way = Geodesy.inverse(from: before.position, to: here.position)
        return State(
            position: here.position,
            altitude: here.altitude + height,
            speed: way.distance / window,
            course: way.finalCourse
        )
    }

    struct State: Equatable {
        var position: Geodesy.Position
        /// Metres above mean sea level.
        var altitude: Double
        /// Metres per second.
        var speed: Double
        /// Degrees [0, 360); of no meaning without speed.
        var course: Double
    }
}
