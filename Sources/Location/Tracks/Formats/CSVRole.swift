extension CSVHeader {
    /// What a column holds.
    enum Role: Int, CaseIterable {
        case latitude, longitude, x, y
        case latitudeHemisphere, longitudeHemisphere
        case time, date
        case altitude, ellipsoidalAltitude, speed, course
        case horizontalAccuracy, verticalAccuracy, dilution
        case device, id

        /// Whether rows are of no use without knowing what its numbers mean.
        var isEssential: Bool {
            switch self {
            case .latitude, .longitude, .x, .y, .time, .date: true
            default: false
            }
        }
    }

    /// A role that the name of a column fits, and how well: of several columns the one with the
    /// highest rank is taken, and of equal ones the first.
    struct Fit {
        var role: Role
        var rank: Int

        init(_ role: Role, _ rank: Int) {
            self.role = role
            self.rank = rank
        }
    }

    /// The role that a column has by the words of its name; nil where it is of no use.
    static func fit(_ name: CSVName) -> Fit? {
        guard !name.words.isEmpty else { return nil }
        let rules = [
            coordinate, hemisphere, device, accuracy, time, date, altitude, speed, course,
        ]
        for rule in rules {
            if let fit = rule(name) { return fit }
        }
        return nil
    }

    /// What names are begun with to say where numbers come from.
    private static let sources: Set<String> = [
        "gps", "gnss", "position", "pos", "location", "loc", "current", "fix",
    ]
    /// Words for how far off a number may be, and for the like.
    private static let statistics: Set<String> = [
        "acc", "ac", "accuracy", "accel", "acceleration", "std", "stddev", "sd", "dev", "sigma",
        "rms", "err", "error", "var", "variance", "uncertainty", "rate", "change", "delta", "diff",
        "difference", "gain", "loss", "ascent", "descent", "limit", "max", "min", "unit", "units",
        "type", "source", "mode", "valid", "status", "ratio", "offset", "name", "description",
    ]
    private static let axes: Set<String> = [
        "x", "y", "z", "n", "e", "d", "u", "north", "east", "down", "up", "vertical", "angular",
    ]

    private static func coordinate(_ name: CSVName) -> Fit? {
        if name.words == ["x"] { return Fit(.x, 3) }
        if name.words == ["y"] { return Fit(.y, 3) }
        let words = name.words(after: sources)
        let role: Role
        switch words.first {
        case "lat", "latitude": role = .latitude
        case "lon", "lng", "long", "longitude": role = .longitude
        default: return nil
        }
        let others = words.dropFirst().filter { !["n", "s", "e", "w"].contains($0) }
        if others.contains(where: { statistics.contains($0) || hemispheres.contains($0) }) {
            return hemisphere(name)
        }
        guard others.isEmpty else { return Fit(role, 1) }
        return Fit(role, words.count == name.words.count ? 3 : 2)
    }

    private static let hemispheres: Set<String> = ["hemisphere", "hemi", "dir", "direction", "ref"]

    private static func hemisphere(_ name: CSVName) -> Fit? {
        if name.joined == "ns" { return Fit(.latitudeHemisphere, 2) }
        if name.joined == "ew" { return Fit(.longitudeHemisphere, 2) }
        let words = name.words(after: sources)
        guard words.count == 2, let last = words.last, hemispheres.contains(last) else {
            return nil
        }
        switch words.first {
        case "lat", "latitude": return Fit(.latitudeHemisphere, 3)
        case "lon", "lng", "long", "longitude": return Fit(.longitudeHemisphere, 3)
        default: return nil
        }
    }

    private static let devices: Set<String> = [
        "device", "deviceid", "devicename", "vehicle", "vehicleid", "vehiclename", "mmsi", "imei",
        "userid", "trackerid",
    ]

    private static func device(_ name: CSVName) -> Fit? {
        if name.joined == "id" { return Fit(.id, 3) }
        guard devices.contains(name.joined), name.text.last != "_" else { return nil }
        return Fit(.device, 3)
    }

    private static let accuracies: Set<String> = [
        "acc", "accuracy", "hacc", "vacc", "haccuracy", "vaccuracy", "eph", "epv",
    ]
    private static let verticals: Set<String> = [
        "v", "vert", "vertical", "vacc", "vaccuracy", "epv", "alt", "altitude", "ele", "elevation",
        "height",
    ]
    /// What has an accuracy that is none of the position, and axes of accelerations.
    private static let otherAccuracies: Set<String> = [
        "x", "y", "z", "speed", "velocity", "vel", "course", "heading", "bearing", "yaw", "time",
        "lat", "latitude", "lon", "longitude", "lng", "long", "lateral", "linear", "norm", "sensor",
    ]

    private static func accuracy(_ name: CSVName) -> Fit? {
        if name.hasWord(of: ["hdop"]) || Array(name.words.prefix(2)) == ["horizontal", "dilution"] {
            return Fit(.dilution, 3)
        }
        guard name.hasWord(of: accuracies), !name.hasWord(of: otherAccuracies) else { return nil }
        let isVertical = name.hasWord(of: verticals)
        return Fit(isVertical ? .verticalAccuracy : .horizontalAccuracy, 3)
    }

    private static let heights: Set<String> = [
        "alt", "altitude", "ele", "elev", "elevation", "height",
    ]
    /// What altitudes are above when it is not the sea.
    private static let grounds: Set<String> = [
        "ground", "takeoff", "home", "relative", "rel", "agl", "terrain", "launch", "start",
        "local",
    ]

    private static func altitude(_ name: CSVName) -> Fit? {
        let beginnings: Set<String> = [
            "gps", "gnss", "msl", "amsl", "baro", "barometric", "relative", "rel", "ellipsoidal",
        ]
        let words = name.words(after: beginnings)
        guard let first = words.first, heights.contains(first),
            !name.hasWord(of: statistics), !name.hasWord(of: ["sonar", "ultrasonic", "speed"])
        else { return nil }
        let remarks = name.parenthesis.map { CSVName($0).words } ?? []
        let all = Set(name.words + remarks)
        if !all.isDisjoint(with: ["ellipsoid", "ellipsoidal", "hae"]) {
            return Fit(.ellipsoidalAltitude, 3)
        }
        let isAboveSea = !all.isDisjoint(with: ["msl", "amsl", "asl", "sealevel", "sea"])
        if isAboveSea { return Fit(.altitude, 5) }
        if !all.isDisjoint(with: grounds) { return Fit(.altitude, 1) }
        if name.words.count == 1 { return Fit(.altitude, 4) }
        return Fit(.altitude, CSVUnit.unit(in: name, .altitude) == .none ? 2 : 4)
    }

    private static func speed(_ name: CSVName) -> Fit? {
        let words = name.words(after: ["gps", "gnss", "ground", "gnd", "current"])
        guard let first = words.first, ["speed", "velocity", "vel", "sog", "spd"].contains(first),
            !name.hasWord(of: statistics), !name.hasWord(of: axes)
        else { return nil }
        let others = words.dropFirst()
        let isPlain = others.isEmpty || CSVUnit.unit(in: name, .speed) != .none
        return Fit(.speed, isPlain || others.elementsEqual(["over", "ground"]) ? 3 : 1)
    }

    private static func course(_ name: CSVName) -> Fit? {
        let words = name.words(after: ["gps", "gnss", "true"])
        let others: Set<String> = [
            "mag", "magnetic", "id", "number", "no", "num", "points", "index",
        ]
        guard !name.hasWord(of: statistics), !name.hasWord(of: axes), !name.hasWord(of: others)
        else { return nil }
        switch words.first {
        case "course", "cog": return Fit(.course, 4)
        case "trk" where words.count == 1: return Fit(.course, 3)
        // A track may be a number, and a direction a word, where no unit says what they are.
        case "track", "trk", "direction":
            if case .factor = CSVUnit.unit(in: name, .course) { return Fit(.course, 3) }
            return nil
        case "bearing": return Fit(.course, 2)
        case "heading": return Fit(.course, 1)
        default: return nil
        }
    }
}
