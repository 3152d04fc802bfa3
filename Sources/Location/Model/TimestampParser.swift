/// Times in bytes: RFC 3339, ISO 8601 as it is met, xsd:dateTime with partial dates, and epochs.
///
/// Digits beyond milliseconds are cut off, as is usual for clocks; a leap second counts as the last
/// millisecond before it; 24:00:00 is the next day's midnight. A date that the calendar does not
/// have is no time: nothing rolls over.
struct TimestampParser: Equatable {
    /// What `parse` found.
    enum Outcome: Equatable {
        /// A time; `assumedZone` says that neither the text nor anybody else named its zone.
        case time(Timestamp, assumedZone: Bool)
        /// Not a time.
        case invalid
    }

    /// The zone of times that name none; nil where that is not known, and UTC assumed.
    var timeZone: TrackTimeZone?

    /// The time that a part of `text` is, white space around it ignored.
    func parse(_ text: Span<UInt8>, _ range: Range<Int>) -> Outcome {
        let range = Decimal.trimmed(text, range)
        var cursor = Cursor(index: range.lowerBound, end: range.upperBound)
        guard let year = cursor.number(text, width: 4) else { return .invalid }
        if cursor.isAtEnd { return time(year, 1, 1) }
        // Spreadsheets and gpsbabel's universal CSV write slashes.
        let separator =
            cursor.index < cursor.end && text[cursor.index] == UInt8(ascii: "/")
            ? UInt8(ascii: "/") : UInt8(ascii: "-")
        guard cursor.skip(text, separator) else {
            return parseCompact(text, range)
        }
        guard let month = cursor.number(text, width: 2) else { return .invalid }
        if cursor.isAtEnd { return time(year, month, 1) }
        guard cursor.skip(text, separator), let day = cursor.number(text, width: 2)
        else { return .invalid }
        if cursor.isAtEnd { return time(year, month, day) }
        if let zone = parseZone(text, &cursor), cursor.isAtEnd {
            return time(year, month, day, clock: 0, zone: zone)
        }
        guard skipDateTimeSeparator(text, &cursor) else { return .invalid }
        guard let date = CivilDate(year: year, month: month, day: day) else { return .invalid }
        return parseClock(text, &cursor, date, hasColons: true)
    }

    /// The time that a part of `text` is, or the count since 1970 where it has so many digits that
    /// it is no date.
    func parseTimeOrEpoch(_ text: Span<UInt8>, _ range: Range<Int>) -> Outcome {
        let outcome = parse(text, range)
        guard outcome == .invalid else { return outcome }
        let range = Decimal.trimmed(text, range)
        return TimestampParser.isCount(text, range) ? parseEpoch(text, range) : .invalid
    }

    /// Whether a part of `text` is a number with so many digits before its point that it can be no
    /// date: a count since 1970.
    private static func isCount(_ text: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var index = range.lowerBound
        if index < range.upperBound, text[index] == UInt8(ascii: "-") { index += 1 }
        let firstDigit = index
        while index < range.upperBound, text[index] &- UInt8(ascii: "0") < 10 { index += 1 }
        guard index - firstDigit >= 9 else { return false }
        guard index < range.upperBound else { return true }
        guard text[index] == UInt8(ascii: "."), index + 1 < range.upperBound else { return false }
        for index in index + 1..<range.upperBound where text[index] &- UInt8(ascii: "0") >= 10 {
            return false
        }
        return true
    }

    /// The time so many seconds, milliseconds, microseconds or nanoseconds after 1970, which of
    /// them by magnitude: 100,000,000,000 seconds is the year 5138.
    func parseEpoch(_ text: Span<UInt8>, _ range: Range<Int>) -> Outcome {
        let range = Decimal.trimmed(text, range)
        var index = range.lowerBound
        var isNegative = false
        if index < range.upperBound, text[index] == UInt8(ascii: "-") {
            isNegative = true
            index += 1
        }
        var whole: Int64 = 0
        let firstDigit = index
        while index < range.upperBound, text[index] &- UInt8(ascii: "0") < 10 {
            guard whole <= (Int64.max - 9) / 10 else { return .invalid }
            whole = whole * 10 + Int64(text[index] &- UInt8(ascii: "0"))
            index += 1
        }
        guard index > firstDigit else { return .invalid }
        var thousandths: Int64 = 0
        if index < range.upperBound {
            guard text[index] == UInt8(ascii: ".") else { return parseExponential(text, range) }
            var weight: Int64 = 100
            index += 1
            guard index < range.upperBound else { return .invalid }
            while index < range.upperBound {
                let digit = text[index] &- UInt8(ascii: "0")
                guard digit < 10 else { return parseExponential(text, range) }
                thousandths += Int64(digit) * weight
                weight /= 10
                index += 1
            }
        }
        let milliseconds: Int64 =
            switch whole {
            case ..<100_000_000_000: whole * 1000 + thousandths
            case ..<100_000_000_000_000: whole
            case ..<100_000_000_000_000_000: whole / 1000
            default: whole / 1_000_000
            }
        return checked(isNegative ? -milliseconds : milliseconds, assumedZone: false)
    }

