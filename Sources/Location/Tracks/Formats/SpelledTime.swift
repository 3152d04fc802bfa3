/// Dates with an English name of the month, which tells day and month apart.
enum SpelledTime {
    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september",
        "october", "november", "december",
    ]
    private static let weekdays = [
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]
    /// Nothing longer is a time.
    private static let longest = 48
    /// Years of two digits are those from 1980 to 2079, as in NMEA.
    private static let pivot = 80

    /// The same time as `yyyy-mm-dd hh:mm:ss` and its zone.
    ///
    /// Read are `01-Mar-2026 12:00:00.123`, `1-Mar-26`, `2026-Mar-01`, `1 Mar 2026 12:00:00`,
    /// `March 1, 2026 12:00:00 PM`, with or without a clock, `Sun, 01 Mar 2026 12:00:00 GMT` and,
    /// as Java and C write it, `Sun Mar 01 12:00:00 GMT+01:00 2026`; nil for all else.
    static func numeric(_ text: Span<UInt8>, _ cell: Range<Int>) -> [UInt8]? {
        guard cell.count <= longest, cell.count >= 8 else { return nil }
        var bytes: [UInt8] = []
        for index in cell { bytes.append(text[index]) }
        guard bytes.contains(where: { $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A }) else { return nil }
        var words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
            .map { $0.hasSuffix(",") ? String($0.dropLast()) : String($0) }
        if let first = words.first, index(of: first, in: weekdays) != nil { words.removeFirst() }
        guard let first = words.first else { return nil }
        if first.contains("-") {
            let date = first.split(separator: "-").map(String.init)
            guard date.count == 3, let month = index(of: date[1], in: months) else { return nil }
            let rest = words[1...]
            return date[0].utf8.count == 4
                ? joined(date[0], month, date[2], rest) : joined(date[2], month, date[0], rest)
        }
        guard words.count >= 3 else { return nil }
        guard let month = index(of: first, in: months) else {
            return index(of: words[1], in: months).flatMap {
                joined(words[2], $0, words[0], words[3...])
            }
        }
        if words[2].contains(":") {
            // The year stands last, behind the zone.
            let year = words.removeLast()
            return joined(year, month, words[1], words[2...])
        }
        return joined(words[2], month, words[1], words[3...])
    }

    /// The place of a name, which may be cut short to three letters and more, counted from 1.
    private static func index(of word: String, in names: [String]) -> Int? {
        let word = (word.hasSuffix(".") ? String(word.dropLast()) : word).lowercased()
        guard word.utf8.count >= 3 else { return nil }
        return names.firstIndex { $0.hasPrefix(word) }.map { $0 + 1 }
    }

    private static func joined(
        _ year: String,
        _ month: Int,
        _ day: String,
        _ clock: ArraySlice<String>
    ) -> [UInt8]? {
        guard let year = fullYear(year), 1...2 ~= day.utf8.count else { return nil }
        let month = month < 10 ? "0\(month)" : "\(month)"
        let day = day.utf8.count == 1 ? "0\(day)" : day
        let words = ["\(year)-\(month)-\(day)"] + clock.filter { $0 != "at" }
        return Array(words.joined(separator: " ").utf8)
    }

    private static func fullYear(_ year: String) -> String? {
        if year.utf8.count == 4 { return year }
        guard year.utf8.count == 2, let number = Int(year), number >= 0 else { return nil }
        return (number < pivot ? "20" : "19") + year
    }
}
