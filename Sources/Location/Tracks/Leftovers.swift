/// What a file has that is not used, counted by kind, with the place of the first of each.
struct Leftovers<Kind: CaseIterable & RawRepresentable<Int>> {
    private var counts = [Int](repeating: 0, count: Kind.allCases.count)
    private var places = [Place](repeating: .none, count: Kind.allCases.count)

    /// Counts some of a kind, the first of which is at `place`.
    mutating func add(_ kind: Kind, _ count: Int = 1, at place: Place) {
        if counts[kind.rawValue] == 0 { places[kind.rawValue] = place }
        counts[kind.rawValue] += count
    }

    /// Says in a sentence about each kind and its number that it is not used.
    func note(in log: inout DiagnosticLog, _ sentence: (Kind, Int) -> String) {
        for kind in Kind.allCases where counts[kind.rawValue] > 0 {
            log.add(.note, at: places[kind.rawValue], sentence(kind, counts[kind.rawValue]))
        }
    }
}
