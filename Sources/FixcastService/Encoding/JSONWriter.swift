/// Writes JSON text into a byte array, in the order the caller gives.
///
/// The service writes JSON itself, because a fix promises its keys in one order and its numbers
/// with a fixed number of decimals, which no general encoder does, and because it is written for
/// every event: bytes are stored eight at a time, and nothing here allocates but the array itself.
struct JSONWriter: Sendable {
    /// What was written, and room.
    private var storage: [UInt8]
    /// How many bytes have been written.
    private(set) var count = 0

    init(capacity: Int = 0) {
        storage = Array(repeating: 0, count: capacity)
    }

    /// Hands over what was written and is empty.
    mutating func take() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &storage)
        taken.removeLast(taken.count - count)
        count = 0
        return taken
    }

    private mutating func reserve(_ additional: Int) {
        let missing = count + additional - storage.count
        guard missing > 0 else { return }
        // Doubling keeps the cost of growing proportional to what is written.
        let growth = max(missing, storage.count, 64)
        storage.append(contentsOf: repeatElement(0, count: growth))
    }

    /// Appends the first `length` of eight bytes, the first of them in the lowest bits.
    mutating func raw(word: UInt64, length: Int) {
        reserve(8)
        let start = count
        var span = storage.mutableSpan
        Self.store(word, into: &span, at: start)
        count = start + length
    }

    /// Appends text that is JSON already.
    mutating func raw(_ text: JSONText) {
        reserve(8 * JSONText.words)
        let start = count
        var span = storage.mutableSpan
        for index in 0..<JSONText.words {
            Self.store(text[index], into: &span, at: start + 8 * index)
        }
        count = start + text.count
    }

    /// Written out and checked as one, so that the compiler makes one store of it.
    @inline(__always)
    private static func store(_ word: UInt64, into span: inout MutableSpan<UInt8>, at index: Int) {
        precondition(index >= 0 && index <= span.count - 8)
        span[index] = UInt8(truncatingIfNeeded: word)
        span[index &+ 1] = UInt8(truncatingIfNeeded: word >> 8)
        span[index &+ 2] = UInt8(truncatingIfNeeded: word >> 16)
        span[index &+ 3] = UInt8(truncatingIfNeeded: word >> 24)
        span[index &+ 4] = UInt8(truncatingIfNeeded: word >> 32)
        span[index &+ 5] = UInt8(truncatingIfNeeded: word >> 40)
        span[index &+ 6] = UInt8(truncatingIfNeeded: word >> 48)
        span[index &+ 7] = UInt8(truncatingIfNeeded: word >> 56)
    }

    /// Appends one byte that is JSON already.
    mutating func raw(_ byte: UInt8) {
        reserve(1)
        storage[count] = byte
        count += 1
    }

    /// Appends text that is JSON already.
    mutating func raw(_ text: String) {
        raw(text.utf8.span)
    }

    /// Appends text that is JSON already.
    mutating func raw(_ text: ArraySlice<UInt8>) {
        raw(text.span)
    }

    private mutating func raw(_ bytes: Span<UInt8>) {
        reserve(bytes.count)
        let start = count
        var room = storage.mutableSpan
        for index in bytes.indices { room[start + index] = bytes[index] }
        count = start + bytes.count
    }

    /// A quoted string (RFC 8259 section 7); control characters are escaped, so it is always one
    /// line.
    mutating func string(_ text: String) {
        raw(UInt8(ascii: "\""))
        for byte in text.utf8 { character(byte) }
        raw(UInt8(ascii: "\""))
    }

    private mutating func character(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            raw(UInt8(ascii: "\\"))
            raw(byte)
        case 0x0A:
            raw("\\n")
        case 0x0D:
            raw("\\r")
        case 0x09:
            raw("\\t")
        case 0..<0x20, 0x7F:
            raw("\\u00")
            raw(hexadecimal(byte >> 4))
            raw(hexadecimal(byte & 15))
        default:
            raw(byte)
        }
    }

    private func hexadecimal(_ digit: UInt8) -> UInt8 {
        digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
    }

    /// A whole number.
    mutating func integer(_ value: Int64) {
        if value < 0 { raw(UInt8(ascii: "-")) }
        digits(value.magnitude, atLeast: 1)
    }

    /// A number with exactly or at most `decimals` decimals, rounded half away from zero; never an
    /// exponent, never -0.
    ///
    /// Infinite, NaN and absurdly large values are `null`.
    mutating func number(_ value: Double, decimals: Int, trimmed: Bool = true) {
        let scale = Self.power(of: decimals)
        let scaled = (value * Double(scale)).rounded()
        guard scaled.magnitude < 9e18 else { return null() }
        decimal(Int64(scaled), decimals: decimals, trimmed: trimmed)
    }

    /// A number or `null`.
    mutating func number(_ value: Double?, decimals: Int) {
        guard let value else { return null() }
        number(value, decimals: decimals)
    }

    /// `value` divided by ten to the power of `decimals`, which is at most 7.
    mutating func decimal(_ value: Int64, decimals: Int, trimmed: Bool) {
        if value < 0 { raw(UInt8(ascii: "-")) }
        let scale = Self.power(of: decimals)
        let (whole, fraction) = value.magnitude.quotientAndRemainder(dividingBy: scale)
        digits(whole, atLeast: 1)
        if trimmed && fraction == 0 { return }
        // Its digits end in the highest byte, so zeros to be left out are the highest bits.
        let shown = DecimalDigits(UInt32(fraction))
        let zeros = trimmed ? shown.trailingZeros : 0
        raw(UInt8(ascii: "."))
        raw(word: shown.last(decimals), length: decimals - zeros)
    }

    /// Decimal digits, with zeros in front up to a width of at most 8.
    mutating func digits(_ value: UInt64, atLeast width: Int) {
        let (rest, low) = value.quotientAndRemainder(dividingBy: 100_000_000)
        let shown = DecimalDigits(UInt32(low))
        guard rest == 0 else {
            digits(rest, atLeast: 1)
            return raw(word: shown.last(8), length: 8)
        }
        let length = max(width, shown.count)
        raw(word: shown.last(length), length: length)
    }

    /// `null`.
    mutating func null() {
        raw(word: 0x6C6C_756E, length: 4)
    }

    private static func power(of ten: Int) -> UInt64 {
        switch ten {
        case 0: 1
        case 1: 10
        case 2: 100
        case 3: 1000
        case 4: 10_000
        case 5: 100_000
        case 6: 1_000_000
        default: 10_000_000
        }
    }
}

