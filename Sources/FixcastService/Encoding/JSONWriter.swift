/// Writes JSON text into a byte array, in the order the caller gives.
///
/// The service writes JSON itself, because a fix promises its keys in one order and its numbers
/// with a fixed number of decimals, which no general encoder does, and because it is written for
/// every event: nothing here allocates but the array itself.
struct JSONWriter: Sendable {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    /// Appends text that is JSON already.
    mutating func raw(_ text: [UInt8]) {
        bytes.append(contentsOf: text)
    }

    /// Appends one byte that is JSON already.
    mutating func raw(_ byte: UInt8) {
        bytes.append(byte)
    }

    /// Appends text that is JSON already.
    mutating func raw(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Forgets what was written and keeps the room for it.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    /// A quoted string (RFC 8259 section 7); control characters are escaped, so it is always one
    /// line.
    mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 { character(byte) }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func character(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case 0x0A:
            raw("\\n")
        case 0x0D:
            raw("\\r")
        case 0x09:
            raw("\\t")
        case 0..<0x20, 0x7F:
            raw("\\u00")
            bytes.append(hexadecimal(byte >> 4))
            bytes.append(hexadecimal(byte & 15))
        default:
            bytes.append(byte)
        }
    }

    private func hexadecimal(_ digit: UInt8) -> UInt8 {
        digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
    }

    /// A whole number.
    mutating func integer(_ value: Int64) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        digits(value.magnitude, atLeast: 1)
    }

    /// A number with exactly or at most `decimals` decimals, rounded half away from zero; never an
    /// exponent, never -0.
    ///
    /// Infinite, NaN and absurdly large values are `null`.
    mutating func number(_ value: Double, decimals: Int, trimmed: Bool = true) {
        let scale = Self.powersOfTen[decimals]
        let scaled = (value * Double(scale)).rounded()
        guard scaled.magnitude < 9e18 else { return raw(Self.null) }
        self.decimal(Int64(scaled), decimals: decimals, trimmed: trimmed)
    }

    /// A number or `null`.
    mutating func number(_ value: Double?, decimals: Int) {
        guard let value else { return raw(Self.null) }
        number(value, decimals: decimals)
    }

    /// `value` divided by ten to the power of `decimals`.
    mutating func decimal(_ value: Int64, decimals: Int, trimmed: Bool) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        let scale = Self.powersOfTen[decimals]
        let (whole, fraction) = value.magnitude.quotientAndRemainder(dividingBy: scale)
        digits(whole, atLeast: 1)
        if trimmed && fraction == 0 { return }
        bytes.append(UInt8(ascii: "."))
        var shown = fraction
        var width = decimals
        while trimmed, shown % 10 == 0 {
            shown /= 10
            width -= 1
        }
        digits(shown, atLeast: width)
    }

    /// Decimal digits, with zeros in front up to a width of at most 20.
    mutating func digits(_ value: UInt64, atLeast width: Int) {
        var text = InlineArray<20, UInt8>(repeating: UInt8(ascii: "0"))
        var first = 20
        var rest = value
        while rest > 0 {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            first -= 1
            text[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
            rest = quotient
        }
        for index in min(first, 20 - width)..<20 { bytes.append(text[index]) }
    }

    static let null = [UInt8]("null".utf8)
    static let powersOfTen: [UInt64] = [1, 10, 100, 1000, 10000, 100_000, 1_000_000, 10_000_000]
}
