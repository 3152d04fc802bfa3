/// How something moves: how fast, how quickly it changes speed, and how it takes a corner.
enum MotionProfile: String, Sendable, CaseIterable {
    case walk
    case run
    case cycle
    case car
    case train
    case ship
    case drone
    case aircraft

    /// What a profile says in numbers; the unit of length is the metre.
    struct Limits: Sendable {
        /// The speed on a free stretch, m/s.
        var speed: Double
        /// How quickly speed grows, m/s².
        var acceleration: Double
        /// How quickly speed falls, m/s².
        var braking: Double
        /// How hard a corner may be taken, m/s².
        var lateralAcceleration: Double
        /// The tightest curve driven where there is room for it.
        var radius: Double
        /// How far from a corner of the route a curve may pass to be driven faster.
        var cut: Double
        /// The height above the ground or the sea.
        var height: Double
        /// How many times larger than life the built-in loop must be to be driven at this speed.
        var loopScale: Double
    }

    /// The numbers of the profile.
    ///
    /// Turning by more than about 25 degrees a second is avoided on foot, and by more than 3 on a
    /// ship; a radius of at least 5.6 lateral accelerations keeps the chord of one second within
    /// 1 % of its arc.
    var limits: Limits {
        switch self {
        case .walk:
            Limits(
                speed: 1.4,
                acceleration: 0.7,
                braking: 0.7,
                lateralAcceleration: 0.5,
                radius: 4,
                cut: 1,
                height: 0,
                loopScale: 1
            )
        case .run:
            Limits(
                speed: 3,
                acceleration: 1,
                braking: 1,
                lateralAcceleration: 1,
                radius: 6,
                cut: 1,
                height: 0,
                loopScale: 1
            )
        case .cycle:
            Limits(
                speed: 5.5,
                acceleration: 0.8,
                braking: 1.2,
                lateralAcceleration: 1.5,
                radius: 9,
                cut: 1.5,
                height: 0,
                loopScale: 1
            )
        case .car:
            Limits(
                speed: 13.9,
                acceleration: 1.8,
                braking: 2,
                lateralAcceleration: 2,
                radius: 12,
                cut: 2,
                height: 0,
                loopScale: 1
            )
        case .train:
            Limits(
                speed: 40,
                acceleration: 0.5,
                braking: 0.6,
                lateralAcceleration: 0.7,
                radius: 300,
                cut: 100,
                height: 0,
                loopScale: 20
            )
        case .ship:
            Limits(
                speed: 8,
                acceleration: 0.05,
                braking: 0.05,
                lateralAcceleration: 0.42,
                radius: 155,
                cut: 50,
                height: 0,
                loopScale: 10
            )
        case .drone:
            Limits(
                speed: 15,
                acceleration: 2.5,
                braking: 2.5,
                lateralAcceleration: 2.5,
                radius: 14,
                cut: 3,
                height: 60,
                loopScale: 1
            )
        case .aircraft:
            Limits(
                speed: 230,
                acceleration: 1,
                braking: 0.7,
                lateralAcceleration: 4.5,
                radius: 12_000,
                cut: 3_000,
                height: 10_000,
                loopScale: 200
            )
        }
    }
}
