/// Finds the index of a name in a vocabulary without making a string of it.
struct NameTable {
    /// A name: its last sixteen bytes and its length, which tell all names of a format apart.
    struct Key: Equatable {
        private var bytes: UInt128 = 0
        private var count: UInt8 = 0

        @inline(__always)
        mutating func append(_ byte: UInt8) {
            bytes = bytes << 8 | UInt128(byte)
            if count < 255 { count += 1 }
        }

        var isEmpty: Bool { count == 0 }

        @inline(__always)
        var slot: Int {
            let folded =
                UInt64(truncatingIfNeeded: bytes) ^ UInt64(truncatingIfNeeded: bytes >> 64)
            return Int(truncatingIfNeeded: (folded &* 0x9E37_79B9_7F4A_7C15) >> 57)
        }
    }

    private struct Entry {
        var key = Key()
        var index = 0
    }

    private static let size = 128
    private var entries = [Entry](repeating: Entry(), count: size)

    /// A table of names; index 0 is a placeholder for all others.
    init(_ vocabulary: [String]) {
        precondition(vocabulary.count < NameTable.size / 2, "the table would be too full")
        for (index, name) in vocabulary.enumerated().dropFirst() {
            var key = Key()
            for byte in name.utf8 { key.append(byte) }
            var slot = key.slot
            while !entries[slot].key.isEmpty { slot = (slot + 1) % NameTable.size }
            entries[slot] = Entry(key: key, index: index)
        }
    }

    /// The index of a name, 0 for one that is not in the vocabulary.
    @inline(__always)
    func index(of key: Key) -> Int {
        var slot = key.slot
        while !entries[slot].key.isEmpty {
            if entries[slot].key == key { return entries[slot].index }
            slot = (slot + 1) % NameTable.size
        }
        return 0
    }

    /// The index of a name, 0 for one that is not in the vocabulary.
    @inline(__always)
    func index(of name: Span<UInt8>) -> Int {
        var key = Key()
        for index in name.indices { key.append(name[index]) }
        return index(of: key)
    }
}
