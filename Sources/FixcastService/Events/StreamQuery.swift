internal import HTTPServer
internal import Location

/// What one client asked of its stream.
struct StreamQuery: Sendable, Equatable {
    /// The value of `format=`.
    enum Format: String, CaseIterable, Sendable {
        case json
        case geojson
    }

    /// A box on the globe; a west above its east crosses the antimeridian.
    struct BoundingBox: Sendable, Equatable {
        let west: Double
        let south: Double
        let east: Double
        let north: Double

        func contains(_ fix: Fix) -> Bool {
            guard fix.latitude >= south, fix.latitude <= north else { return false }
            let isEastOfWest = fix.longitude >= west
            let isWestOfEast = fix.longitude <= east
            return west <= east ? isEastOfWest && isWestOfEast : isEastOfWest || isWestOfEast
        }
    }

    /// The indices of the selected devices.
    var devices: Set<Int>
    var format = StreamFormat.eventStream
    var minimumInterval: Duration?
    var minimumDistance: Double?
    var boundingBox: BoundingBox?
    var limit: Int?
    var lastEventID: String?

    /// Reads the query of `GET /v1/locations`; `Last-Event-ID` in the header wins over the
    /// parameter, and an empty one is none.
    init(
        _ request: Request,
        asLines: Bool,
        catalogue: DeviceCatalogue
    ) throws(ParameterFault) {
        var reader = QueryReader(request)
        devices = try catalogue.select(reader.list("device"))
        minimumInterval = try reader.duration("minInterval")
        if let text = try reader.single("minDistance") {
            guard let metres = QueryReader.number(text[...]), metres >= 0 else {
                throw ParameterFault(
                    parameter: "minDistance",
                    detail: "minDistance=\(text) is not a distance; expected metres from 0"
                )
            }
            minimumDistance = metres
        }
        if let text = try reader.single("bbox") { boundingBox = try Self.boundingBox(text) }
        let isGeoJSON = try reader.choice("format", of: Format.self) == .geojson
        limit = try reader.positiveInteger("limit")
        let parameter = try reader.single("lastEventId")
        try reader.finish()
        let header = request.headers.first("Last-Event-ID") ?? ""
        let requested = header.isEmpty ? parameter ?? "" : header
        lastEventID = requested.isEmpty ? nil : requested
        format =
            switch (asLines, isGeoJSON) {
            case (false, false): .eventStream
            case (false, true): .eventStreamGeoJSON
            case (true, false): .lines
            case (true, true): .linesGeoJSON
            }
    }

    private static func boundingBox(_ text: String) throws(ParameterFault) -> BoundingBox {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false)
            .map(QueryReader.number)
        guard numbers.count == 4, let west = numbers[0], let south = numbers[1],
            let east = numbers[2], let north = numbers[3],
            (-180...180).contains(west), (-180...180).contains(east),
            (-90...90).contains(south), (-90...90).contains(north), south <= north
        else {
            throw ParameterFault(
                parameter: "bbox",
                detail: "bbox=\(text) is not a box; expected WEST,SOUTH,EAST,NORTH in degrees with "
                    + "south not above north"
            )
        }
        // Fixes lie in [-180, 180): a western edge of 180 is the same meridian as -180.
        return BoundingBox(
            west: west == 180 ? -180 : west,
            south: south,
            east: east,
            north: north
        )
    }
}

/// The names of all devices and their indices.
struct DeviceCatalogue: Sendable {
    let names: [String]
    private let indices: [String: Int]
    /// Every index: one set, shared by all the streams that select no device.
    private let all: Set<Int>

    init(_ names: [String]) {
        self.names = names
        self.indices = Dictionary(
            zip(names, names.indices),
            uniquingKeysWith: { first, _ in first }
        )
        self.all = Set(names.indices)
    }

    func index(of name: String) -> Int? {
        indices[name]
    }

    /// The indices of the named devices, or of all when none is named.
    func select(_ requested: [String]) throws(ParameterFault) -> Set<Int> {
        if requested.isEmpty { return all }
        var selection: Set<Int> = []
        for name in requested {
            guard let index = indices[name] else {
                throw ParameterFault(
                    status: 404,
                    parameter: "device",
                    detail: "there is no device '\(name)'; GET /v1/devices lists them"
                )
            }
            selection.insert(index)
        }
        return selection
    }
}