    /// The same of a number with an exponent, as some writers make of large ones.
    private func parseExponential(_ text: Span<UInt8>, _ range: Range<Int>) -> Outcome {
        guard let number = Decimal.parse(text, range), number.magnitude < 9e18
        else { return .invalid }
        let milliseconds =
            switch number.magnitude {
            case ..<1e11: number * 1000
            case ..<1e14: number
            case ..<1e17: number / 1000
            default: number / 1_000_000
            }
        return checked(Int64(milliseconds.rounded()), assumedZone: false)
    }

    /// `YYYYMMDD` and `YYYYMMDDThhmmss`, the forms of ISO 8601 without separators.
    private func parseCompact(_ text: Span<UInt8>, _ range: Range<Int>) -> Outcome {
        var cursor = Cursor(index: range.lowerBound, end: range.upperBound)
        guard let year = cursor.number(text, width: 4),
            let month = cursor.number(text, width: 2),
            let day = cursor.number(text, width: 2)
        else { return .invalid }
        if cursor.isAtEnd { return time(year, month, day) }
        guard skipDateTimeSeparator(text, &cursor),
            let date = CivilDate(year: year, month: month, day: day)
        else { return .invalid }
        return parseClock(text, &cursor, date, hasColons: false)
    }

    private func parseClock(
        _ text: Span<UInt8>,
        _ cursor: inout Cursor,
        _ date: CivilDate,
        hasColons: Bool
    ) -> Outcome {
        // Only clocks of twelve hours leave out the zero before an hour.
        let isShort = hasColons && cursor.isFollowed(text, by: UInt8(ascii: ":"), after: 1)
        guard var hour = cursor.number(text, width: isShort ? 1 : 2),
            !hasColons || cursor.skip(text, UInt8(ascii: ":")),
            let minute = cursor.number(text, width: 2)
        else { return .invalid }
        var second = 0
        var millisecond = 0
        let hasSeconds =
            hasColons
            ? cursor.skip(text, UInt8(ascii: ":"))
            : cursor.index < cursor.end && text[cursor.index] &- UInt8(ascii: "0") < 10
        if hasSeconds {
            guard let number = cursor.number(text, width: 2) else { return .invalid }
            second = number
            if cursor.skip(text, UInt8(ascii: ".")) || cursor.skip(text, UInt8(ascii: ",")) {
                guard let fraction = cursor.fraction(text) else { return .invalid }
                millisecond = fraction
            }
        }
        while cursor.skip(text, UInt8(ascii: " ")) {}
        if let isAfternoon = cursor.half(text) {
            guard 1...12 ~= hour else { return .invalid }
            hour = hour % 12 + (isAfternoon ? 12 : 0)
        } else if isShort {
            return .invalid
        }
        guard
            let clock = TimestampParser.clock(
                hour: hour,
                minute: minute,
                second: second,
                millisecond: millisecond
            )
        else { return .invalid }
        while cursor.skip(text, UInt8(ascii: " ")) {}
        guard let zone = parseZone(text, &cursor), cursor.isAtEnd else { return .invalid }
        return time(date, clock: clock, zone: zone)
    }

    /// Milliseconds since midnight, or nil for a time that no clock shows.
    static func clock(hour: Int, minute: Int, second: Int, millisecond: Int) -> Int64? {
        guard minute < 60, second <= 60 else { return nil }
        if hour == 24 {
            return minute == 0 && second == 0 && millisecond == 0 ? 86_400_000 : nil
        }
        guard hour < 24 else { return nil }
        let whole = Int64(hour * 3600 + minute * 60 + min(second, 59)) * 1000
        return whole + (second == 60 ? 999 : Int64(millisecond))
    }

    private enum Zone {
        case none
        case offset(seconds: Int)
    }

