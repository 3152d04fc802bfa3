/// Up to three values in a text of KML, separated by commas or white space: longitude, latitude and
/// height.
struct KMLTuple {
    private(set) var count = 0
    private(set) var longitude: Double?
    private(set) var latitude: Double?
    /// Where the height stands; empty where there is none.
    private(set) var height = 0..<0

    /// Takes the next values of `text` before `end`, and moves `start` behind them.
    init(_ text: Span<UInt8>, _ start: inout Int, _ end: Int) {
        while start < end, count < 3 {
            var index = start
            while index < end, text[index] != KMLTuple.comma, !Decimal.isSpace(text[index]) {
                index += 1
            }
            take(text, start..<index)
            start = min(index + 1, end)
            while start < end, Decimal.isSpace(text[start]) { start += 1 }
        }
    }

    static let comma = UInt8(ascii: ",")

    /// How many values a text with commas only has, and where the last ends: a comma behind it ends
    /// nothing.
    static func extent(_ text: Span<UInt8>) -> (values: Int, end: Int) {
        var end = text.count
        if end > 1, text[end - 1] == comma { end -= 1 }
        var values = 1
        for index in 0..<end where text[index] == comma { values += 1 }
        return (values, end)
    }

    /// Whether the values of a text with commas only, which could be taken in threes, are positions
    /// in pairs too, and nearer to each other than in threes.
    static func areLikelyPairs(_ text: Span<UInt8>, _ end: Int) -> Bool {
        guard let pairs = length(text, end, stride: 2) else { return false }
        return length(text, end, stride: 3).map { pairs < $0 } ?? true
    }

    /// How many degrees lie between the positions, where each has so many values; nil where one is
    /// none.
    private static func length(_ text: Span<UInt8>, _ end: Int, stride: Int) -> Double? {
        var length = 0.0
        var position: (longitude: Double, latitude: Double)?
        var longitude = 0.0
        var index = 0
        var start = 0
        while start < end {
            let comma = min(text.firstIndex(of: comma, from: start) ?? end, end)
            if index % stride < 2 {
                guard let value = Decimal.parse(text, start..<comma) else { return nil }
                if index % stride == 0 {
                    longitude = value
                } else {
                    guard -180...180 ~= longitude, -90...90 ~= value else { return nil }
                    if let position {
                        length += abs(longitude - position.longitude)
                        length += abs(value - position.latitude)
                    }
                    position = (longitude, value)
                }
            }
            index += 1
            start = comma + 1
        }
        return length
    }

    private mutating func take(_ text: Span<UInt8>, _ range: Range<Int>) {
        switch count {
        case 0: longitude = Decimal.parse(text, range)
        case 1: latitude = Decimal.parse(text, range)
        default: height = range
        }
        count += 1
    }
}

/// What a height in KML counts from.
enum KMLAltitudeMode {
    /// The file does not say.
    case unstated
    case absolute
    /// The ground, or the floor of the sea; and what is called so.
    case other(String)

    init(_ text: Span<UInt8>, _ range: Range<Int>) {
        let word = text.extracting(range)
        if word.isEmpty {
            self = .unstated
        } else if word.isWord("absolute") {
            self = .absolute
        } else {
            self = .other(String(decoding: range.prefix(40).map { text[$0] }, as: UTF8.self))
        }
    }
}
