/// The types of geometry that GeoJSON has.
enum GeoJSONGeometry: Int, CaseIterable {
    /// Another one, or none that is named.
    case other
    case point, multiPoint, lineString, multiLineString, polygon, multiPolygon, collection

    private static let all = allCases
    private static let table = NameTable(allCases.map(\.name))

    /// The type that is called so.
    init(named name: Span<UInt8>) {
        self = GeoJSONGeometry.all[GeoJSONGeometry.table.index(of: name)]
    }

    /// As it is written.
    var name: String {
        switch self {
        case .other: ""
        case .point: "Point"
        case .multiPoint: "MultiPoint"
        case .lineString: "LineString"
        case .multiLineString: "MultiLineString"
        case .polygon: "Polygon"
        case .multiPolygon: "MultiPolygon"
        case .collection: "GeometryCollection"
        }
    }

    /// Whether its positions are no way that someone went.
    var isUnused: Bool {
        switch self {
        case .multiPoint, .polygon, .multiPolygon, .collection: true
        default: false
        }
    }

    /// How deep in arrays its positions are; nil where that is not known.
    var depth: Int? {
        switch self {
        case .other, .collection: nil
        case .point: 1
        case .multiPoint, .lineString: 2
        case .multiLineString, .polygon: 3
        case .multiPolygon: 4
        }
    }
}

/// Why a position of GeoJSON is none.
enum GeoJSONFault: Int64 {
    /// Too few numbers, or none that a Double holds.
    case numbers
    case string
    case null
    case empty

    /// In a sentence.
    var message: String {
        switch self {
        case .numbers: "the position is not [longitude, latitude] in degrees"
        case .string: "the position has a string where \(GeoJSONFault.expectation)"
        case .null: "the position has null where \(GeoJSONFault.expectation)"
        case .empty: "the position is empty, [longitude, latitude] was expected"
        }
    }

    private static let expectation = "a number of degrees was expected"
}
