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
