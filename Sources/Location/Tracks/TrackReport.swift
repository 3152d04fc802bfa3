/// What was found in a track file, and what became of it.
///
/// `points` = `fixes` + `duplicates` + `outOfOrder` + `dropped` + `rejected`, always.
public struct TrackReport: Sendable, Equatable {
    /// The file as it was named, `-` for standard input.
    public var file = ""
    /// The name of the format that was recognised.
    public var format = ""
    /// Positions read.
    public var points = 0
    /// Fixes that came out.
    public var fixes = 0
    /// Tracks, or else routes or lines, of the file.
    public var tracks = 0
    /// Segments of those, empty ones included.
    public var segments = 0
    /// Fixes in segments without times, moved by distance at the chosen speed.
    public var untimed = 0
    /// Fixes without a time between two that have one; theirs was interpolated by distance.
    public var interpolated = 0
    /// Positions with the same time as the next one, which was used instead.
    public var duplicates = 0
    /// Positions whose time lies before that of an earlier one.
    public var outOfOrder = 0
    /// Positions without a time before the first or after the last time of a segment.
    public var dropped = 0
    /// Positions that are none, or whose time is more than a day off both neighbours.
    public var rejected = 0
    /// Fixes that do not continue the one before.
    public var discontinuities = 0
    /// The earliest time in the file; nil where it has none.
    public var first: Timestamp?
    /// The latest time in the file; nil where it has none.
    public var last: Timestamp?
    /// From the first to the last time; in a file without times, how long it takes at the chosen
    /// speed.
    public var durationSeconds = 0.0
    /// Along all legs between fixes that continue each other, over all devices.
    public var lengthMetres = 0.0
    /// What was not used, in the order of the file; at most 100.
    public var diagnostics: [TrackDiagnostic] = []
    /// How many diagnostics there were above those.
    public var moreDiagnostics = 0

    /// A report of nothing.
    public init() {}

    /// One JSON object on one line.
    public var json: String {
        var text = "{\"file\":\(quoted(file)),\"format\":\(quoted(format))"
        for (name, count) in counts { text += ",\"\(name)\":\(count)" }
        text += ",\"first\":\(first.map { "\"\($0)\"" } ?? "null")"
        text += ",\"last\":\(last.map { "\"\($0)\"" } ?? "null")"
        text += ",\"durationSeconds\":\(rounded(durationSeconds, to: 1000))"
        text += ",\"lengthMetres\":\(rounded(lengthMetres, to: 10))"
        let list = diagnostics.map { diagnostic in
            "{\"line\":\(diagnostic.line.map(String.init) ?? "null"),"
                + "\"column\":\(diagnostic.column.map(String.init) ?? "null"),"
                + "\"severity\":\"\(diagnostic.severity.rawValue)\","
                + "\"message\":\(quoted(diagnostic.message))}"
        }
        text += ",\"diagnostics\":[\(list.joined(separator: ","))]"
        text += ",\"moreDiagnostics\":\(moreDiagnostics)}"
        return text
    }

    /// The report for people: several lines, without a line feed at the end.
    public var text: String {
        var lines = [
            "\(file): \(format), \(count(fixes, "fix", "fixes")) from \(count(points, "point"))"
        ]
        lines[0] += " in \(count(segments, "segment")) of \(count(tracks, "track"))"
        if let first, let last {
            lines.append("  from \(first) to \(last)")
        } else if fixes > 0 {
            lines.append("  without times")
        }
        lines.append(
            "  \(rounded(durationSeconds, to: 1000)) s, \(rounded(lengthMetres, to: 10)) m"
        )
        let notes = counts.dropFirst(4).filter { $0.1 > 0 }
            .map { "\($0.1) \(TrackReport.words($0.0, $0.1))" }
        if !notes.isEmpty { lines.append("  " + notes.joined(separator: ", ")) }
        for diagnostic in diagnostics {
            let severity = diagnostic.severity.rawValue
            lines.append("\(place(of: diagnostic)): \(severity): \(diagnostic.message)")
        }
        if moreDiagnostics > 0 { lines.append("\(file): and \(moreDiagnostics) more") }
        return lines.joined(separator: "\n")
    }

    /// In one sentence, that something was not used; nil where all was.
    var warning: String? {
        guard let first = diagnostics.first(where: { $0.severity != .note }) else { return nil }
        let others = diagnostics.count - 1 + moreDiagnostics
        let rest = others == 0 ? "" : "; check tells \(others) more"
        return "\(place(of: first)): \(first.message)\(rest)"
    }

    private func place(of diagnostic: TrackDiagnostic) -> String {
        [file, diagnostic.line.map(String.init), diagnostic.column.map(String.init)]
            .compactMap { $0 }
            .joined(separator: ":")
    }

    private static func words(_ name: String, _ number: Int) -> String {
        switch name {
        case "untimed": "moved by distance for want of times"
        case "interpolated": "with an interpolated time"
        case "duplicates": number == 1 ? "duplicate" : "duplicates"
        case "outOfOrder": "out of order"
        case "dropped": "dropped without a time at an end of a segment"
        case "discontinuities": number == 1 ? "discontinuity" : "discontinuities"
        default: name
        }
    }

    private var counts: [(String, Int)] {
        [
            ("points", points), ("fixes", fixes), ("tracks", tracks), ("segments", segments),
            ("untimed", untimed), ("interpolated", interpolated), ("duplicates", duplicates),
            ("outOfOrder", outOfOrder), ("dropped", dropped), ("rejected", rejected),
            ("discontinuities", discontinuities),
        ]
    }

    private func count(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
        "\(number) \(number == 1 ? singular : plural ?? singular + "s")"
    }
}

/// A number with the decimals of `denominator`, shown without an exponent.
private func rounded(_ number: Double, to denominator: Double) -> String {
    // Beyond 2^53 the decimals are noise, and an exponent would appear.
    let scaled = (min(max(number, -9e12), 9e12) * denominator).rounded()
    let whole = Int64(scaled) / Int64(denominator)
    let rest = abs(Int64(scaled) % Int64(denominator))
    let sign = scaled < 0 && whole == 0 ? "-" : ""
    guard rest > 0 else { return "\(sign)\(whole)" }
    var digits = String(rest)
    let width = String(Int64(denominator)).count - 1
    digits = String(repeating: "0", count: width - digits.count) + digits
    while digits.hasSuffix("0") { digits.removeLast() }
    return "\(sign)\(whole).\(digits)"
}

/// `text` as a JSON string.
private func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": result += "\\\""
        case "\\": result += "\\\\"
        case "\n": result += "\\n"
        case "\r": result += "\\r"
        case "\t": result += "\\t"
        case "\u{0}"..<"\u{20}", "\u{2028}", "\u{2029}":
            let digits = String(scalar.value, radix: 16)
            result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result + "\""
}