/// Up to 32 bytes of text that is JSON already, as words that are stored whole.
struct JSONText: Sendable {
    static let words = 4

    private var text = InlineArray<4, UInt64>(repeating: 0)
    let count: Int

    init(_ string: String) {
        precondition(string.utf8.count <= 8 * Self.words, "\(string) is too long")
        count = string.utf8.count
        for (index, byte) in string.utf8.enumerated() {
            text[index / 8] |= UInt64(byte) << UInt64(index % 8 * 8)
        }
    }

    subscript(index: Int) -> UInt64 { text[index] }
}

/// The eight decimal digits of a number below 100,000,000, all computed at once.
///
/// A word is divided into two numbers of four digits, these into four of two, and these into eight
/// digits, with multiplications in place of divisions.
struct DecimalDigits {
    /// A digit a byte, the first in the lowest bits.
    private let digits: UInt64

    init(_ value: UInt32) {
        let (high, low) = value.quotientAndRemainder(dividingBy: 10_000)
        let fours = UInt64(high) | UInt64(low) << 32
        let hundreds = (fours &* 10_486) >> 20 & 0x0000_007F_0000_007F
        let twos = hundreds | (fours &- hundreds &* 100) << 16
        let tens = (twos &* 103) >> 10 & 0x000F_000F_000F_000F
        digits = tens | (twos &- tens &* 10) << 8
    }

    /// How many digits there are without zeros in front, at least 1.
    var count: Int {
        max(1, 8 - digits.trailingZeroBitCount / 8)
    }

    /// How many zeros there are at the end.
    var trailingZeros: Int {
        digits.leadingZeroBitCount / 8
    }

    /// The last digits in ASCII, the first of them in the lowest bits.
    func last(_ count: Int) -> UInt64 {
        (digits | 0x3030_3030_3030_3030) >> UInt64(64 - 8 * count)
    }
}
