/// Random numbers that are a pure function of (seed, name, index), so that any part of a simulation
/// can be computed without what came before it.
///
/// The mixing function is that of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), whose output
/// for a counter passes BigCrush. Streams with different names do not depend on each other: adding
/// a device leaves the others as they were.
struct RandomField: Sendable {
    private let key: UInt64

    /// The numbers of one named stream of a seed.
    init(seed: UInt64, stream name: String) {
        key = name.utf8.reduce(Self.mix(seed &+ Self.increment)) { key, byte in
            Self.mix((key ^ UInt64(byte)) &+ Self.increment)
        }
    }

    /// 64 random bits.
    func bits(_ index: Int64) -> UInt64 {
        Self.mix(key &+ UInt64(bitPattern: index) &* Self.increment)
    }

    /// Uniform in [0, 1).
    func uniform(_ index: Int64) -> Double {
        Double(bits(index) >> 11) * 0x1p-53
    }

    /// Normal with mean 0 and variance 1, by the Box-Muller transform.
    func normal(_ index: Int64) -> Double {
        let radius = (-2 * Elementary.logarithm(1 - uniform(2 &* index))).squareRoot()
        return radius * Elementary.cosine(2 * .pi * uniform(2 &* index &+ 1))
    }

    private static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

    private static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
