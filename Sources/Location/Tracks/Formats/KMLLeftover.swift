/// What a KML file may have besides tracks and lines.
enum KMLLeftover: Int, CaseIterable {
    case point, timedPoint, polygon, ring, model, tour, link

    /// What is said of so many.
    func sentence(_ count: Int) -> String {
        self == .link
            ? "\(name) (\(count)) are not followed"
            : "\(name) (\(count)) are not used, a Track or a LineString was expected"
    }

    private var name: String {
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
