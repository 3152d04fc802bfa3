/// Dates with an English name of the month, which tells day and month apart.
enum SpelledTime {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    /// Nothing longer is a time.
    private static let longest = 40

    /// The same time as `yyyy-mm-dd hh:mm:ss` and its zone.
    ///
    /// Read are `01-Mar-2026 12:00:00.123`, `1 Mar 2026 12:00:00`, both without a clock too, and,
    /// as Java and C write it, `Sun Mar 01 12:00:00 GMT+01:00 2026`; nil for all else.
    static func numeric(_ text: Span<UInt8>, _ cell: Range<Int>) -> [UInt8]? {
        guard cell.count <= longest, cell.count >= 8 else { return nil }
        var bytes: [UInt8] = []
        for index in cell { bytes.append(text[index]) }
        guard bytes.contains(where: { $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A }) else { return nil }
        var words = String(decoding: bytes, as: UTF8.self).split(separator: " ").map(String.init)
        if words.count >= 5, let month = month(words[1]) {
            // The year stands last, behind the zone.
            let year = words.removeLast()
            let rest = words[3...].joined(separator: " ")
            return joined(year, month, words[2], rest)
        }
        if let first = words.first, first.contains("-") {
            let date = first.split(separator: "-").map(String.init)
            guard date.count == 3, let month = month(date[1]) else { return nil }
            return joined(date[2], month, date[0], words[1...].joined(separator: " "))
        }
        guard words.count >= 3, let month = month(words[1]) else { return nil }
        return joined(words[2], month, words[0], words[3...].joined(separator: " "))
    }

    private static func month(_ word: String) -> Int? {
        months.firstIndex(of: word.lowercased()).map { $0 + 1 }
    }

    private static func joined(
        _ year: String,
        _ month: Int,
        _ day: String,
        _ clock: String
    ) -> [UInt8]? {
        guard year.utf8.count == 4, 1...2 ~= day.utf8.count else { return nil }
        let month = month < 10 ? "0\(month)" : "\(month)"
        let day = day.utf8.count == 1 ? "0\(day)" : day
        return Array("\(year)-\(month)-\(day)\(clock.isEmpty ? "" : " ")\(clock)".utf8)
    }
}
