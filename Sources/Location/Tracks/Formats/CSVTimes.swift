/// Reads the times of a CSV file's rows, from one cell or from a date and a clock.
///
/// What a number means is told by the first that comes, so that the numbers of one column are all
/// read alike.
struct CSVTimes {
    /// What the cells of a row say.
    enum Reading {
        /// Nothing: they are empty.
        case none
        case time(Timestamp, assumedZone: Bool)
        /// What the cell of the date, or else that of the time, is not.
        case fault(isDate: Bool, String)
    }

    private enum Numbers: Int {
        case undecided
        /// Counts since 1970.
        case epochs
        /// A spreadsheet's days since 1899-12-30.
        case days
    }

    private enum Clocks: Int {
        case undecided
        /// `hhmm`, leading zeros may be missing.
        case minutes
        /// `hhmmss`, leading zeros may be missing.
        case seconds
        /// Fractions of a day.
        case fractions
    }

    private let parser: TimestampParser
    /// Of counts, in which part of a second they are, where the header says it.
    private let scale: Int?
    private let hasDecimalComma: Bool
    private var numbers = Numbers.undecided
    private var clocks = Clocks.undecided
    private var hasSerialDates = false

    /// Whether times are a spreadsheet's days.
    var countsDays: Bool { numbers == .days || hasSerialDates }

    /// A number for what is decided about the cells that follow.
    var decisions: Int { numbers.rawValue << 3 | clocks.rawValue << 1 | (hasSerialDates ? 1 : 0) }

    init(_ parser: TimestampParser, scale: Int?, hasDecimalComma: Bool) {
        self.parser = parser
        self.scale = scale
        self.hasDecimalComma = hasDecimalComma
    }

    /// Numbers are a spreadsheet's days.
    mutating func countDays() { numbers = .days }

    /// What a cell of a time may be.
    func kind(_ text: Span<UInt8>, _ cell: Range<Int>) -> CSVFirstRows.Time {
        guard !cell.isEmpty else { return .empty }
        guard let number = DigitString(text, cell, hasDecimalComma: hasDecimalComma),
            let days = number.days, CSVTimes.serialDays.contains(days)
        else { return .other }
        return number.hasFraction ? .dayWithFraction : .wholeDay
    }

    /// The time that two cells say, one of which may be empty.
    mutating func read(_ text: Span<UInt8>, date: Range<Int>, time: Range<Int>) -> Reading {
        if time.isEmpty { return date.isEmpty ? .none : single(text, date, isDate: true) }
        if date.isEmpty || scale != nil { return single(text, time, isDate: false) }
        if let clock = clock(text, time) { return both(text, date, clock) }
        // A full time needs no date.
        return single(text, time, isDate: false, beside: true)
    }

    // MARK: One cell

    private mutating func single(
        _ text: Span<UInt8>,
        _ cell: Range<Int>,
        isDate: Bool,
        beside: Bool = false
    ) -> Reading {
        var outcome = TimestampParser.Outcome.invalid
        if let number = DigitString(text, cell, hasDecimalComma: hasDecimalComma) {
            // Beside a date, so few digits are neither a clock nor a full time.
            if !beside || number.digits > 8 { outcome = self.number(number, text, cell) }
        } else {
            outcome = parser.parse(text, cell)
            if outcome == .invalid, let spelled = SpelledTime.numeric(text, cell) {
                outcome = parser.parse(spelled.span, 0..<spelled.count)
            }
            if outcome == .invalid, Decimal.parse(text, cell) != nil {
                outcome = exponential(text, cell)
            }
        }
        if case .time(let time, let assumedZone) = outcome {
            return .time(time, assumedZone: assumedZone)
        }
        let found = text.extracting(cell)
        if beside {
            return .fault(isDate: false, "no time of day, hh:mm:ss was expected; not used")
        }
        if found.isClock, !isDate {
            return .fault(isDate: false, "a time without a date and not used")
        }
        let kind = isDate ? "date" : "date and time"
        return .fault(isDate: isDate, "no \(kind), \(CSVTimes.expectation(found, isDate: isDate))")
    }

    private mutating func number(
        _ number: DigitString,
        _ text: Span<UInt8>,
        _ cell: Range<Int>
    ) -> TimestampParser.Outcome {
        if let scale {
            return parser.checked(number.milliseconds(scale: scale), assumedZone: false)
        }
        if numbers == .undecided, number.hasFraction, let days = number.days {
            numbers = CSVTimes.serialDays.contains(days) ? .days : .epochs
        }
        if numbers == .days, let milliseconds = number.serialMilliseconds {
            return parser.local(milliseconds)
        }
        // Four digits are a year, eight a date without hyphens, fourteen one with a clock.
        if !number.hasFraction, !number.isNegative, number.digits == 4 || number.digits == 8,
            numbers != .epochs
        {
            return parser.parse(text, cell)
        }
        if number.digits == 14, let milliseconds = number.compactMilliseconds {
            return parser.local(milliseconds)
        }
        numbers = .epochs
        guard number.hasFraction, hasDecimalComma else { return parser.parseEpoch(text, cell) }
        var bytes: [UInt8] = []
        for index in cell { bytes.append(text[index] == UInt8(ascii: ",") ? 0x2E : text[index]) }
        return parser.parseEpoch(bytes.span, 0..<bytes.count)
    }

    private func exponential(
        _ text: Span<UInt8>,
        _ cell: Range<Int>
    ) -> TimestampParser.Outcome {
        guard let scale else { return parser.parseEpoch(text, cell) }
        guard var value = Decimal.parse(text, cell) else { return .invalid }
        value *= 1000
        for _ in 0..<scale { value /= 10 }
        guard value.magnitude < 9e15 else { return .invalid }
        return parser.checked(Int64(value.rounded()), assumedZone: false)
    }

