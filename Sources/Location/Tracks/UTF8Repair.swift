/// Replaces bytes that are no UTF-8, so that one wrong letter in a name does not cost a track.
///
/// Files in Latin-1 that do not say so are met; numbers and tags in them are ASCII all the same.
struct UTF8Repair {
    /// Bytes of a letter whose rest is in the next chunk.
    private var tail: [UInt8] = []
    private var repaired: [UInt8] = []

    /// How many bytes lie before `repaired`.
    private var offset = 0

    /// How many bytes lie before the first that was replaced.
    private(set) var firstRepaired: Int?

    /// The chunk with what was kept of the one before in front, and what is no UTF-8 replaced by
    /// `?`; nil where the chunk is right as it stands.
    mutating func repair(_ chunk: Span<UInt8>, isLast: Bool) -> [UInt8]? {
        guard !tail.isEmpty || chunk.hasHighByte else {
            offset += chunk.count
            return nil
        }
        repaired.removeAll(keepingCapacity: true)
        repaired.append(contentsOf: tail)
        for index in chunk.indices { repaired.append(chunk[index]) }
        tail.removeAll(keepingCapacity: true)
        var index = 0
        while index < repaired.count {
            let byte = repaired[index]
            guard byte >= 0x80 else {
                index += 1
                continue
            }
            let length = sequenceLength(at: index)
            if length > 0 {
                index += length
            } else if length < 0, !isLast {
                tail = Array(repaired[index...])
                repaired.removeSubrange(index...)
            } else {
                repaired[index] = UInt8(ascii: "?")
                if firstRepaired == nil { firstRepaired = offset + index }
                index += 1
            }
        }
        offset += repaired.count
        return repaired
    }

    /// How many bytes the letter at `start` has: 0 where there is none, -1 where it goes on after
    /// the end.
    private func sequenceLength(at start: Int) -> Int {
        let first = repaired[start]
        let length: Int
        switch first {
        case 0xC2...0xDF: length = 2
        case 0xE0...0xEF: length = 3
        case 0xF0...0xF4: length = 4
        default: return 0
        }
        for offset in 1..<length {
            guard start + offset < repaired.count else { return -1 }
            let byte = repaired[start + offset]
            guard byte & 0xC0 == 0x80 else { return 0 }
            guard offset == 1 else { continue }
            // Overlong forms, surrogates and what is beyond Unicode.
            if first == 0xE0, byte < 0xA0 { return 0 }
            if first == 0xED, byte > 0x9F { return 0 }
            if first == 0xF0, byte < 0x90 { return 0 }
            if first == 0xF4, byte > 0x8F { return 0 }
        }
        return length
    }
}