    /// The zone at the cursor: none at the end of the text, nil where there is something else.
    private func parseZone(_ text: Span<UInt8>, _ cursor: inout Cursor) -> Zone? {
        if cursor.isAtEnd { return Zone.none }
        if cursor.skip(text, UInt8(ascii: "Z")) || cursor.skip(text, UInt8(ascii: "z")) {
            return .offset(seconds: 0)
        }
        if cursor.skip(text, word: "UTC") || cursor.skip(text, word: "GMT"), cursor.isAtEnd {
            return .offset(seconds: 0)
        }
        let sign: Int
        if cursor.skip(text, UInt8(ascii: "+")) {
            sign = 1
        } else if cursor.skip(text, UInt8(ascii: "-")) {
            sign = -1
        } else {
            return nil
        }
        guard let hours = cursor.number(text, width: 2), hours <= 18 else { return nil }
        var minutes = 0
        if !cursor.isAtEnd {
            _ = cursor.skip(text, UInt8(ascii: ":"))
            guard let number = cursor.number(text, width: 2), number < 60 else { return nil }
            minutes = number
        }
        return .offset(seconds: sign * (hours * 3600 + minutes * 60))
    }

    private func skipDateTimeSeparator(_ text: Span<UInt8>, _ cursor: inout Cursor) -> Bool {
        if cursor.skip(text, UInt8(ascii: "T")) || cursor.skip(text, UInt8(ascii: "t")) {
            return true
        }
        guard cursor.skip(text, UInt8(ascii: " ")) else { return false }
        while cursor.skip(text, UInt8(ascii: " ")) {}
        return true
    }

    private func time(
        _ year: Int,
        _ month: Int,
        _ day: Int,
        clock: Int64 = 0,
        zone: Zone = .none
    ) -> Outcome {
        guard let date = CivilDate(year: year, month: month, day: day) else { return .invalid }
        return time(date, clock: clock, zone: zone)
    }

    private func time(_ date: CivilDate, clock: Int64, zone: Zone) -> Outcome {
        let local = Int64(date.daysSince1970) * 86_400_000 + clock
        switch zone {
        case .offset(let seconds):
            return checked(local - Int64(seconds) * 1000, assumedZone: false)
        case .none:
            return checked(utc(local), assumedZone: timeZone == nil)
        }
    }

    /// The UTC time at which a clock in the assumed zone shows `local` milliseconds since 1970.
    func utc(_ local: Int64) -> Int64 {
        guard let timeZone, timeZone != .utc else { return local }
        let (seconds, rest) = local.dividedRoundingDown(by: 1000)
        return timeZone.utcSeconds(local: seconds) * 1000 + rest
    }

    /// A time on a clock in the assumed zone, in milliseconds since 1970.
    func local(_ milliseconds: Int64) -> Outcome {
        checked(utc(milliseconds), assumedZone: timeZone == nil)
    }

    /// A time in milliseconds since 1970, where the calendar has it.
    func checked(_ milliseconds: Int64, assumedZone: Bool) -> Outcome {
        let time = Timestamp(milliseconds: milliseconds)
        guard time >= .earliest, time <= .latest else { return .invalid }
        return .time(time, assumedZone: assumedZone)
    }
}

/// A place in a text that digits are read from.
private struct Cursor {
    var index: Int
    let end: Int

    var isAtEnd: Bool { index == end }

    mutating func skip(_ text: Span<UInt8>, _ byte: UInt8) -> Bool {
        guard index < end, text[index] == byte else { return false }
        index += 1
        return true
    }

    /// Skips a word of capitals, which may be written small.
    mutating func skip(_ text: Span<UInt8>, word: String) -> Bool {
        // Nearly always another letter stands here, which is told at a look.
        guard end - index >= word.utf8.count, text[index] & 0xDF == word.utf8.first else {
            return false
        }
        for (offset, letter) in word.utf8.enumerated() where text[index + offset] & 0xDF != letter {
            return false
        }
        index += word.utf8.count
        return true
    }

    /// Whether a byte stands so many bytes further on.
    func isFollowed(_ text: Span<UInt8>, by byte: UInt8, after offset: Int) -> Bool {
        index + offset < end && text[index + offset] == byte
    }

    /// Skips `AM` or `PM`: whether it is the afternoon; nil where there is neither.
    mutating func half(_ text: Span<UInt8>) -> Bool? {
        if skip(text, word: "PM") { return true }
        return skip(text, word: "AM") ? false : nil
    }

    /// A number of exactly `width` digits; nil, and nothing is read, where there are fewer.
    mutating func number(_ text: Span<UInt8>, width: Int) -> Int? {
        guard end - index >= width else { return nil }
        var number = 0
        for offset in 0..<width {
            let digit = text[index + offset] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            number = number * 10 + Int(digit)
        }
        index += width
        return number
    }

    /// One or more digits after the decimal point, in whole thousandths.
    mutating func fraction(_ text: Span<UInt8>) -> Int? {
        let start = index
        var thousandths = 0
        var weight = 100
        while index < end {
            let digit = text[index] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            thousandths += Int(digit) * weight
            weight /= 10
            index += 1
        }
        return index > start ? thousandths : nil
    }
}
