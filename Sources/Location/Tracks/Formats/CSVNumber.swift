/// Numbers in the cells of CSV.
enum CSVNumber {
    /// Longer cells hold no number that anything measured.
    private static let longest = 40

    /// What a hemisphere's letter says.
    enum Hemisphere {
        case none, north, south, east, west, other
    }

    /// A number; with a decimal comma only where no comma separates cells.
    static func value(_ text: Span<UInt8>, _ cell: Range<Int>, _ separator: UInt8) -> Double? {
        if let number = Decimal.parse(text, cell) { return number }
        guard separator != UInt8(ascii: ","), cell.count <= longest,
            let comma = text.firstIndex(of: UInt8(ascii: ","), from: cell.lowerBound),
            comma < cell.upperBound
        else { return nil }
        var bytes: [UInt8] = []
        for index in cell { bytes.append(text[index]) }
        guard !bytes.contains(UInt8(ascii: ".")) else { return nil }
        bytes[comma - cell.lowerBound] = UInt8(ascii: ".")
        return Decimal.parse(bytes.span, 0..<bytes.count)
    }

    /// A number with a known unit behind it.
    static func measured(
        _ text: Span<UInt8>,
        _ cell: Range<Int>,
        _ role: CSVHeader.Role,
        _ separator: UInt8
    ) -> Double? {
        guard cell.count <= longest, role != .dilution else { return nil }
        var end = cell.lowerBound
        while end < cell.upperBound, isPartOfNumber(text[end]) { end += 1 }
        guard let value = value(text, Decimal.trimmed(text, cell.lowerBound..<end), separator)
        else { return nil }
        var unit: [UInt8] = []
        for index in Decimal.trimmed(text, end..<cell.upperBound) { unit.append(text[index]) }
        let name = String(decoding: unit, as: UTF8.self).lowercased()
        return CSVUnit.factor(name, role).map { value * $0 }
    }

    /// A coordinate with the letter of its hemisphere before or behind it, or a degree sign.
    static func coordinate(
        _ text: Span<UInt8>,
        _ cell: Range<Int>,
        _ role: CSVHeader.Role,
        _ separator: UInt8
    ) -> Double? {
        guard cell.count <= longest else { return nil }
        var range = cell
        var hemisphere = Hemisphere.none
        let first = Hemisphere(text[range.lowerBound], role)
        if first != .other {
            hemisphere = first
            range = Decimal.trimmed(text, range.lowerBound + 1..<range.upperBound)
        } else {
            let last = Hemisphere(text[range.upperBound - 1], role)
            if last != .other {
                hemisphere = last
                range = Decimal.trimmed(text, range.lowerBound..<range.upperBound - 1)
            }
        }
        // The degree sign in UTF-8.
        if range.count > 2, text[range.upperBound - 2] == 0xC2, text[range.upperBound - 1] == 0xB0 {
            range = Decimal.trimmed(text, range.lowerBound..<range.upperBound - 2)
        }
        guard let degrees = value(text, range, separator) else { return nil }
        switch hemisphere {
        case .none, .other: return degrees
        case .north, .east: return degrees >= 0 ? degrees : nil
        case .south, .west: return degrees >= 0 ? -degrees : nil
        }
    }

    /// What a cell of its own says of the hemisphere of a latitude or longitude.
    static func hemisphere(_ cell: Span<UInt8>, _ role: CSVHeader.Role) -> Hemisphere {
        guard !cell.isEmpty, isLetter(cell[0]) else { return .none }
        return cell.count == 1 ? Hemisphere(cell[0], role) : .other
    }

    /// Whether a cell is the letter of any hemisphere.
    static func isHemisphere(_ cell: Span<UInt8>) -> Bool {
        cell.count == 1
            && (Hemisphere(cell[0], .latitude) != .other
                || Hemisphere(cell[0], .longitude) != .other)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z")
    }

    private static func isPartOfNumber(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: ".") || byte == UInt8(ascii: ",")
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
    }
}

extension CSVNumber.Hemisphere {
    /// What a letter says of a latitude or a longitude.
    fileprivate init(_ letter: UInt8, _ role: CSVHeader.Role) {
        switch (letter | 0x20, role) {
        case (UInt8(ascii: "n"), .latitude): self = .north
        case (UInt8(ascii: "s"), .latitude): self = .south
        case (UInt8(ascii: "e"), .longitude): self = .east
        case (UInt8(ascii: "w"), .longitude): self = .west
        default: self = .other
        }
    }
}
