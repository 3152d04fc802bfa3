/// The parts of an open file that are to be read for one device.
struct TrackPart {
    /// The file, which readers of other parts may share.
    let file: InputFile
    let name: String
    let parts: TrackParts
    let device: String?
}

/// Some ranges of a file, one after the other.
final class PartSource: ByteSource {
    private let file: InputFile
    private var ranges: ArraySlice<Range<Int>>

    init(_ part: TrackPart) {
        file = part.file
        ranges = part.parts.ranges(of: part.device)[...]
    }

    func read(into buffer: inout [UInt8], from start: Int) throws(TrackError) -> Int {
        precondition(start == 0, "parts are read into a buffer of their own")
        guard let range = ranges.first else { return 0 }
        let count = try file.read(range, into: &buffer)
        ranges[ranges.startIndex] = range.lowerBound + count..<range.upperBound
        if count == range.count { ranges.removeFirst() }
        return count
    }
}
