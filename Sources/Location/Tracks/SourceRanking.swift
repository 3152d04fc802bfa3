/// Chooses which kind of positions of a file counts: the highest in rank that it has one usable
/// position of, else the highest that it has any of.
///
/// That is known at the end of the file only. Up to `heldPoints` positions are held till then; for
/// more the file is read again. Standard input is not: there, once so many are held, the highest
/// rank seen so far is taken.
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
        /// The rank that it has where the file has no other position of `rank`; nil where it has
        /// its rank by itself.
        var lesserRank: Int?
    }

    /// What the file has of a rank.
    private struct Tally {
        var count = 0
        /// How many of them can be used.
        var usable = 0
        var place = Place.none
        /// Why the first that is unusable is.
        var problem: String?

        mutating func add(_ entry: Entry) {
            if count == 0 { place = entry.point.place }
            count += 1
            if entry.problem == nil { usable += 1 }
            if problem == nil { problem = entry.problem }
        }

        mutating func add(_ other: Tally) {
            guard other.count > 0 else { return }
            if count == 0 || other.place < place { place = other.place }
            count += other.count
            usable += other.usable
            if problem == nil { problem = other.problem }
        }
    }

    private let names: [String]
    private let isRewindable: Bool
    private var held: [Entry] = []
    private var hasOverflown = false
    private var tallies: [Tally]
    /// Those that have a lesser rank, by the rank that they would have.
    private var dependents: [Tally]
    private var lesserRank = 0

    /// Whether positions may be held.
    var isHolding: Bool { chosen == nil && !hasOverflown }

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
        tallies = names.map { _ in Tally() }
        dependents = tallies
    }

    /// Whether a position counts now; deliver `released` before it.
    mutating func offer(_ offered: Entry) -> Bool {
        if counts(offered) { return true }
        var entry = offered
        if entry.problem == nil { entry.problem = TrackSink.problem(of: entry.point) }
        if isSettled(by: entry) {
            release(entry.rank)
            return true
        }
        if let lesser = entry.lesserRank {
            lesserRank = lesser
            dependents[entry.rank].add(entry)
        } else {
            tallies[entry.rank].add(entry)
        }
        guard isHolding else { return false }
        if held.count < SourceRanking.heldPoints {
            held.append(entry)
        } else if isRewindable {
            hasOverflown = true
            held = []
        } else {
            decide()
            return counts(entry)
        }
        return false
    }

    /// The file has ended: decides, or asks for a second reading; deliver `released`.
    mutating func finish() {
        guard chosen == nil else { return }
        if hasOverflown {
            settleDependents()
            rereadAs = best.map(String.init)
        } else {
            decide()
        }
    }

    /// Says what was not used.
    mutating func note(in log: inout DiagnosticLog) {
        settleDependents()
        guard let chosen else { return }
        for (rank, tally) in tallies.enumerated() where rank != chosen && tally.count > 0 {
            if rank > chosen, tally.usable == 0 {
                log.add(
                    .warning,
                    at: tally.place,
                    "\(names[rank]) (\(tally.count)) are unusable, and \(names[chosen]) are used "
                        + "instead: \(tally.problem ?? "")"
                )
            } else {
                log.add(
                    .note,
                    at: tally.place,
                    "\(names[rank]) (\(tally.count)) are not used, because the file has "
                        + names[chosen]
                )
            }
        }
    }

    private func counts(_ entry: Entry) -> Bool {
        guard let chosen else { return false }
        return chosen == entry.rank || chosen == entry.lesserRank
    }

    /// Whether nothing can come that ranks above an entry, and nothing was lost that counts with
    /// it.
    private func isSettled(by entry: Entry) -> Bool {
        let top = names.count - 1
        guard chosen == nil, entry.rank == top, entry.problem == nil, entry.lesserRank == nil
        else { return false }
        return !hasOverflown || tallies[top].count + dependents[top].count == 0
    }

    private var best: Int? {
        tallies.lastIndex { $0.usable > 0 } ?? tallies.lastIndex { $0.count > 0 }
    }

    private mutating func decide() {
        settleDependents()
        if let best { release(best) }
    }

    /// Lets those that are held and count go.
    private mutating func release(_ rank: Int) {
        chosen = rank
        released = held.filter { $0.rank == rank }
        held = []
    }

    /// Counts those that have a lesser rank where they belong.
    private mutating func settleDependents() {
        for rank in dependents.indices where dependents[rank].count > 0 {
            let isAmongOthers = tallies[rank].usable > 0 || chosen == rank
            let settled = isAmongOthers ? rank : lesserRank
            tallies[settled].add(dependents[rank])
            dependents[rank] = Tally()
            guard settled != rank else { continue }
            for index in held.indices where held[index].lesserRank != nil {
                if held[index].rank == rank { held[index].rank = settled }
            }
        }
    }
}
