/// Decimal numbers in bytes, read the same in every locale.
///
/// `[+-]digits[.digits][e[+-]digits]`, one side of the point may be empty, white space around it is
/// ignored. Nothing else is a number: no hexadecimal, no infinity, no decimal comma, and nothing
/// that a Double cannot hold.
enum Decimal {
    private static let exactPowersOfTen: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]

    /// More characters than this are not a number that anything measured.
    private static let longestNumber = 400

    /// The number that `text` is, correctly rounded, or nil where it is none.
    static func parse(_ text: Span<UInt8>) -> Double? {
        let range = trimmed(text)
        return parse(text, range)
    }

    /// The number in a part of `text`, which has no white space around it.
    static func parse(_ text: Span<UInt8>, _ range: Range<Int>) -> Double? {
        var index = range.lowerBound
        let end = range.upperBound
        guard index < end else { return nil }
        var isNegative = false
        if text[index] == UInt8(ascii: "-") || text[index] == UInt8(ascii: "+") {
            isNegative = text[index] == UInt8(ascii: "-")
            index += 1
        }
        var mantissa: UInt64 = 0
        var digits = 0
        var scale = 0
        var hasPoint = false
        while index < end {
            let byte = text[index]
            let digit = byte &- UInt8(ascii: "0")
            if digit < 10 {
                digits += 1
                guard mantissa < 100_000_000_000_000_000 else {
                    return parseSlowly(text, range)
                }
                mantissa = mantissa &* 10 &+ UInt64(digit)
                if hasPoint { scale -= 1 }
            } else if byte == UInt8(ascii: "."), !hasPoint {
                hasPoint = true
            } else {
                break
            }
            index += 1
        }
        guard digits > 0 else { return nil }
        if index < end {
            guard let exponent = parseExponent(text, index..<end) else { return nil }
            scale += exponent
        }
        guard mantissa <= 1 << 53, scale >= -22, scale <= 22 else {
            return parseSlowly(text, range)
        }
        // Both operands are exact, so the one rounding of IEEE 754 is the correct one.
        let magnitude =
            scale < 0
            ? Double(mantissa) / exactPowersOfTen[-scale]
            : Double(mantissa) * exactPowersOfTen[scale]
        return isNegative ? -magnitude : magnitude
    }

    /// `text` without the white space around it.
    static func trimmed(_ text: Span<UInt8>) -> Range<Int> {
        trimmed(text, 0..<text.count)
    }

    /// A part of `text` without the white space around it.
    static func trimmed(_ text: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var start = range.lowerBound
        var end = range.upperBound
        while start < end, isSpace(text[start]) { start += 1 }
        while end > start, isSpace(text[end - 1]) { end -= 1 }
        return start..<end
    }

    /// Whether the byte is white space as XML, JSON and CSV have it.
    @inline(__always)
    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (byte >= 0x09 && byte <= 0x0D)
    }

    private static func parseExponent(_ text: Span<UInt8>, _ range: Range<Int>) -> Int? {
        var index = range.lowerBound
        guard text[index] | 0x20 == UInt8(ascii: "e") else { return nil }
        index += 1
        var isNegative = false
        if index < range.upperBound,
            text[index] == UInt8(ascii: "-") || text[index] == UInt8(ascii: "+")
        {
            isNegative = text[index] == UInt8(ascii: "-")
            index += 1
        }
        guard index < range.upperBound else { return nil }
        var exponent = 0
        while index < range.upperBound {
            let digit = text[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            exponent = min(exponent * 10 + Int(digit), 100_000)
            index += 1
        }
        return isNegative ? -exponent : exponent
    }

    /// The standard library's own conversion, for numbers with more digits than 64 bits hold.
    private static func parseSlowly(_ text: Span<UInt8>, _ range: Range<Int>) -> Double? {
        guard range.count <= longestNumber else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        for index in range {
            let byte = text[index]
            // Keeps the standard library from its hexadecimal, infinities and not-a-numbers.
            let isAllowed =
                byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: ".")
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
                || byte | 0x20 == UInt8(ascii: "e")
            guard isAllowed else { return nil }
            bytes.append(byte)
        }
        if bytes.first == UInt8(ascii: "+") { bytes.removeFirst() }
        guard let number = Double(String(decoding: bytes, as: UTF8.self)), number.isFinite
        else { return nil }
        return number
    }
}
