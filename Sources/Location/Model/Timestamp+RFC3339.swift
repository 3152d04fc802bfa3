extension Timestamp: CustomStringConvertible {
    /// The first moment that RFC 3339 can show with a year of four digits from 1.
    public static let earliest = Timestamp(milliseconds: -62_135_596_800_000)
    /// The last moment that RFC 3339 can show, in milliseconds.
    public static let latest = Timestamp(milliseconds: 253_402_300_799_999)

    /// RFC 3339 in UTC with three decimals and `Z`; a time outside the years 1 to 9999 is shown as
    /// the nearest inside them.
    public var description: String {
        let shown = min(max(self, Timestamp.earliest), Timestamp.latest).milliseconds
        let (days, rest) = shown.dividedRoundingDown(by: 86_400_000)
        guard let date = CivilDate(daysSince1970: Int(days)) else { return "" }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(24)
        bytes.append(decimal: date.year, width: 4)
        bytes.append(UInt8(ascii: "-"))
        bytes.append(decimal: date.month, width: 2)
        bytes.append(UInt8(ascii: "-"))
        bytes.append(decimal: date.day, width: 2)
        bytes.append(UInt8(ascii: "T"))
        bytes.append(decimal: Int(rest / 3_600_000), width: 2)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(decimal: Int(rest / 60_000 % 60), width: 2)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(decimal: Int(rest / 1000 % 60), width: 2)
        bytes.append(UInt8(ascii: "."))
        bytes.append(decimal: Int(rest % 1000), width: 3)
        bytes.append(UInt8(ascii: "Z"))
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Int64 {
    /// Quotient rounded down and the remainder in [0, divisor): what calendars need before 1970.
    func dividedRoundingDown(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension [UInt8] {
    fileprivate mutating func append(decimal number: Int, width: Int) {
        var divisor = 1
        for _ in 1..<width { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
            divisor /= 10
        }
    }
}
