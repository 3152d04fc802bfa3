/// Which columns of a CSV file hold times and dates, by the words of their names.
extension CSVHeader {
    private static let zones: Set<String> = [
        "utc", "gmt", "local", "lcl", "iso", "8601", "gps", "gnss", "z",
    ]
    private static let wholeTimes: Set<String> = [
        "datetime", "timestamp", "fixtime", "gpstime", "isotime", "recordedat", "when", "tst",
        "epoch", "unix", "unixtime", "epochtime", "utcdatetime", "gpstimestamp",
    ]
    /// What a time is that of, where it may be that of the position.
    private static let moments: Set<String> = [
        "device", "server", "event", "position", "point", "sample", "record", "recording", "log",
        "measurement", "message", "msg", "tracker", "location", "reading", "fix", "base", "study",
        "observation", "obs", "capture", "system", "phone", "sensor", "data", "packet", "date",
        "unix", "epoch", "update", "last",
    ]
    /// What makes of a time none at which anything was anywhere.
    private static let spans: Set<String> = [
        "zone", "tz", "diff", "difference", "offset", "elapsed", "accuracy", "acc", "delta", "step",
        "since", "interval", "spent", "remaining", "correction", "uncertainty", "source", "quality",
        "error", "err", "std", "total", "moving", "stopped", "type", "format", "in", "to", "from",
    ]
    private static let participles: Set<String> = [
        "created", "recorded", "updated", "sampled", "measured", "logged", "captured", "sent",
        "received", "located", "fixed", "observed", "reported",
    ]

    /// The role of a column of times.
    static func time(_ name: CSVName) -> Fit? {
        guard var rank = timeRank(name) else { return nil }
        // What counts from the start of a recording gives way to a full date and time.
        if case .count = CSVUnit.unit(in: name, .time) { rank = 1 }
        return Fit(.time, rank)
    }

    private static func timeRank(_ name: CSVName) -> Int? {
        var words = name.words
        if case .count = CSVUnit.unit(in: name, .time), name.parenthesis == nil {
            words.removeLast()
        }
        let plain = words.filter { !zones.contains($0) }
        if words == ["utc"] || words == ["utc", "t"] { return 4 }
        if words == ["timeutc"] || words == ["utctime"] || words == ["timeiso"] { return 4 }
        let joined = plain.joined()
        if wholeTimes.contains(joined) || wholeTimes.contains(words.joined()) { return 5 }
        if plain == ["clock"] { return 4 }
        if plain == ["time"] { return words == ["gps", "time"] ? 5 : 4 }
        if plain == ["base", "datetime"] || plain == ["base", "date", "time"] { return 5 }
        if plain.count == 2, participles.contains(plain[0]), plain[1] == "at" { return 3 }
        guard let last = plain.last else { return nil }
        let nouns = ["time", "timestamp", "datetime"]
        if nouns.contains(last), plain.dropLast().allSatisfy(moments.contains) { return 2 }
        if let first = plain.first, nouns.contains(first), !name.hasWord(of: spans) { return 2 }
        let isGluedTime = ["devicetime", "servertime", "eventtime"].contains(joined)
        return isGluedTime ? 2 : nil
    }

    /// The role of a column of dates, whose clocks may be in another.
    static func date(_ name: CSVName) -> Fit? {
        if name.words == ["utc", "d"] { return Fit(.date, 3) }
        let plain = name.words.filter { !zones.contains($0) }
        guard plain == ["date"] || name.joined == "utcdate" || name.joined == "gpsdate" else {
            return nil
        }
        return Fit(.date, 3)
    }
}
