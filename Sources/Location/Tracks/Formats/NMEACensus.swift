/// Counts the sentences of a log by their kind, for a log that has no position.
struct NMEACensus {
    private struct Entry {
        /// The three letters after the talker; 0 for proprietary sentences, which have none.
        var letters: UInt32 = 0
        var count = 0
    }

    private static let mostKinds = 8
    private static let ais: Set<String> = ["VDM", "VDO"]

    private var entries = InlineArray<8, Entry>(repeating: Entry())
    private var kinds = 0

    /// Counts the sentence that begins with a `$` or `!` at `start`.
    mutating func count(_ text: Span<UInt8>, at start: Int) {
        guard start + 6 < text.count else { return }
        var letters: UInt32 = 0
        if text[start + 1] != UInt8(ascii: "P") {
            guard text[start + 6] == UInt8(ascii: ",") else { return }
            for index in start + 1...start + 5 {
                guard text[index] &- UInt8(ascii: "A") < 26 else { return }
                letters = letters << 8 & 0xFF_FFFF | UInt32(text[index])
            }
        }
        for index in 0..<kinds where entries[index].letters == letters {
            entries[index].count += 1
            return
        }
        guard kinds < NMEACensus.mostKinds else { return }
        entries[kinds] = Entry(letters: letters, count: 1)
        kinds += 1
    }

    /// Which sentences there are, most frequent first, and that none has a position; nil where
    /// there is none.
    var summary: String? {
        guard kinds > 0 else { return nil }
        let found = (0..<kinds).map { entries[$0] }.sorted {
            // Proprietary ones, whose letters are 0, come last of as many.
            ($1.count, $0.letters &- 1) < ($0.count, $1.letters &- 1)
        }
        let names = found.map { "\($0.count) \(NMEACensus.name($0.letters))" }
        let isOne = found.count == 1 && found[0].count == 1
        let list =
            names.count > 1
            ? names.dropLast().joined(separator: ", ") + " and \(names[names.count - 1])" : names[0]
        let isAIS = found.allSatisfy { NMEACensus.ais.contains(NMEACensus.name($0.letters)) }
        let reason =
            isAIS
            ? "which are AIS: it reports ships, and has no position of the receiver's own"
            : isOne
                ? "which is no position of the receiver" : "none with a position of the receiver"
        return "it has \(list) \(isOne ? "sentence" : "sentences"), \(reason)"
    }

    private static func name(_ letters: UInt32) -> String {
        if letters == 0 { return "proprietary" }
        let bytes = [letters >> 16, letters >> 8, letters].map { UInt8(truncatingIfNeeded: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