    // MARK: A date and a clock

    /// Days since 1899-12-30 from the year 2000 to 2099.
    private static let serialDays: ClosedRange<Int64> = 36_526...73_050

    private mutating func both(
        _ text: Span<UInt8>,
        _ date: Range<Int>,
        _ clock: [UInt8]
    ) -> Reading {
        guard let day = day(text, date) else {
            if let repeated = repeated(text, date, clock) { return repeated }
            let found = text.extracting(date)
            return .fault(isDate: true, "no date, \(CSVTimes.expectation(found))")
        }
        let whole = day + [0x20] + clock
        if case .time(let time, let zone) = parser.parse(whole.span, 0..<whole.count) {
            return .time(time, assumedZone: zone)
        }
        if parser.parse(day.span, 0..<day.count) == .invalid {
            let found = text.extracting(date)
            return .fault(isDate: true, "no date, \(CSVTimes.expectation(found))")
        }
        return .fault(isDate: false, "no time of day, hh:mm:ss was expected; not used")
    }

    /// The time that the cell of the date says alone, where it has the same clock as the other.
    private func repeated(_ text: Span<UInt8>, _ date: Range<Int>, _ clock: [UInt8]) -> Reading? {
        guard date.dropFirst(11).prefix(clock.count).elementsEqual(clock, by: { text[$0] == $1 }),
            case .time(let time, let assumedZone) = parser.parse(text, date)
        else { return nil }
        return .time(time, assumedZone: assumedZone)
    }

    /// A date as `yyyy-mm-dd`; nil where it is none.
    private mutating func day(_ text: Span<UInt8>, _ cell: Range<Int>) -> [UInt8]? {
        if let number = DigitString(text, cell, hasDecimalComma: hasDecimalComma) {
            guard !number.hasFraction, !number.isNegative else { return nil }
            if number.digits == 8 {
                let bytes = cell.map { text[$0] }
                return Array(bytes[..<4]) + [0x2D] + bytes[4..<6] + [0x2D] + bytes[6...]
            }
            guard clocks == .fractions, let days = number.days, CSVTimes.serialDays.contains(days),
                let date = CivilDate(daysSince1970: Int(days - DigitString.daysTo1970))
            else { return nil }
            hasSerialDates = true
            return CSVTimes.bytes(date)
        }
        if let spelled = SpelledTime.numeric(text, cell), spelled.count == 10 { return spelled }
        guard cell.count >= 10 else { return nil }
        // Databases write the midnight of a day for the day.
        for index in cell.dropFirst(10) {
            let byte = text[index]
            guard byte == UInt8(ascii: "0") || ":.,TZ ".utf8.contains(byte) else { return nil }
        }
        return cell.prefix(10).map { text[$0] }
    }

    /// A clock as `hh:mm:ss`, with what may follow; nil where it is a full time.
    private mutating func clock(_ text: Span<UInt8>, _ cell: Range<Int>) -> [UInt8]? {
        guard let number = DigitString(text, cell, hasDecimalComma: hasDecimalComma) else {
            if case .time = parser.parse(text, cell) { return nil }
            if SpelledTime.numeric(text, cell) != nil { return nil }
            let bytes = cell.map { text[$0] }
            // Some leave out the zero before an hour of one digit.
            return bytes.count > 1 && bytes[1] == UInt8(ascii: ":") ? [0x30] + bytes : bytes
        }
        guard !number.isNegative, number.digits <= 6 else { return nil }
        if clocks == .undecided || clocks == .minutes { decideClocks(number) }
        switch clocks {
        case .fractions: return number.clockOfDay
        case .minutes where number.digits <= 4: return number.clock(hasSeconds: false)
        case .seconds: return number.clock(hasSeconds: true)
        default: return nil
        }
    }

    private mutating func decideClocks(_ number: DigitString) {
        switch number.digits {
        case 5, 6: clocks = .seconds
        case 3,
            4 where !number.hasFraction:
            clocks = .minutes
        case 1 where number.hasFraction && clocks == .undecided: clocks = .fractions
        default: break
        }
    }

    private static func bytes(_ date: CivilDate) -> [UInt8] {
        let time = Timestamp(milliseconds: Int64(date.daysSince1970) * 86_400_000)
        return Array(time.description.utf8.prefix(10))
    }

    /// What was expected in place of a date.
    private static func expectation(_ found: Span<UInt8>, isDate: Bool = true) -> String {
        let expected = "year-month-day\(isDate ? "" : " hh:mm:ss") was expected"
        guard found.isDayAndMonth else { return expected + "; not used" }
        return expected + ", because day and month cannot be told apart; not used"
    }
}

extension Span<UInt8> {
    /// Whether it begins as a time of day does, `h:` or `hh:`.
    fileprivate var isClock: Bool {
        guard let colon = firstIndex(of: UInt8(ascii: ":"), from: 0) else { return false }
        return colon == 1 || colon == 2
    }

    /// Whether it begins with two numbers of which either may be the month: `1/2/`, `01.02.`.
    fileprivate var isDayAndMonth: Bool {
        var index = 0
        for _ in 0..<2 {
            let start = index
            while index < count, self[index] &- UInt8(ascii: "0") < 10 { index += 1 }
            guard index - start == 1 || index - start == 2, index < count,
                "/.-".utf8.contains(self[index])
            else { return false }
            index += 1
        }
        return true
    }
}
