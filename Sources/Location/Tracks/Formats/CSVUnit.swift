/// The units of CSV columns and cells.
enum CSVUnit {
    /// What the name of a column says of its unit.
    enum Found: Equatable {
        case none
        /// What numbers are multiplied by.
        case factor(Double)
        /// A count since a moment, in so many parts of a second: 10 to that power.
        case count(scale: Int)
        case unknown(String)
    }

    /// Words in parentheses that say where numbers come from, not what their unit is.
    private static let remarks: Set<String> = [
        "gps", "gnss", "gnss+ins", "obd", "obd2", "obd-ii", "wgs84", "wgs-84", "wgs", "84", "raw",
        "filtered", "smoothed", "baro", "barometric", "barometer", "pressure", "ellipsoid",
        "ellipsoidal", "geoid", "orthometric", "sog", "cog", "true", "decimal", "dd", "float",
        "double", "number", "avg", "average", "estimated", "est", "calculated", "calc", "measured",
        "ground", "over", "above", "sea", "level", "mean", "horizontal", "vertical", "2d", "3d",
        "1-sigma", "68%", "signed", "north", "south", "east", "west", "msl", "amsl", "asl", "hae",
    ]
    private static let hemispheres: Set<String> = [
        "n", "s", "e", "w", "n/s", "e/w", "+n", "+e", "+n/-s", "+e/-w",
    ]
    /// Units of time that no count of a moment has.
    private static let coarseTimes: Set<String> = [
        "min", "mins", "minute", "minutes", "h", "hr", "hrs", "hour", "hours", "d", "day", "days",
        "week", "weeks",
    ]

    /// The unit in the name of a column.
    static func unit(in name: CSVName, _ role: CSVHeader.Role) -> Found {
        if let text = name.parenthesis { return unit(inParenthesis: text, role) }
        let words = name.words
        // `alt ft`, `speed_kmh` and `speed_m_s` name a unit, `speed_over_ground` does not.
        guard words.count > 1 else { return .none }
        if role == .time || role == .date { return scale(words[words.count - 1]) ?? .none }
        let pair = words.count > 2 ? words.suffix(2).joined(separator: "/") : ""
        let factor = factor(pair, role) ?? factor(words[words.count - 1], role)
        return factor.map(Found.factor) ?? .none
    }

    private static func unit(inParenthesis text: String, _ role: CSVHeader.Role) -> Found {
        if role == .time || role == .date {
            return scale(text) ?? (coarseTimes.contains(text) ? .unknown(text) : .none)
        }
        if let factor = factor(text, role) { return .factor(factor) }
        let isPosition = role == .latitude || role == .longitude
        let words = text.split { " ,_".contains($0) }.map(String.init).filter {
            !remarks.contains($0) && !(isPosition && hemispheres.contains($0))
        }
        if words.isEmpty { return .none }
        return factor(words.joined(separator: " "), role).map(Found.factor) ?? .unknown(text)
    }

    private static func scale(_ unit: String) -> Found? {
        switch unit {
        case "s", "sec", "secs", "second", "seconds": .count(scale: 0)
        case "ms", "msec", "msecs", "millis", "millisec", "millisecond", "milliseconds":
            .count(scale: 3)
        case "us", "µs", "μs", "usec", "micros", "microsecond", "microseconds": .count(scale: 6)
        case "ns", "nsec", "nanos", "nanosecond", "nanoseconds": .count(scale: 9)
        default: nil
        }
    }

    /// What a number in that unit is multiplied by to become metres, metres per second or degrees;
    /// nil for a unit that is not known or of another kind.
    static func factor(_ unit: String, _ role: CSVHeader.Role) -> Double? {
        switch role {
        case .speed:
            switch unit {
            case "m/s", "mps", "ms", "m_s", "m.s-1", "meters/second", "metres/second",
                "meter/second", "metre/second", "meters per second", "metres per second":
                1
            case "km/h", "kmh", "kph", "kmph", "km_h", "km/hr", "kilometers/hour",
                "kilometres/hour":
                1 / 3.6
            case "mph", "mi/h", "mile/hr", "miles/hour": 1609.344 / 3600
            case "kn", "kt", "kts", "kns", "knot", "knots": 1852.0 / 3600
            case "ft/s", "fps": 0.3048
            default: nil
            }
        case .altitude, .ellipsoidalAltitude, .horizontalAccuracy, .verticalAccuracy:
            switch unit {
            case "m", "meter", "meters", "metre", "metres": 1
            case "ft", "feet", "foot": 0.3048
            case "km": 1000
            default: nil
            }
        case .latitude, .longitude, .course, .x, .y:
            switch unit {
            case "deg", "degs", "degree", "degrees", "°", "wgs84", "dd", "t", "decimal degrees": 1
            default: nil
            }
        case .time, .date, .device, .id, .dilution, .latitudeHemisphere, .longitudeHemisphere: 1
        }
    }
}
