/// Chooses which kind of positions of a file counts: the highest in rank that it has.
///
/// That is known at the end of the file only. Up to `heldPoints` positions of lower ranks are held
/// till then; for more the file is read again. Standard input is not: there, once so many are held,
/// the highest rank seen so far is taken.
struct SourceRanking {
    private static let heldPoints = 16_384

    /// A position that may count.
    struct Entry {
        var point: TrackPoint
        /// Why it cannot be used.
        var problem: String?
        var rank: Int
        /// Which track it belongs to.
        var group: Int
    }

    private let names: [String]
    private let isRewindable: Bool
    private var held: [Entry] = []
    private var hasOverflown = false

    /// Whether positions may be held.
    var isHolding: Bool { chosen == nil && !hasOverflown }

    private var unused: [(count: Int, place: Place)]

    /// The rank that counts, once that is known.
    private(set) var chosen: Int?
    /// Positions that were held and count; the caller takes them away.
    var released: [Entry] = []
    /// After the end: the rank that counts, for a second reading.
    private(set) var rereadAs: String?

    /// - Parameters:
    ///   - names: The kinds by rising rank, in the plural.
    ///   - settings: Whether the file can be read again, and what a first reading found.
    init(names: [String], settings: ParserSettings) {
        self.names = names
        isRewindable = settings.isRewindable
        chosen = settings.rereadAs.flatMap { Int($0) }
        unused = names.map { _ in (0, .none) }
    }

    /// Whether a position counts now; deliver `released` before it.
    mutating func offer(_ entry: Entry) -> Bool {
        if chosen == nil, entry.rank == names.count - 1 {
            chosen = entry.rank
            held = []
        }
        if chosen == entry.rank { return true }
        if unused[entry.rank].count == 0 { unused[entry.rank].place = entry.point.place }
        unused[entry.rank].count += 1
        guard chosen == nil, !hasOverflown else { return false }
        if held.count < SourceRanking.heldPoints {
            held.append(entry)
        } else if isRewindable {
            hasOverflown = true
            held = []
        } else {
            decide()
            return chosen == entry.rank
        }
        return false
    }

    /// The file has ended: decides, or asks for a second reading; deliver `released`.
    mutating func finish() {
        guard chosen == nil else { return }
        if hasOverflown {
            rereadAs = unused.lastIndex { $0.count > 0 }.map(String.init)
        } else {
            decide()
        }
    }

    /// Says what was not used.
    func note(in log: inout DiagnosticLog) {
        guard let chosen else { return }
        for (rank, entry) in unused.enumerated() where entry.count > 0 {
            log.add(
                .note,
                at: entry.place,
                "\(names[rank]) (\(entry.count)) are not used, because the file has "
                    + names[chosen]
            )
        }
    }

    private mutating func decide() {
        chosen = unused.lastIndex { $0.count > 0 }
        released = held.filter { $0.rank == chosen }
        held = []
        if let chosen { unused[chosen].count = 0 }
    }
}
