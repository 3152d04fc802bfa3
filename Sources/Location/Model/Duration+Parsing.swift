extension Duration {
    /// Reads `[0-9]+(.[0-9]+)?` followed by `ms`, `s`, `m` or `h`, as every option and parameter
    /// spells a duration; nil for anything else, and above about a million years.
    ///
    /// Digits below a nanosecond are dropped.
    public init?(parsing text: some StringProtocol) {
        var rest = text.utf8[...]
        guard let whole = rest.takeDigits(atMost: 15) else { return nil }
        var billionths: Int64 = 0
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard let fraction = rest.takeFraction() else { return nil }
            billionths = fraction
        }
        let unitMilliseconds: Int64
        switch String(decoding: rest, as: UTF8.self) {
        case "ms": unitMilliseconds = 1
        case "s": unitMilliseconds = 1_000
        case "m": unitMilliseconds = 60_000
        case "h": unitMilliseconds = 3_600_000
        default: return nil
        }
        guard whole <= 1_000_000_000 * 3_600_000 / unitMilliseconds else { return nil }
        self = .milliseconds(whole * unitMilliseconds)
        self += .milliseconds(unitMilliseconds) * Int(billionths) / 1_000_000_000
    }

    /// The duration as an option or a parameter would spell it, down to a millisecond.
    public var text: String {
        let milliseconds = wholeMilliseconds
        return milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000)s" : "\(milliseconds)ms"
    }

    /// The duration in seconds, rounded to the nearest representable number.
    public var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }

    /// The whole milliseconds in the duration, rounded down.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        let isBelow = attoseconds < milliseconds * 1_000_000_000_000_000
        return seconds * 1_000 + milliseconds - (isBelow ? 1 : 0)
    }
}

extension Collection where Element == UInt8, SubSequence == Self {
    /// Takes the decimal digits at the front; nil without any, or with more than `limit`.
    fileprivate mutating func takeDigits(atMost limit: Int) -> Int64? {
        let digits = prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        guard !digits.isEmpty, digits.count <= limit else { return nil }
        self = self[digits.endIndex...]
        return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    /// Takes the digits after a decimal point, as billionths.
    fileprivate mutating func takeFraction() -> Int64? {
        let digits = prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        guard !digits.isEmpty else { return nil }
        self = self[digits.endIndex...]
        let leading = digits.prefix(9)
        var value = leading.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        for _ in leading.count..<9 { value *= 10 }
        return value
    }
}
