/// The cells of one row of CSV (RFC 4180).
///
/// A quote opens only as the first byte of a cell that is not blank, and closes only before a
/// separator or the end of the line: inches and accents in free text are no quotes.
struct CSVCells {
    private var ranges: [Range<Int>] = []
    /// How many cells are kept.
    let limit: Int
    let separator: UInt8
    /// Whether there are more cells than are kept, and one of them is not empty.
    private(set) var hasMore = false
    /// Whether the last cell's quote is still open where the text ends.
    private(set) var isOpen = false

    init(separator: UInt8, limit: Int) {
        self.separator = separator
        self.limit = limit
    }

    /// How many cells were kept.
    var count: Int { ranges.count }

    /// Where a cell is, without its quotes and blanks around it; empty where there is none.
    subscript(_ index: Int) -> Range<Int> {
        index < ranges.count ? ranges[index] : 0..<0
    }

    /// Cuts a row; a quote that does not close is one of its cell's bytes.
    mutating func split(_ text: Span<UInt8>) {
        ranges.removeAll(keepingCapacity: true)
        hasMore = false
        isOpen = false
        var start = 0
        while start <= text.count {
            var next = start
            while next < text.count, text[next] != separator, Decimal.isSpace(text[next]) {
                next += 1
            }
            // After a quote that does not close there is none that does.
            if next < text.count, text[next] == UInt8(ascii: "\""), !isOpen {
                if let close = CSVCells.closingQuote(text, from: next + 1, separator) {
                    keep(CSVCells.trimmed(text, next + 1..<close))
                    start = (text.firstIndex(of: separator, from: close) ?? text.count) + 1
                    continue
                }
                isOpen = true
            }
            let end = text.firstIndex(of: separator, from: next) ?? text.count
            keep(CSVCells.trimmed(text, start..<end))
            start = end + 1
        }
    }

    /// The index of the quote that ends a quoted text which goes on at `start`; nil where the line
    /// ends before.
    static func closingQuote(_ text: Span<UInt8>, from start: Int, _ separator: UInt8) -> Int? {
        var index = start
        while let quote = text.firstIndex(of: UInt8(ascii: "\""), from: index) {
            index = quote + 1
            if index < text.count, text[index] == UInt8(ascii: "\"") {
                index += 1
                continue
            }
            while index < text.count, text[index] != separator, Decimal.isSpace(text[index]) {
                index += 1
            }
            if index == text.count || text[index] == separator { return quote }
        }
        return nil
    }

    /// The bytes of a cell, doubled quotes resolved.
    func bytes(_ text: Span<UInt8>, _ index: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var isSecond = false
        for index in self[index] {
            let isQuote = text[index] == UInt8(ascii: "\"")
            isSecond = isQuote && !isSecond && bytes.last == UInt8(ascii: "\"")
            if !isSecond { bytes.append(text[index]) }
        }
        return bytes
    }

    /// A cell without blanks around it, and without the zeros with which loggers fill it up.
    private static func trimmed(_ text: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var range = Decimal.trimmed(text, range)
        while let last = range.last, text[last] == 0 {
            range = Decimal.trimmed(text, range.lowerBound..<last)
        }
        return range
    }

    private mutating func keep(_ cell: Range<Int>) {
        if ranges.count < limit {
            ranges.append(cell)
        } else if !cell.isEmpty {
            hasMore = true
        }
    }
}

/// Puts rows together that go on in the next line, inside quotes.
struct CSVRows {
    /// A quote that does not close within so many lines is none.
    private static let mostLines = 100

    /// Lines that belong together, or that do not after all.
    struct Row {
        var number: Int
        var text: [UInt8]
    }

    private var open: [Row] = []
    private var length = 0

    /// Whether a quote is open.
    var isOpen: Bool { !open.isEmpty }

    /// The line in which the open quote is.
    var openLine: Int { open.first?.number ?? 0 }

    /// Begins a row whose quote is open at its end.
    mutating func begin(_ text: Span<UInt8>, _ number: Int) {
        append(text, number)
    }

    /// Takes the next line: the row, where the quote closes in it; `isTooLong` where it had to.
    mutating func next(
        _ text: Span<UInt8>,
        _ number: Int,
        _ separator: UInt8
    ) -> (row: Row?, isTooLong: Bool) {
        append(text, number)
        if let close = CSVCells.closingQuote(text, from: 0, separator) {
            var rest = CSVCells(separator: separator, limit: 0)
            rest.split(text.extracting(close + 1..<text.count))
            if !rest.isOpen, length <= LineSplitter.longestLine { return (joined(), false) }
        }
        return (nil, open.count >= CSVRows.mostLines || length > LineSplitter.longestLine)
    }

    /// The lines that waited, each for itself.
    mutating func takeLines() -> [Row] {
        defer { open = [] }
        length = 0
        return open
    }

    private mutating func append(_ text: Span<UInt8>, _ number: Int) {
        open.append(Row(number: number, text: text.indices.map { text[$0] }))
        length += text.count + 1
    }

    /// The lines as one row.
    private mutating func joined() -> Row {
        var row = Row(number: openLine, text: [])
        row.text.reserveCapacity(length)
        for line in takeLines() {
            if line.number != row.number { row.text.append(0x0A) }
            row.text.append(contentsOf: line.text)
        }
        return row
    }
}
