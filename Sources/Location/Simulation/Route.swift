/// The corners of a closed way: from the last one it goes back to the first.
struct Route: Sendable, Equatable {
    /// A corner, and how high the ground is there in metres above mean sea level.
    struct Corner: Sendable, Equatable {
        var position: Geodesy.Position
        var altitude: Double
    }

    /// At least one corner; neighbours, the last and the first included, are never at one place.
    let corners: [Corner]

    /// A route over these corners, of which there must be one; a corner at the same place as the
    /// one before it is left out.
    init(corners: [Corner]) {
        precondition(!corners.isEmpty, "a route has at least one corner")
        var kept: [Corner] = []
        for corner in corners where kept.last.map({ !Self.coincide($0, corner) }) ?? true {
            kept.append(corner)
        }
        while kept.count > 1, Self.coincide(kept[0], kept[kept.count - 1]) { kept.removeLast() }
        self.corners = kept
    }

    /// Reads `LAT,LON;LAT,LON;...` in degrees, at sea level; nil when it is anything else.
    init?(parsing text: String) {
        var corners: [Corner] = []
        for part in text.split(separator: ";", omittingEmptySubsequences: false) {
            let numbers = part.split(separator: ",", omittingEmptySubsequences: false)
            guard numbers.count == 2, let latitude = Decimal.parse(String(numbers[0]).utf8.span),
                let longitude = Decimal.parse(String(numbers[1]).utf8.span), abs(latitude) <= 90,
                abs(longitude) <= 180
            else { return nil }
            let position = Geodesy.Position(
                latitude: latitude,
                longitude: Geodesy.longitude(longitude)
            )
            corners.append(Corner(position: position, altitude: 0))
        }
        self.init(corners: corners)
    }

    /// A round through the old town of Bern: from the station through the arcaded lanes to the
    /// bridge at its tip, back past the minster and the parliament.
    static let builtIn = Route(
        corners: [
            corner(46.948_00, 7.439_90, 540),
            corner(46.947_89, 7.443_85, 537),
            corner(46.947_94, 7.447_78, 533),
            corner(46.948_18, 7.451_13, 527),
            corner(46.948_83, 7.456_10, 515),
            corner(46.948_40, 7.458_90, 512),
            corner(46.948_50, 7.456_00, 515),
            corner(46.947_40, 7.452_50, 530),
            corner(46.947_15, 7.450_80, 532),
            corner(46.946_90, 7.447_70, 536),
            corner(46.946_80, 7.444_30, 540),
            corner(46.946_00, 7.438_70, 542),
            corner(46.947_60, 7.438_90, 541),
        ]
    )

    /// The same shape, so many times larger, around the middle of the corners.
    func scaled(by factor: Double) -> Route {
        guard factor != 1 else { return self }
        let count = Double(corners.count)
        let middle = Geodesy.Position(
            latitude: corners.reduce(0) { $0 + $1.position.latitude } / count,
            longitude: corners.reduce(0) { $0 + $1.position.longitude } / count
        )
        return Route(
            corners: corners.map { corner in
                let ray = Geodesy.inverse(from: middle, to: corner.position)
                let moved = Geodesy.direct(
                    from: middle,
                    course: ray.initialCourse,
                    distance: ray.distance * factor
                )
                return Corner(position: moved.position, altitude: corner.altitude)
            }
        )
    }

    private static func corner(
        _ latitude: Double,
        _ longitude: Double,
        _ altitude: Double
    ) -> Corner {
        Corner(
            position: Geodesy.Position(latitude: latitude, longitude: longitude),
            altitude: altitude
        )
    }

    /// Nearer than a millimetre.
    private static func coincide(_ one: Corner, _ other: Corner) -> Bool {
        Geodesy.inverse(from: one.position, to: other.position).distance < 0.001
    }
}
