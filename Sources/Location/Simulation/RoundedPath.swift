/// A closed route as it can be driven: geodesic straights joined by circular arcs in place of the
/// corners, so that the course never jumps.
///
/// An arc lies in the plane that touches the ellipsoid at its corner; its radius is small against
/// the earth's, so the two agree to better than a millimetre per kilometre.
struct RoundedPath: Sendable {
    /// A straight or an arc.
    struct Element: Sendable {
        fileprivate var shape: Shape
        /// How far along the path it begins.
        fileprivate(set) var start: Double
        /// How long it is; 0 for a corner so sharp that it is turned on the spot.
        fileprivate(set) var length: Double
        /// The speed at which it may be driven, m/s.
        fileprivate(set) var speedLimit: Double
        fileprivate var altitudes: (start: Double, end: Double)
    }

    fileprivate enum Shape: Sendable {
        /// Along the geodesic that leaves `origin` at `course`, from `offset` metres on.
        case straight(origin: Geodesy.Position, course: Double, offset: Double)
        case arc(Arc)
    }

    /// The straights and arcs in order; empty when the route is one place.
    let elements: [Element]
    /// The length of one round.
    let length: Double
    private let origin: Geodesy.Position
    private let originAltitude: Double

    /// Rounds the corners of a route for a profile, as widely as the legs, and the distance a curve
    /// may keep from its corner, allow.
    init(_ route: Route, limits: MotionProfile.Limits) {
        let corners = route.corners
        origin = corners[0].position
        originAltitude = corners[0].altitude
        var elements: [Element] = []
        var length = 0.0
        if corners.count > 1 {
            let legs = RouteLeg.around(corners)
            let arcs = legs.indices.map { index in
                Arc(from: legs[index], to: legs[(index + 1) % legs.count], limits: limits)
            }
            for index in legs.indices {
                let before = arcs[(index + arcs.count - 1) % arcs.count]
                let straight = legs[index].straight(
                    between: before.tangent,
                    and: arcs[index].tangent,
                    speedLimit: limits.speed
                )
                let next = legs[(index + 1) % legs.count]
                for var element in [straight, arcs[index].element(legs[index], next)] {
                    element.start = length
                    length += element.length
                    elements.append(element)
                }
            }
        }
        self.elements = elements
        self.length = length
    }

    /// Where the path is after so many metres, and how high the ground is there; every round is
    /// the same.
    func point(at distance: Double) -> (position: Geodesy.Position, altitude: Double) {
        guard length > 0 else { return (origin, originAltitude) }
        var along = distance.truncatingRemainder(dividingBy: length)
        if along < 0 { along += length }
        let element = elements[elements.lastIndex(startingAtOrBefore: along) { $0.start }]
        let inside = min(max(0, along - element.start), element.length)
        let share = element.length > 0 ? inside / element.length : 0
        let altitude =
            element.altitudes.start + (element.altitudes.end - element.altitudes.start) * share
        switch element.shape {
        case .straight(let origin, let course, let offset):
            let end = Geodesy.direct(from: origin, course: course, distance: offset + inside)
            return (end.position, altitude)
        case .arc(let arc):
            return (arc.position(after: inside), altitude)
        }
    }
}

/// One side of a route.
private struct RouteLeg {
    var start: Route.Corner
    var end: Route.Corner
    var length: Double
    var initialCourse: Double
    var finalCourse: Double

    /// The sides of a closed route, the last one back to the first corner.
    static func around(_ corners: [Route.Corner]) -> [RouteLeg] {
        corners.indices.map { index in
            let start = corners[index]
            let end = corners[(index + 1) % corners.count]
            let path = Geodesy.inverse(from: start.position, to: end.position)
            return RouteLeg(
                start: start,
                end: end,
                length: path.distance,
                initialCourse: path.initialCourse,
                finalCourse: path.finalCourse
            )
        }
    }

    func altitude(at distance: Double) -> Double {
        start.altitude + (end.altitude - start.altitude) * distance / length
    }

    /// What is left of the side between the arcs at its ends.
    func straight(
        between first: Double,
        and last: Double,
        speedLimit: Double
    ) -> RoundedPath.Element {
        RoundedPath.Element(
            shape: .straight(origin: start.position, course: initialCourse, offset: first),
            start: 0,
            length: max(0, length - first - last),
            speedLimit: speedLimit,
            altitudes: (altitude(at: first), altitude(at: length - last))
        )
    }
}

/// A corner's arc.
private struct Arc: Sendable {
    private var corner: Geodesy.Position
    private var course: Double
    /// The angle turned through in radians, to the right when positive.
    private var turn: Double
    private var radius: Double
    /// The distance from the corner at which the arc leaves the sides.
    private(set) var tangent: Double
    private var speedLimit: Double

    /// Half the angle of a turn of 178 degrees.
    private static let sharpest = 89 * Double.pi / 180

    init(from leg: RouteLeg, to next: RouteLeg, limits: MotionProfile.Limits) {
        corner = leg.end.position
        course = leg.finalCourse
        var degrees = Geodesy.turn(next.initialCourse - leg.finalCourse)
        if degrees > 180 { degrees -= 360 }
        turn = degrees * .pi / 180
        let half = abs(turn) / 2
        let slope = Elementary.tangent(half)
        // Straight on, or back by the same way: then there is no curve that comes near the corner.
        guard slope > 1e-9, half < Self.sharpest else {
            radius = 0
            tangent = 0
            speedLimit = half < Self.sharpest ? limits.speed : 0
            return
        }
        let deviation = 1 / Elementary.cosine(half) - 1
        let wide = max(limits.radius, limits.cut / max(deviation, 1e-12))
        let enough = limits.speed * limits.speed / limits.lateralAcceleration
        // A sharp turn is driven near its corner, however wide the profile would like to go.
        let shorter = min(leg.length, next.length)
        let room = min(shorter / 2, max(3 * limits.radius, wide * slope))
        let cap = half > .pi / 4 ? min(room, 3 * limits.radius, shorter / 4) : room
        radius = min(wide, max(enough, limits.radius), cap / slope)
        tangent = radius * slope
        speedLimit = min(limits.speed, (limits.lateralAcceleration * radius).squareRoot())
    }

    func element(_ leg: RouteLeg, _ next: RouteLeg) -> RoundedPath.Element {
        RoundedPath.Element(
            shape: .arc(self),
            start: 0,
            length: radius * abs(turn),
            speedLimit: speedLimit,
            altitudes: (leg.altitude(at: leg.length - tangent), next.altitude(at: tangent))
        )
    }

    func position(after distance: Double) -> Geodesy.Position {
        guard radius > 0 else { return corner }
        let angle = distance / radius
        let ahead = radius * Elementary.sine(angle) - tangent
        let aside = (turn < 0 ? -1 : 1) * radius * (1 - Elementary.cosine(angle))
        let bearing = Elementary.arcTangent(aside, over: ahead) * 180 / .pi
        let reach = (ahead * ahead + aside * aside).squareRoot()
        return Geodesy.direct(from: corner, course: course + bearing, distance: reach).position
    }
}

extension Array {
    /// The index of the last element that starts at or before a value; the first when none does.
    ///
    /// By bisection: the array is sorted by `start`. It is not empty.
    func lastIndex(startingAtOrBefore value: Double, by start: (Element) -> Double) -> Int {
        var low = 0
        var high = count
        while high - low > 1 {
            let middle = (low + high) / 2
            if start(self[middle]) <= value { low = middle } else { high = middle }
        }
        return low
    }
}
