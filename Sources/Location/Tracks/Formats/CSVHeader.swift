/// What the columns of a CSV file hold, by the names in its header.
struct CSVHeader {
    /// What a column holds.
    enum Role: CaseIterable {
        case latitude, longitude, x, y
        case time, date
        case altitude, ellipsoidalAltitude, speed, course
        case horizontalAccuracy, verticalAccuracy, dilution
        case device, id
    }

    /// A column of use.
    struct Column {
        var index: Int
        /// What its numbers are multiplied by to become metres or metres per second.
        var factor = 1.0
    }

    /// A unit in the header that is not known.
    struct UnknownUnit: Error {
        var name: String
        var unit: String
    }

    let separator: UInt8
    let count: Int
    private var columns: [Role: Column] = [:]
    private(set) var unknownUnit: UnknownUnit?

    /// Reads a header; nil where no columns of latitude and longitude are in it.
    init?(_ line: ArraySlice<UInt8>) {
        var line = line
        while let first = line.first, Decimal.isSpace(first) || first == UInt8(ascii: "#") {
            // A tab may be an empty first cell, but no header has one.
            line.removeFirst()
        }
        separator =
            [0x09, UInt8(ascii: ";"), UInt8(ascii: "|")].first { line.contains($0) }
            ?? UInt8(ascii: ",")
        let names = line.split(separator: separator, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        count = names.count
        for (index, name) in names.enumerated() { add(name, index) }
        if columns[.latitude] == nil, columns[.longitude] == nil {
            columns[.latitude] = columns[.y]
            columns[.longitude] = columns[.x]
        }
        guard columns[.latitude] != nil, columns[.longitude] != nil else { return nil }
    }

    /// The column with a role.
    func column(_ role: Role) -> Column? { columns[role] }

    private mutating func add(_ name: String, _ index: Int) {
        let plain = name.lowercased().filter { $0 != "\"" }
        let opening = plain.firstIndex { $0 == "(" || $0 == "[" }
        let base = trimmed(plain[..<(opening ?? plain.endIndex)])
        guard let role = CSVHeader.role(base), columns[role] == nil else { return }
        var column = Column(index: index)
        if let opening {
            let unit = trimmed(
                plain[plain.index(after: opening)...].prefix { $0 != ")" && $0 != "]" }
            )
            guard let factor = CSVHeader.factor(unit, role) else {
                if unknownUnit == nil { unknownUnit = UnknownUnit(name: base, unit: unit) }
                return
            }
            column.factor = factor
        } else {
            let words = base.split { " _-.".contains($0) }
            // `alt ft` and `speed_kmh` name a unit, `speed_over_ground` does not.
            if words.count > 1, let last = words.last,
                let factor = CSVHeader.factor(String(last), role)
            {
                column.factor = factor
            }
        }
        columns[role] = column
    }

    private static func role(_ name: String) -> Role? {
        func begins(_ prefixes: String...) -> Bool { prefixes.contains { name.hasPrefix($0) } }
        if name.contains("acc") || begins("epv", "eph", "vdop", "pdop") {
            if begins("speed", "vel", "course", "heading", "bearing", "accel", "pdop", "vdop") {
                return nil
            }
            let isVertical =
                begins("v", "alt", "ele", "epv") || name.contains("vert")
                || name.contains("altitude")
            return isVertical ? .verticalAccuracy : .horizontalAccuracy
        }
        if name == "y" { return .y }
        if name == "x" { return .x }
        if begins("lat") { return .latitude }
        if begins("lon", "lng") { return .longitude }
        if begins(
            "time",
            "datetime",
            "date_time",
            "date time",
            "date-time",
            "utc_t",
            "epoch",
            "unix"
        )
            || ["tst", "utc", "when", "utctime", "gpstime", "gps_time", "iso_time"].contains(name)
        {
            let isOther = ["zone", "diff", "offset", "elapsed"].contains { name.contains($0) }
            return isOther ? nil : .time
        }
        if begins("date", "utc_d") { return .date }
        if begins("alt", "ele", "height") {
            let isEllipsoidal = name.contains("ellip") || name.contains("hae")
            return isEllipsoidal ? .ellipsoidalAltitude : .altitude
        }
        if begins("ellipsoidal") { return .ellipsoidalAltitude }
        if begins("speed", "vel") { return .speed }
        if begins("course", "heading", "bearing", "cog") { return .course }
        if begins("hdop") { return .dilution }
        if begins("device", "vehicle") { return .device }
        return name == "id" ? .id : nil
    }

    /// What a number in that unit is multiplied by; nil for a unit that is not known or of another
    /// kind.
    private static func factor(_ unit: String, _ role: Role) -> Double? {
        switch role {
        case .speed:
            switch unit {
            case "m/s", "mps", "ms", "m_s", "m.s-1": 1
            case "km/h", "kmh", "kph", "kmph", "km_h", "h": 1 / 3.6
            case "mph", "mi/h": 1609.344 / 3600
            case "kn", "kt", "kts", "knot", "knots": 1852.0 / 3600
            case "ft/s", "fps": 0.3048
            default: nil
            }
        case .altitude, .ellipsoidalAltitude, .horizontalAccuracy, .verticalAccuracy:
            switch unit {
            case "m", "meter", "meters", "metre", "metres", "msl", "amsl", "m msl", "m amsl": 1
            case "ft", "feet", "foot": 0.3048
            case "km": 1000
            default: nil
            }
        case .latitude, .longitude, .course, .x, .y:
            switch unit {
            case "deg", "degree", "degrees", "°", "wgs84", "true", "dd", "t": 1
            default: nil
            }
        case .time, .date, .device, .id, .dilution: 1
        }
    }
}

private func trimmed(_ text: Substring) -> String {
    String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
}
