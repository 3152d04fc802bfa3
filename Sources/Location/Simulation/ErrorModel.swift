/// What a receiver's position is off by, as a function of time.
///
/// Errors of satellite positions wander: they are correlated over seconds to minutes (Sensors 2020,
/// 20(21), 6050). Each axis is a first-order Gauss-Markov process on a grid of one second, straight
/// in between, and a small white part on top. The process is started anew, well before it is
/// looked at, for every block of the grid, from the same random numbers: so the error at any time
/// is computed without all that came before, and does not depend on how often one looks.
struct ErrorModel: Sendable {
    /// How clear the sky is.
    enum Sky: String, Sendable, CaseIterable {
        case openSky = "open-sky"
        case urban
        case off
    }

    /// The error at one time.
    struct Sample: Sendable, Equatable {
        /// Metres to the east.
        var east = 0.0
        /// Metres to the north.
        var north = 0.0
        /// Metres up.
        var up = 0.0
        /// The radius that holds 68 % of such errors.
        var horizontalAccuracy = 0.1
        /// The height that holds 68 % of such errors.
        var verticalAccuracy = 0.1
        /// Metres per second.
        var speed = 0.0
    }

    private struct Strength: Sendable {
        var deviation: Double
        var correlationSeconds: Double
        var white: Double
        var speedDeviation: Double
        var hasReflections: Bool
    }

    /// How much larger errors are in height than along the ground.
    private static let verticalRatio = 1.7
    /// The radius, in standard deviations of one axis, that holds 68 % of a two-dimensional normal
    /// distribution.
    private static let radiusOf68Percent = 1.52
    private static let blockSeconds: Int64 = 1_024

    private let strength: Strength?
    private let axes: [RandomField]
    private let whites: [RandomField]
    private let reflections: RandomField
    private let phase: Double
    private var walker = Walker()

    /// The errors of one device under one sky.
    init(_ sky: Sky, seed: UInt64, device: String) {
        strength =
            switch sky {
            case .off: nil
            case .openSky:
                Strength(
                    deviation: 2,
                    correlationSeconds: 60,
                    white: 0.3,
                    speedDeviation: 0.05,
                    hasReflections: false
                )
            case .urban:
                Strength(
                    deviation: 8,
                    correlationSeconds: 20,
                    white: 0.3,
                    speedDeviation: 0.1,
                    hasReflections: true
                )
            }
        func field(_ name: String) -> RandomField {
            RandomField(seed: seed, stream: "\(device)/\(name)")
        }
        axes = [field("east"), field("north"), field("up")]
        whites = [field("white-east"), field("white-north"), field("white-up"), field("speed")]
        reflections = field("reflections")
        phase = field("geometry").uniform(0) * 2 * .pi
    }

    /// The error so many milliseconds after the device's time began; cheapest when asked in order.
    mutating func sample(at milliseconds: Int64) -> Sample {
        guard let strength else { return Sample() }
        let second = milliseconds.flooredQuotient(by: 1_000)
        let share = Double(milliseconds - second * 1_000) / 1_000
        let decay = Elementary.exponential(-1 / strength.correlationSeconds)
        let spans = walker.values(around: second, decay: decay, fields: axes)
        let here = reflection(at: second, strength)
        let next = share > 0 ? reflection(at: second + 1, strength) : here
        let geometry = 1 + 0.15 * Elementary.sine(phase + Double(milliseconds) / 1_000 / 97)
        let deviation = strength.deviation * geometry
        func error(_ axis: Int, _ scale: Double) -> Double {
            let wander = spans[axis].before + (spans[axis].after - spans[axis].before) * share
            let white = strength.white * whites[axis].normal(milliseconds)
            return scale * (deviation * wander + white)
        }
        let east = here.east + (next.east - here.east) * share
        let north = here.north + (next.north - here.north) * share
        let stray = (east * east + north * north).squareRoot() * 0.7
        let total = (deviation * deviation + strength.white * strength.white).squareRoot()
        let spread = (total * total + stray * stray).squareRoot()
        return Sample(
            east: error(0, 1) + east,
            north: error(1, 1) + north,
            up: error(2, Self.verticalRatio),
            horizontalAccuracy: (Self.radiusOf68Percent * spread).rounded(toDecimals: 1),
            verticalAccuracy: (Self.verticalRatio * total).rounded(toDecimals: 1),
            speed: strength.speedDeviation * whites[3].normal(milliseconds)
        )
    }

    /// The shift by a signal that came by way of a wall: now and then, for 5 to 30 seconds, by 10
    /// to 40 metres.
    private func reflection(
        at second: Int64,
        _ strength: Strength
    ) -> (east: Double, north: Double) {
        guard strength.hasReflections else { return (0, 0) }
        let window: Int64 = 120
        let index = second.flooredQuotient(by: window)
        let draws = (0..<5).map { reflections.uniform(index &* 5 &+ $0) }
        let duration = 5 + 25 * draws[1]
        let start = Double(index * window) + (Double(window) - duration) * draws[2]
        guard draws[0] < 0.4, (start..<start + duration).contains(Double(second)) else {
            return (0, 0)
        }
        let reach = 10 + 30 * draws[3]
        let angle = 2 * .pi * draws[4]
        return (reach * Elementary.sine(angle), reach * Elementary.cosine(angle))
    }

    /// The processes of the three axes, moved along the grid; of variance 1.
    private struct Walker {
        private var second: Int64?
        private var before = [0.0, 0.0, 0.0]
        private var after = [0.0, 0.0, 0.0]

        /// The values at `target` and one second later.
        mutating func values(
            around target: Int64,
            decay: Double,
            fields: [RandomField]
        ) -> [(before: Double, after: Double)] {
            if second != target {
                for axis in fields.indices {
                    before[axis] = value(axis, at: target, decay: decay, field: fields[axis])
                }
                second = target
                for axis in fields.indices {
                    after[axis] = value(axis, at: target + 1, decay: decay, field: fields[axis])
                }
            }
            return fields.indices.map { (before[$0], after[$0]) }
        }

        /// The process at a time: one step on from what is known, or from well before its block.
        private func value(
            _ axis: Int,
            at target: Int64,
            decay: Double,
            field: RandomField
        ) -> Double {
            let block = target.flooredQuotient(by: ErrorModel.blockSeconds)
            var position: Int64
            var value: Double
            if let second, second < target,
                second.flooredQuotient(by: ErrorModel.blockSeconds) == block
            {
                position = second
                value = before[axis]
            } else {
                // What is left of the start after this many steps is below a thousandth.
                let warmUp = Int64(-7 / Elementary.logarithm(decay))
                position = block * ErrorModel.blockSeconds - warmUp
                value = field.normal(position)
            }
            let innovation = (1 - decay * decay).squareRoot()
            while position < target {
                position += 1
                value = value * decay + innovation * field.normal(position)
            }
            return value
        }
    }
}

extension Int64 {
    /// The quotient rounded down, also below zero; `divisor` is positive.
    func flooredQuotient(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

extension Double {
    /// The value rounded to so many decimals.
    func rounded(toDecimals decimals: Int) -> Double {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        return (self * scale).rounded() / scale
    }
}
