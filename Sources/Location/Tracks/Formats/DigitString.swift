/// A decimal number in a cell of times, kept in digits, so that nothing is rounded.
struct DigitString {
    /// Days from 1899-12-30, of which spreadsheets count, to 1970-01-01.
    static let daysTo1970: Int64 = 25_569
    private static let day: Int64 = 86_400_000
    /// Of a fraction of a day no more digits are needed, and no more can be multiplied.
    private static let mostFractionDigits = 11

    let isNegative: Bool
    /// How many digits stand before the point.
    let digits: Int
    let hasFraction: Bool
    private let whole: Int64
    /// The fraction in units of 10 to the minus eleventh.
    private let fraction: Int64

    /// The number in a cell; nil where there is anything but digits.
    init?(_ text: Span<UInt8>, _ cell: Range<Int>, hasDecimalComma: Bool) {
        var index = cell.lowerBound
        isNegative = index < cell.upperBound && text[index] == UInt8(ascii: "-")
        if isNegative { index += 1 }
        let first = index
        var whole: Int64 = 0
        while index < cell.upperBound, text[index] &- UInt8(ascii: "0") < 10 {
            guard index - first < 18 + 1, whole <= (Int64.max - 9) / 10 else { return nil }
            whole = whole * 10 + Int64(text[index] &- UInt8(ascii: "0"))
            index += 1
        }
        self.whole = whole
        digits = index - first
        guard digits > 0 else { return nil }
        hasFraction = index < cell.upperBound
        var fraction: Int64 = 0
        if hasFraction {
            let isPoint =
                text[index] == UInt8(ascii: ".")
                || (hasDecimalComma && text[index] == UInt8(ascii: ","))
            guard isPoint, index + 1 < cell.upperBound else { return nil }
            var weight: Int64 = 10_000_000_000
            for index in index + 1..<cell.upperBound {
                let digit = text[index] &- UInt8(ascii: "0")
                guard digit < 10 else { return nil }
                fraction += Int64(digit) * weight
                weight /= 10
            }
        }
        self.fraction = fraction
    }

    /// The whole of it as a number of days, where there can be so many.
    var days: Int64? { !isNegative && digits <= 5 ? whole : nil }

    /// Milliseconds since 1970 of a spreadsheet's days, on the clock of its zone.
    var serialMilliseconds: Int64? {
        days.map { ($0 - DigitString.daysTo1970) * DigitString.day + fractionOfDay }
    }

    /// Milliseconds since 1970 of a count in parts of a second, 10 to that power.
    ///
    /// Digits beyond milliseconds are cut off.
    func milliseconds(scale: Int) -> Int64 {
        var milliseconds = whole
        if scale == 0 {
            // More seconds than these are beyond the year 9999, which is no time either.
            milliseconds = min(whole, 1_000_000_000_000) * 1000 + fraction / 100_000_000
        }
        for _ in 0..<max(0, scale - 3) { milliseconds /= 10 }
        return isNegative ? -milliseconds : milliseconds
    }

    /// Milliseconds since 1970 of `yyyymmddhhmmss`, on the clock of its zone; nil where it is not
    /// one of the years 1900 to 2100.
    var compactMilliseconds: Int64? {
        let (date, clock) = whole.quotientAndRemainder(dividingBy: 1_000_000)
        guard !isNegative, 1900_00_00...2100_12_31 ~= date,
            let day = CivilDate(
                year: Int(date / 10_000),
                month: Int(date / 100 % 100),
                day: Int(date % 100)
            ),
            let time = TimestampParser.clock(
                hour: Int(clock / 10_000),
                minute: Int(clock / 100 % 100),
                second: Int(clock % 100),
                millisecond: Int(fraction / 100_000_000)
            )
        else { return nil }
        return Int64(day.daysSince1970) * DigitString.day + time
    }

    /// `hh:mm:ss.fff` of a number `hhmmss` or `hhmm`.
    func clock(hasSeconds: Bool) -> [UInt8] {
        let number = hasSeconds ? whole : whole * 100
        return DigitString.clock(
            number / 10_000,
            number / 100 % 100,
            number % 100,
            fraction / 100_000_000
        )
    }

    /// `hh:mm:ss.fff` of a fraction of a day; nil for a day and more.
    var clockOfDay: [UInt8]? {
        guard whole == 0, fractionOfDay < DigitString.day else { return nil }
        let seconds = fractionOfDay / 1000
        return DigitString.clock(
            seconds / 3600,
            seconds / 60 % 60,
            seconds % 60,
            fractionOfDay % 1000
        )
    }

    private var fractionOfDay: Int64 {
        // The product has fewer than 19 digits, and so there is room for the half.
        (fraction * DigitString.day + 50_000_000_000) / 100_000_000_000
    }

    private static func clock(
        _ hour: Int64,
        _ minute: Int64,
        _ second: Int64,
        _ millisecond: Int64
    ) -> [UInt8] {
        func digits(_ number: Int64, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let text =
            "\(digits(hour, 2)):\(digits(minute, 2)):\(digits(second, 2)).\(digits(millisecond, 3))"
        return Array(text.utf8)
    }
}
