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
        /// Whether the column's name is the role's own, not one that only begins like it.
        var isExact = false
    }

    /// A unit in the header that is not known.
    struct UnknownUnit: Error {
        var name: String
        var unit: String
    }

    let separator: UInt8
    let count: Int
    private var columns: [Role: Column] = [:]
    private var unknownUnits: [Role: UnknownUnit] = [:]

    /// A unit that is not known, of a column of use.
    var unknownUnit: UnknownUnit? {
        Role.allCases.lazy.compactMap { unknownUnits[$0] }.first
    }

    /// The separator that a line names as Excel writes it before the header, `sep=;`.
    static func separator(namedBy line: ArraySlice<UInt8>) -> UInt8? {
        let bytes = line.filter { $0 != UInt8(ascii: "\"") && $0 != 0x20 && $0 != 0x0D }
        guard bytes.count == 5, String(decoding: bytes[..<4], as: UTF8.self).lowercased() == "sep="
        else { return nil }
        return bytes[4]
    }

    /// Reads a header; nil where no columns of latitude and longitude are in it.
    ///
    /// - Parameters:
    ///   - line: The header.
    ///   - named: The separator that a line before it names.
    init?(_ line: ArraySlice<UInt8>, separator named: UInt8? = nil) {
        var line = line
        while let first = line.first, Decimal.isSpace(first) || first == UInt8(ascii: "#") {
            // A tab may be an empty first cell, but no header has one.
            line.removeFirst()
        }
        separator =
            named ?? [0x09, UInt8(ascii: ";"), UInt8(ascii: "|")].first { line.contains($0) }
            ?? UInt8(ascii: ",")
        let text = Array(line)
        var cells = CSVCells(separator: separator, limit: text.count + 1)
        cells.split(text.span)
        count = cells.count
        for index in 0..<count {
            add(String(decoding: cells.bytes(text.span, index), as: UTF8.self), index)
        }
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
        guard let role = CSVHeader.role(base) else { return }
        var column = Column(index: index, isExact: CSVHeader.exactNames.contains(base))
        if let known = columns[role], known.isExact || !column.isExact { return }
        unknownUnits[role] = nil
        if let opening {
            let unit = trimmed(
                plain[plain.index(after: opening)...].prefix { $0 != ")" && $0 != "]" }
            )
            if CSVHeader.isRemark(unit, role) {
                columns[role] = column
                return
            }
            guard let factor = CSVHeader.factor(unit, role) else {
                unknownUnits[role] = UnknownUnit(name: base, unit: unit)
                columns[role] = column
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

    /// The names that mean nothing else; others only begin like one of them.
    private static let exactNames: Set<String> = [
        "latitude", "lat", "longitude", "lon", "lng", "long", "x", "y",
        "time", "timestamp", "datetime", "date_time", "date time", "date-time", "utc", "when",
        "tst",
        "fixtime", "fix_time", "gpstime", "gps_time", "recorded_at", "recordedat", "iso_time",
        "utctime", "utc_t", "date", "utc_d", "altitude", "alt", "ele", "elevation", "speed",
        "velocity", "course", "heading", "bearing", "cog", "accuracy", "hdop", "device", "vehicle",
        "id",
    ]

    /// Words in parentheses that say where numbers come from, not what their unit is.
    private static let remarks: Set<String> = [
        "gps", "gnss", "gnss+ins", "obd", "obd2", "obd-ii", "wgs84", "wgs-84", "wgs", "84", "raw",
        "filtered", "smoothed", "baro", "barometric", "barometer", "pressure", "ellipsoid",
        "ellipsoidal", "geoid", "orthometric", "sog", "cog", "true", "decimal", "dd", "float",
        "double", "number", "avg", "average", "estimated", "est", "calculated", "calc", "measured",
        "ground", "over", "above", "sea", "level", "mean", "horizontal", "vertical", "2d", "3d",
        "1-sigma", "68%", "signed", "north", "south", "east", "west",
    ]

    /// Whether what stands in parentheses behind a name is no unit.
    private static func isRemark(_ text: String, _ role: Role) -> Bool {
        let words = text.split { " ,_".contains($0) }
        if role == .latitude || role == .longitude {
            let hemispheres = ["n", "s", "e", "w", "n/s", "e/w", "+n", "+e", "+n/-s", "+e/-w"]
            if words.allSatisfy({ hemispheres.contains(String($0)) }) { return true }
        }
        return words.allSatisfy { remarks.contains(String($0)) }
    }

    /// Whether a name is the word, or goes on with one of some endings or with what sets words off.
    private static func isWord(_ name: String, _ word: String, _ endings: String...) -> Bool {
        guard name.hasPrefix(word) else { return false }
        let rest = name.dropFirst(word.count)
        guard let next = rest.first else { return true }
        if next.isNumber || " _.-/([°".contains(next) { return true }
        return endings.contains { rest.hasPrefix($0) }
    }

    /// Whether a name is the word, or the word with `id` or `name`.
    private static func isDevice(_ name: String, _ word: String) -> Bool {
        guard name.hasPrefix(word) else { return false }
        let rest = name.dropFirst(word.count).drop { "_-. ".contains($0) }
        return ["", "id", "name"].contains(rest) && !name.hasSuffix("_")
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
        if isWord(name, "lat", "itude") { return .latitude }
        if isWord(name, "lon", "gitude") || isWord(name, "lng") || isWord(name, "long") {
            return .longitude
        }
        if isTime(name) { return .time }
        if begins("date", "utc_d") { return .date }
        if isWord(name, "alt", "itude") || isWord(name, "ele", "vation") || begins("height") {
            let isEllipsoidal = name.contains("ellip") || name.contains("hae")
            return isEllipsoidal ? .ellipsoidalAltitude : .altitude
        }
        if begins("ellipsoidal") { return .ellipsoidalAltitude }
        if begins("speed", "vel") { return .speed }
        if begins("course", "heading", "bearing", "cog") { return .course }
        if begins("hdop") { return .dilution }
        if isDevice(name, "device") || isDevice(name, "vehicle") { return .device }
        return name == "id" ? .id : nil
    }

    private static func isTime(_ name: String) -> Bool {
        let others = ["zone", "diff", "offset", "elapsed", "timeout"]
        if others.contains(where: { name.contains($0) }) { return false }
        if isWord(name, "time", "stamp", "utc", "gps", "iso") { return true }
        let beginnings = [
            "datetime", "date_time", "date time", "date-time", "utc_t", "epoch", "unix",
            // When the device sent a position is nearly when it was there.
            "devicetime", "device_time",
        ]
        return beginnings.contains { name.hasPrefix($0) }
            || [
                "tst", "utc", "when", "utctime", "gpstime", "gps_time", "iso_time", "fixtime",
                "fix_time", "recorded_at", "recordedat",
            ].contains(name)
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
