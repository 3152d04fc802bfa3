/// The changes of the clock at one place, from the tz database of this machine (TZif, RFC 8536).
///
/// Read here because the C library knows only one zone per process, and Foundation's zones come
/// with all of ICU.
struct TimeZoneTransitions: Equatable {
    private static let directory = "/usr/share/zoneinfo/"
    private static let longestFile = 1 << 20

    /// Seconds since 1970-01-01T00:00 on the place's clock, from which the offset of the same
    /// index holds.
    private var starts: [Int64] = []
    private var offsets: [Int] = []
    private var firstOffset = 0

    /// The place called `identifier`, as `Europe/Paris`; nil where the database has none.
    init?(_ identifier: String) {
        let isPlain = identifier.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default:
                byte == UInt8(ascii: "/") || byte == UInt8(ascii: "_")
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
            }
        }
        guard isPlain, !identifier.isEmpty, !identifier.hasPrefix("/"),
            let file = try? InputFile(path: TimeZoneTransitions.directory + identifier),
            let bytes = try? file.readAll(limit: TimeZoneTransitions.longestFile)
        else { return nil }
        self.init(contents: bytes)
    }

    /// What a TZif file of version 2 or later says; nil for anything else.
    init?(contents bytes: [UInt8]) {
        guard let first = Header(bytes, at: 0), first.version >= 2,
            let header = Header(bytes, at: 44 + first.blockLength(timeLength: 4))
        else { return nil }
        let times = header.start + 44
        let kinds = times + header.times * 8
        let types = kinds + header.times
        guard header.types > 0, types + header.types * 6 <= bytes.count else { return nil }
        let offsetOfType = (0..<header.types).map { index in
            Int(Int32(truncatingIfNeeded: bigEndian(bytes, at: types + index * 6, length: 4)))
        }
        firstOffset = offsetOfType[0]
        var before = firstOffset
        for index in 0..<header.times {
            let kind = Int(bytes[kinds + index])
            guard kind < offsetOfType.count else { return nil }
            let offset = offsetOfType[kind]
            // The later of both clocks: a time shown twice is then the first, and one that is
            // skipped has the offset before.
            let (start, overflow) = bigEndian(bytes, at: times + index * 8, length: 8)
                .addingReportingOverflow(Int64(max(before, offset)))
            guard !overflow else { continue }
            starts.append(start)
            offsets.append(offset)
            before = offset
        }
    }

    /// Seconds east of Greenwich when the place's clock shows `local`.
    func offset(atLocal local: Int64) -> Int {
        var low = 0
        var high = starts.count
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= local { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? firstOffset : offsets[low - 1]
    }

    private struct Header {
        var start: Int
        var version: Int
        var counts: [Int]

        var times: Int { counts[3] }
        var types: Int { counts[4] }

        init?(_ bytes: [UInt8], at start: Int) {
            guard start >= 0, start + 44 <= bytes.count,
                bytes[start..<start + 4].elementsEqual("TZif".utf8)
            else { return nil }
            self.start = start
            version = Int(bytes[start + 4]) - Int(UInt8(ascii: "0"))
            counts = (0..<6).map { Int(bigEndian(bytes, at: start + 20 + $0 * 4, length: 4)) }
            guard counts.allSatisfy({ $0 >= 0 && $0 <= longestFile }) else { return nil }
        }

        func blockLength(timeLength: Int) -> Int {
            counts[3] * (timeLength + 1) + counts[4] * 6 + counts[5]
                + counts[2] * (timeLength + 4) + counts[1] + counts[0]
        }
    }
}

private func bigEndian(_ bytes: [UInt8], at start: Int, length: Int) -> Int64 {
    bytes[start..<start + length].reduce(0) { $0 << 8 | Int64($1) }
}
