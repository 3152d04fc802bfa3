private import Glibc

/// The elementary functions the simulation needs, from the C library, angles in radians.
enum Elementary {
    static func sine(_ angle: Double) -> Double { sin(angle) }
    static func cosine(_ angle: Double) -> Double { cos(angle) }
    static func tangent(_ angle: Double) -> Double { tan(angle) }
    static func arcTangent(_ y: Double, over x: Double) -> Double { atan2(y, x) }
    static func exponential(_ value: Double) -> Double { exp(value) }
    static func logarithm(_ value: Double) -> Double { log(value) }
}
