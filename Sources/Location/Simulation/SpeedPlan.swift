/// How far along a closed path something is at any time, when it never exceeds what the curves, its
/// acceleration and its brakes allow.
///
/// Speeds at the joints between elements are made feasible by one pass forwards (what can be
/// reached) and one backwards (from what can still be braked); between two joints speed is a
/// trapezoid.
struct SpeedPlan: Sendable {
    /// A stretch of constant acceleration.
    private struct Phase: Sendable {
        var startTime: Double
        var startDistance: Double
        var speed: Double
        var acceleration: Double
    }

    private let phases: [Phase]
    /// How long one round takes, in seconds; 0 when nothing moves.
    let period: Double
    private let length: Double

    /// Plans the speed along a path.
    init(_ path: RoundedPath, limits: MotionProfile.Limits) {
        let elements = path.elements
        let joints = Self.jointSpeeds(elements, limits: limits)
        var builder = Builder()
        for (index, element) in elements.enumerated() where element.length > 0 {
            let end = joints[(index + 1) % joints.count]
            builder.add(element, from: joints[index], to: end, limits: limits)
        }
        phases = builder.phases
        period = builder.time
        length = path.length
    }

    /// Metres along the path after so many seconds; grows by the path's length each round.
    func distance(at time: Double) -> Double {
        guard period > 0 else { return 0 }
        let rounds = (time / period).rounded(.down)
        let inside = min(max(0, time - rounds * period), period)
        let phase = phases[phases.lastIndex(startingAtOrBefore: inside) { $0.startTime }]
        let elapsed = inside - phase.startTime
        let travelled = (phase.speed + phase.acceleration * elapsed / 2) * elapsed
        return rounds * length + min(phase.startDistance + travelled, length)
    }

    /// The speed at the beginning of each element.
    private static func jointSpeeds(
        _ elements: [RoundedPath.Element],
        limits: MotionProfile.Limits
    ) -> [Double] {
        let count = elements.count
        var speeds = elements.indices.map { index in
            min(elements[index].speedLimit, elements[(index + count - 1) % count].speedLimit)
        }
        // Twice around, since on a ring the tightest joint may come last.
        for step in 0..<2 * count {
            let index = step % count
            let reachable =
                speeds[index] * speeds[index]
                + 2 * limits.acceleration * elements[index].length
            let next = (index + 1) % count
            speeds[next] = min(speeds[next], reachable.squareRoot())
        }
        for step in (0..<2 * count).reversed() {
            let index = step % count
            let end = speeds[(index + 1) % count]
            let allowed = end * end + 2 * limits.braking * elements[index].length
            speeds[index] = min(speeds[index], allowed.squareRoot())
        }
        return speeds
    }

    private struct Builder {
        var phases: [Phase] = []
        var time = 0.0
        var distance = 0.0

        mutating func add(
            _ element: RoundedPath.Element,
            from start: Double,
            to end: Double,
            limits: MotionProfile.Limits
        ) {
            let gain = limits.acceleration
            let loss = limits.braking
            let crest =
                (2 * gain * loss * element.length + loss * start * start + gain * end * end)
                / (gain + loss)
            let peak = max(start, end, min(element.speedLimit, crest.squareRoot()))
            let rise = (peak * peak - start * start) / (2 * gain)
            let fall = (peak * peak - end * end) / (2 * loss)
            let cruise = max(0, element.length - rise - fall)
            append(
                Phase(
                    startTime: time,
                    startDistance: distance,
                    speed: start,
                    acceleration: gain
                ),
                lasting: (peak - start) / gain,
                over: rise
            )
            append(
                Phase(
                    startTime: time,
                    startDistance: distance,
                    speed: peak,
                    acceleration: 0
                ),
                lasting: cruise / peak,
                over: cruise
            )
            append(
                Phase(
                    startTime: time,
                    startDistance: distance,
                    speed: peak,
                    acceleration: -loss
                ),
                lasting: (peak - end) / loss,
                over: fall
            )
        }

        private mutating func append(_ phase: Phase, lasting duration: Double, over length: Double)
        {
            guard duration > 0 else { return }
            phases.append(phase)
            time += duration
            distance += length
        }
    }
}
