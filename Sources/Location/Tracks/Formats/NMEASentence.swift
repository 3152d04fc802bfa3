/// The fields of one NMEA 0183 sentence, by where its commas are.
///
/// It holds offsets only: each method is given the text it was made from.
struct NMEASentence {
    /// Which sentence it is, by the three letters after the talker.
    enum Kind: Int {
        case rmc
        case gga
        case gns
        case gll
        case vtg
        case zda
        case gsa
        case gst
        case gbs
        case other

        /// Whether it tells nothing of when it was said.
        var isTimeless: Bool { self == .vtg || self == .gsa }

        /// The field of its time.
        var timeField: Int { self == .gll ? 5 : 1 }
    }

    /// What a coordinate measures.
    enum Axis {
        case latitude
        case longitude

        /// Its name and how it is written.
        var format: String {
            switch self {
            case .latitude: "latitude, ddmm.mmmm"
            case .longitude: "longitude, dddmm.mmmm"
            }
        }

        /// The letters of its hemispheres.
        var letters: String {
            switch self {
            case .latitude: "N or S"
            case .longitude: "E or W"
            }
        }
    }

    /// A coordinate, or why there is none.
    enum Coordinate {
        case degrees(Double)
        case none
        case wrongHemisphere
    }

    /// Whether the sum at its end is right.
    enum Checksum {
        case right
        case wrong
        case missing
    }

    private static let mostFields = 32

    let kind: Kind
    private let start: Int
    /// Distances from the dollar, which no line is too long for; small, because it is copied often.
    private var commas = InlineArray<32, UInt16>(repeating: 0)
    /// How many fields it has after its address, at most 32.
    private(set) var count = 0
    private let end: Int
    private(set) var checksum = Checksum.missing

    /// Where the next sentence may begin.
    let next: Int

    /// Reads the sentence whose `$` is at `dollar`.
    init(_ text: Span<UInt8>, dollar: Int) {
        start = dollar
        kind = NMEASentence.kind(text, dollar)
        guard kind != .other else {
            end = dollar + 1
            next = dollar + 1
            return
        }
        var index = dollar + 1
        var sum: UInt8 = 0
        // The sum without the blanks at the end, which some writers put in after summing up.
        var plainSum: UInt8 = 0
        var fill: Int?
        while index < text.count {
            let byte = text[index]
            // Most bytes are beyond the comma, which no byte of a meaning of its own is.
            if byte > UInt8(ascii: ","), fill == nil {
                sum ^= byte
                plainSum = sum
                index += 1
                continue
            }
            // The star ends the sentence; another dollar means that it was cut off by the next.
            if byte == UInt8(ascii: "*") || byte == UInt8(ascii: "$") { break }
            if byte == 0 {
                fill = fill ?? index
            } else if byte < 0x20 || (fill != nil && byte != 0x20) {
                break
            }
            sum ^= byte
            if byte != 0x20 { plainSum = sum }
            if byte == UInt8(ascii: ","), count < NMEASentence.mostFields {
                commas[count] = UInt16(index - dollar)
                count += 1
            }
            index += 1
        }
        end = fill ?? index
        if index + 2 < text.count, text[index] == UInt8(ascii: "*") {
            if let high = hexadecimal(text[index + 1]), let low = hexadecimal(text[index + 2]) {
                let said = high << 4 | low
                checksum = said == sum || said == plainSum ? .right : .wrong
                index += 3
            } else {
                // What follows may be the next sentence.
                checksum = .wrong
                index += 1
            }
        }
        next = index
    }

    /// Where a field is: number 0 is the address, the first after it 1; empty where there is none.
    func field(_ text: Span<UInt8>, _ number: Int) -> Range<Int> {
        guard number > 0, number <= count else { return end..<end }
        let first = comma(number - 1) + 1
        let last = number < count ? comma(number) : end
        return Decimal.trimmed(text, first..<last)
    }

    /// The column of a field, for messages.
    func column(_ number: Int) -> Int {
        number > 0 && number <= count ? comma(number - 1) + 2 : start + 1
    }

    private func comma(_ index: Int) -> Int { start + Int(commas[index]) }

    /// The number in a field.
    func number(_ text: Span<UInt8>, _ number: Int) -> Double? {
        Decimal.parse(text, field(text, number))
    }

    /// The first letter of a field in upper case, 0 where it is empty.
    func letter(_ text: Span<UInt8>, _ number: Int) -> UInt8 {
        let range = field(text, number)
        guard !range.isEmpty else { return 0 }
        let byte = text[range.lowerBound]
        return byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") ? byte - 0x20 : byte
    }

    /// Whether every letter of a field is `letter`.
    func isAll(_ text: Span<UInt8>, _ letter: UInt8, _ number: Int) -> Bool {
        for index in field(text, number) where text[index] != letter { return false }
        return true
    }

    /// A field as it stands.
    func quoted(_ text: Span<UInt8>, _ number: Int) -> String {
        quote(text.extracting(field(text, number)))
    }

