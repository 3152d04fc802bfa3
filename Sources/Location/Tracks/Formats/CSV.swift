extension TrackFormat {
    /// CSV with a header that names at least latitude and longitude.
    static let csv = TrackFormat(
        name: "csv",
        title: "CSV with a header that names lat and lon",
        recognises: { prefix in
            let lines = prefix.bytes.split(maxSplits: 100) { $0 == 0x0A || $0 == 0x0D }
            var separator: UInt8?
            /// The newest comment that may be a header.
            var comment: CSVHeader?
            for line in lines.prefix(100) {
                let header = CSVHeader(line, separator: separator)
                guard CSVHandler.isContent(line) else {
                    comment = header ?? comment
                    continue
                }
                if header == nil, separator == nil, let named = CSVHeader.separator(namedBy: line) {
                    separator = named
                    continue
                }
                return header != nil || comment?.fits(line) == true
            }
            return comment != nil
        },
        makeParser: { sink, settings in LineTrackParser(CSVHandler(sink, settings)) }
    )
}

/// Finds the header and the rows of a CSV file (RFC 4180, and what is met beside it).
final class CSVHandler: LineHandler {
    private let sink: TrackSink
    private let settings: ParserSettings
    private var points: CSVPoints?
    private var headerLine: [UInt8] = []
    /// Whether the header was written as a comment: a row that is a header goes before it.
    private var isCommentHeader = false
    private var headerNumber = 0
    private var newestComment: [UInt8] = []
    /// The lines that the header was read from, for a file that goes on without one.
    private(set) var headerLines: [[UInt8]] = []
    private var cells = CSVCells(separator: UInt8(ascii: ","), limit: 0)
    private var rows = CSVRows()
    /// What a line `sep=` before the header says.
    private var namedSeparator: UInt8?
    private var firstRows: CSVFirstRows

    /// Why the file is refused.
    private(set) var error: TrackError?

    init(_ sink: TrackSink, _ settings: ParserSettings) {
        self.sink = sink
        self.settings = settings
        firstRows = CSVFirstRows(isLive: settings.isLive, hasID: false, hasTimes: false)
    }

    /// Whether a line may be a row under the header that some lines were.
    static func isRow(_ line: ArraySlice<UInt8>, under headerLines: [[UInt8]]) -> Bool {
        guard let last = headerLines.last else { return false }
        let separator = headerLines.lazy.compactMap { CSVHeader.separator(namedBy: $0[...]) }.first
        let row = line.last == 0x0D ? line.dropLast() : line
        return CSVHeader(last[...], separator: separator)?.isRow(row) == true
    }

    /// Whether a line is neither blank nor a comment.
    static func isContent(_ line: ArraySlice<UInt8>) -> Bool {
        guard let first = line.first(where: { !Decimal.isSpace($0) }) else { return false }
        return first != UInt8(ascii: "#")
    }

    func line(_ text: Span<UInt8>, _ number: Int) {
        if rows.isOpen {
            let (row, isTooLong) = rows.next(text, number, cells.separator)
            if let row { self.row(row.text.span, row.number) }
            if isTooLong { giveUpQuote() }
            return
        }
        if points != nil, text.firstIndex(of: UInt8(ascii: "\""), from: 0) != nil,
            text.firstIndex(of: UInt8(ascii: "#"), from: 0) != 0
        {
            cells.split(text)
            if cells.isOpen { return rows.begin(text, number) }
        }
        row(text, number)
    }

    func overlongLine(_ number: Int) {
        giveUpQuote()
        sink.noteOverlongLine(number)
    }

    var isBetweenRecords: Bool {
        points != nil && !isCommentHeader && !rows.isOpen && firstRows.isTold
    }

    var decisions: Int { points?.decisions ?? 0 }

    func flush() {
        firstRows.decide()
        releaseRows()
    }

    func finish(isCutOff: Bool) {
        giveUpQuote()
        if isCommentHeader { settleHeader() }
        flush()
    }

