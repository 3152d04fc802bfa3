/// Names the devices of a file whose tracks are one each: by the track's name, or by its number too
/// where another has the same or it has none.
struct TrackNames {
    private var taken: Set<String> = []

    /// The id of the device of a track of that name, counted from 1.
    mutating func id(_ name: [UInt8], number: Int) -> String {
        let name = String(decoding: name, as: UTF8.self)
        if !name.isEmpty, taken.insert(name).inserted { return name }
        return "\(name.isEmpty ? "track" : name)-\(number)"
    }
}
