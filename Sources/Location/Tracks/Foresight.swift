/// What a first reading of a file found out about stretches that are longer than the window.
///
/// That is whether a segment has times, and where a hole ends.
///
/// It is small, because each entry stands for a whole window of positions.
struct Foresight {
    /// A position of a device, by its number among those of the device.
    struct Key: Hashable {
        var device: UInt32
        var ordinal: Int
    }

    /// The end of a hole.
    struct Hole {
        /// Metres from the last position with a time before it to the first after it.
        var distance: Double
        /// The time of that, in milliseconds.
        var endTime: Int64
    }

    /// Segments with at least two distinct times, by their first position.
    var timedSegments: Set<Key> = []
    /// Holes that end, by the last position before them.
    var holes: [Key: Hole] = [:]
}