    /// Takes the lines after a quote that does not end as rows of their own.
    private func giveUpQuote() {
        guard rows.isOpen else { return }
        sink.log.add(
            .warning,
            at: Place(line: rows.openLine, column: 1),
            "a quote that begins in this row does not end, it is taken for a part of its cell"
        )
        for line in rows.takeLines() { row(line.text.span, line.number) }
    }

    private func row(_ text: Span<UInt8>, _ number: Int) {
        var start = 0
        while start < text.count, Decimal.isSpace(text[start]) { start += 1 }
        guard start < text.count else { return }
        let isComment = text[start] == UInt8(ascii: "#")
        if points == nil || isCommentHeader, begin(text, number, isComment: isComment) { return }
        guard let points, !isComment, !isHeader(text) else { return }
        cells.split(text)
        if !firstRows.isTold {
            let id = points.undecidedID.map { cells[$0] } ?? 0..<0
            firstRows.hold(text, number, id: id, time: points.time(text, cells))
            return releaseRows()
        }
        points.take(cells, text, number, idsAreDevices: firstRows.areDevices)
    }

    /// Whether a line before the first row, or that row, is the header or another such line.
    private func begin(_ text: Span<UInt8>, _ number: Int, isComment: Bool) -> Bool {
        let line = (0..<text.count).map { text[$0] }
        if namedSeparator == nil, let named = CSVHeader.separator(namedBy: line[...]) {
            namedSeparator = named
            return true
        }
        let header = CSVHeader(line[...], separator: namedSeparator, comment: newestComment[...])
        let before = newestComment
        newestComment = isComment ? line : []
        guard let header else {
            // The first row after a comment that is the header.
            if isCommentHeader, !isComment { settleHeader() }
            return isComment
        }
        let points = CSVPoints(header, sink, settings)
        self.points = points
        firstRows = CSVFirstRows(
            isLive: settings.isLive,
            hasID: points.undecidedID != nil,
            hasTimes: points.mayCountDays
        )
        cells = CSVCells(separator: header.separator, limit: header.count)
        headerLine = line
        headerLines = namedSeparator.map { [Array("sep=".utf8) + [$0]] } ?? []
        headerLines += before.isEmpty ? [line] : [before, line]
        headerNumber = number
        isCommentHeader = isComment
        if !isComment { settleHeader() }
        return true
    }

    /// It is known which line is the header: what is wrong with it can be said.
    private func settleHeader() {
        isCommentHeader = false
        guard let header = points?.header else { return }
        if let refusal = header.refusal {
            error = TrackError(
                message: refusal.message,
                line: headerNumber,
                column: refusal.column
            )
            return
        }
        for unknown in header.unknownUnits {
            sink.log.add(
                .warning,
                at: Place(line: headerNumber, column: unknown.column),
                "\(unknown.message), the column is not used"
            )
        }
        if header[.time] == nil, header[.date] == nil { noteNoTimes(header) }
    }

    private func noteNoTimes(_ header: CSVHeader) {
        let names = header.unusedNames
        var list = names.prefix(12).map { "\"\($0.prefix(40))\"" }.joined(separator: ", ")
        if names.count > 12 { list += " and \(names.count - 12) more" }
        sink.log.add(
            .note,
            at: Place(line: headerNumber, column: 1),
            "no column of times was found" + (names.isEmpty ? "" : "; not used: \(list)")
        )
    }

    /// Whether the header comes again, as in files that were put together.
    private func isHeader(_ text: Span<UInt8>) -> Bool {
        guard text.count == headerLine.count else { return false }
        for index in text.indices where text[index] != headerLine[index] { return false }
        return true
    }

    /// Takes the rows that were held back until it was known what their numbers are.
    private func releaseRows() {
        guard firstRows.isTold, let points else { return }
        points.settle(firstRows.days)
        for row in firstRows.takeRows() {
            cells.split(row.text.span)
            points.take(cells, row.text.span, row.number, idsAreDevices: firstRows.areDevices)
        }
    }
}
