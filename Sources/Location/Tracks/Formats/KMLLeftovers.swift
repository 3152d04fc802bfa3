/// What a KML file has besides tracks and lines, counted by kind.
struct KMLLeftovers {
    enum Kind: Int, CaseIterable {
        case point, timedPoint, polygon, ring, model, tour, link

        fileprivate var name: String {
            switch self {
            case .point: "points without a time"
            case .timedPoint: "points with a time"
            case .polygon: "polygons"
            case .ring: "linear rings"
            case .model: "models"
            case .tour: "tours"
            case .link: "network links"
            }
        }
    }

    private var counts = [Int](repeating: 0, count: Kind.allCases.count)
    private var places = [Place](repeating: .none, count: Kind.allCases.count)

    /// Counts some of a kind, the first of which is at `place`.
    mutating func add(_ kind: Kind, _ count: Int = 1, at place: Place) {
        if counts[kind.rawValue] == 0 { places[kind.rawValue] = place }
        counts[kind.rawValue] += count
    }

    /// Says of each kind that it is not used.
    func note(in log: inout DiagnosticLog) {
        for kind in Kind.allCases where counts[kind.rawValue] > 0 {
            let remedy =
                kind == .link ? "not followed" : "not used, a Track or a LineString was expected"
            log.add(
                .note,
                at: places[kind.rawValue],
                "\(kind.name) (\(counts[kind.rawValue])) are \(remedy)"
            )
        }
    }
}