    /// Milliseconds since midnight from `hhmmss` and a fraction in the field of its time.
    func timeOfDay(_ text: Span<UInt8>) -> Int64? {
        let range = field(text, kind.timeField)
        guard range.count >= 6 else { return nil }
        let first = range.lowerBound
        guard let hour = twoDigits(text, first), let minute = twoDigits(text, first + 2),
            let second = twoDigits(text, first + 4)
        else { return nil }
        var milliseconds = 0
        var weight = 100
        var index = first + 6
        if index < range.upperBound {
            guard text[index] == UInt8(ascii: ".") else { return nil }
            index += 1
            while index < range.upperBound {
                let digit = text[index] &- UInt8(ascii: "0")
                guard digit < 10 else { return nil }
                milliseconds += Int(digit) * weight
                weight /= 10
                index += 1
            }
        }
        guard hour < 24 else { return nil }
        return TimestampParser.clock(
            hour: hour,
            minute: minute,
            second: second,
            millisecond: milliseconds
        )
    }

    /// The day from `ddmmyy`, years 1980 to 2079.
    func date(_ text: Span<UInt8>, _ number: Int) -> CivilDate? {
        let range = field(text, number)
        guard range.count == 6, let day = twoDigits(text, range.lowerBound),
            let month = twoDigits(text, range.lowerBound + 2),
            let year = twoDigits(text, range.lowerBound + 4)
        else { return nil }
        return CivilDate(year: year < 80 ? 2000 + year : 1900 + year, month: month, day: day)
    }

    /// Degrees from `dddmm.mmmm` in a field and the hemisphere's letter in the next.
    ///
    /// The two digits before the point are the minutes, so that leading zeros may be missing. The
    /// letter may be missing in the north and the east.
    func degrees(_ text: Span<UInt8>, _ number: Int, _ axis: Axis) -> Coordinate {
        guard let degrees = unsignedDegrees(text, number) else { return .none }
        let hemisphere = field(text, number + 1)
        if hemisphere.isEmpty { return .degrees(degrees) }
        guard hemisphere.count == 1 else { return .wrongHemisphere }
        switch (text[hemisphere.lowerBound] & 0xDF, axis) {
        case (UInt8(ascii: "N"), .latitude), (UInt8(ascii: "E"), .longitude):
            return .degrees(degrees)
        case (UInt8(ascii: "S"), .latitude), (UInt8(ascii: "W"), .longitude):
            return .degrees(-degrees)
        default: return .wrongHemisphere
        }
    }

    /// Degrees of a field without regard to the hemisphere's letter.
    private func unsignedDegrees(_ text: Span<UInt8>, _ number: Int) -> Double? {
        var range = field(text, number)
        var isNegative = false
        if !range.isEmpty, text[range.lowerBound] == UInt8(ascii: "-") {
            isNegative = true
            range = range.lowerBound + 1..<range.upperBound
        }
        guard !range.isEmpty else { return nil }
        var whole = 0
        var fraction = 0
        var denominator = 1
        var hasPoint = false
        for index in range {
            let digit = text[index] &- UInt8(ascii: "0")
            if digit < 10 {
                if !hasPoint {
                    guard whole < 100_000 else { return nil }
                    whole = whole * 10 + Int(digit)
                } else if denominator < 10_000_000_000_000 {
                    fraction = fraction * 10 + Int(digit)
                    denominator *= 10
                }
            } else {
                guard text[index] == UInt8(ascii: "."), !hasPoint else { return nil }
                hasPoint = true
            }
        }
        let minutes = Double(whole % 100) + Double(fraction) / Double(denominator)
        guard minutes < 60 else { return nil }
        let degrees = Double(whole / 100) + minutes / 60
        return isNegative ? -degrees : degrees
    }

    private func twoDigits(_ text: Span<UInt8>, _ index: Int) -> Int? {
        let tens = text[index] &- UInt8(ascii: "0")
        let units = text[index + 1] &- UInt8(ascii: "0")
        return tens < 10 && units < 10 ? Int(tens) * 10 + Int(units) : nil
    }

    /// Whether a sentence stands somewhere in some bytes.
    static func occurs(in bytes: Span<UInt8>) -> Bool {
        var index = 0
        while let dollar = bytes.firstIndex(of: UInt8(ascii: "$"), from: index) {
            if begins(bytes, dollar) { return true }
            index = dollar + 1
        }
        return false
    }

    /// Whether a sentence begins with the `$` at `dollar`: five capitals and a comma follow, or the
    /// small letters of a sentence that is read.
    static func begins(_ bytes: Span<UInt8>, _ dollar: Int) -> Bool {
        guard dollar + 6 < bytes.count, bytes[dollar + 6] == UInt8(ascii: ",") else { return false }
        for index in dollar + 1...dollar + 5 where bytes[index] &- UInt8(ascii: "A") >= 26 {
            guard bytes[index] &- UInt8(ascii: "a") < 26 else { return false }
            return kind(bytes, dollar) != .other
        }
        return true
    }

    private static func kind(_ text: Span<UInt8>, _ dollar: Int) -> Kind {
        guard dollar + 6 < text.count, text[dollar + 6] == UInt8(ascii: ","),
            text[dollar + 1] & 0xDF != UInt8(ascii: "P")
        else { return .other }
        // Without the bit of small letters, in which some loggers write.
        let letters =
            (UInt32(text[dollar + 3]) << 16 | UInt32(text[dollar + 4]) << 8
                | UInt32(text[dollar + 5])) & 0xDF_DFDF
        return switch letters {
        case 0x52_4D43: .rmc
        case 0x47_4741: .gga
        case 0x47_4E53: .gns
        case 0x47_4C4C: .gll
        case 0x56_5447: .vtg
        case 0x5A_4441: .zda
        case 0x47_5341: .gsa
        case 0x47_5354: .gst
        case 0x47_4253: .gbs
        default: .other
        }
    }
}
