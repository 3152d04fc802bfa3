/// Counts the different names of a document that are in no vocabulary, without keeping them.
///
/// The parser of XML keeps every name it has met, so a document with ever new ones takes memory
/// without bound.
struct NameCensus {
    /// So many different names no writer of tracks has.
    static let mostNames = 10_000
    /// How many bytes they may have together.
    static let mostBytes = 1 << 20

    /// Hashes of the names, in a table that is never more than half full; 0 for a free place.
    private var hashes = [UInt64](repeating: 0, count: 64)
    private var count = 0
    private var bytes = 0
    // With numbers that no writer of a file knows, no names can be made to collide.
    private let seed = UInt64.random(in: .min ... .max)
    private let factor = UInt64.random(in: .min ... .max) | 1

    /// Whether the name may be met: it has been before, or it is not one too many.
    mutating func admits(_ name: Span<UInt8>) -> Bool {
        var hash = seed
        for index in name.indices {
            hash = (hash ^ UInt64(name[index])) &* factor
            hash ^= hash >> 32
        }
        if hash == 0 { hash = 1 }
        guard insert(hash) else { return true }
        count += 1
        bytes += name.count
        guard count <= NameCensus.mostNames, bytes <= NameCensus.mostBytes else { return false }
        if count > hashes.count / 2 { grow() }
        return true
    }

    /// Whether the hash was not in the table yet.
    private mutating func insert(_ hash: UInt64) -> Bool {
        let mask = hashes.count - 1
        var slot = Int(truncatingIfNeeded: hash) & mask
        while hashes[slot] != 0 {
            if hashes[slot] == hash { return false }
            slot = (slot + 1) & mask
        }
        hashes[slot] = hash
        return true
    }

    private mutating func grow() {
        let old = hashes
        hashes = [UInt64](repeating: 0, count: old.count * 2)
        for hash in old where hash != 0 { _ = insert(hash) }
    }
}
