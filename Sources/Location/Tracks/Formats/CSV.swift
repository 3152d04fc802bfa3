extension TrackFormat {
    /// CSV with a header that names at least latitude and longitude.
    static let csv = TrackFormat(
        name: "csv",
        title: "CSV with a header that names lat and lon",
        recognises: { prefix in
            let lines = prefix.bytes.split(maxSplits: 100) { $0 == 0x0A || $0 == 0x0D }
            var separator: UInt8?
            for line in lines.prefix(100) where CSVHandler.isContent(line) {
                guard separator == nil, let named = CSVHeader.separator(namedBy: line) else {
                    return CSVHeader(line, separator: separator) != nil
                }
                separator = named
            }
            return lines.first.map { CSVHeader($0) != nil } ?? false
        },
        makeParser: { sink, settings in CSVTrackParser(sink, settings) }
    )
}

/// Reads CSV (RFC 4180, and what is met beside it).
private final class CSVTrackParser: TrackParser {
    private let handler: CSVHandler
    private var lines = LineSplitter()

    init(_ sink: TrackSink, _ settings: ParserSettings) {
        handler = CSVHandler(sink, settings)
    }

    func feed(_ chunk: Span<UInt8>) throws(TrackError) -> Int {
        lines.feed(chunk, to: handler)
        if let error = handler.error { throw error }
        return chunk.count
    }

    func finish() throws(TrackError) -> Bool {
        lines.finish(handler)
        if let error = handler.error { throw error }
        return true
    }
}

/// Takes the rows of a CSV file.
final class CSVHandler: LineHandler {
    private let sink: TrackSink
    private let times: TimestampParser
    private var header: CSVHeader?
    private var headerLine: [UInt8] = []
    private var zoneNote = ZoneNote()
    private var cells = CSVCells(separator: UInt8(ascii: ","), limit: 0)
    private var rows = CSVRows()
    /// What a line `sep=` before the header says.
    private var namedSeparator: UInt8?
    /// Whether the column `id` holds devices; nil until the second row tells.
    private var idsAreDevices: Bool?
    private var firstRow: (id: Int?, line: [UInt8], number: Int)?

    /// Why the file is refused.
    private(set) var error: TrackError?

    init(_ sink: TrackSink, _ settings: ParserSettings) {
        self.sink = sink
        times = TimestampParser(timeZone: settings.options.timeZone)
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
        if header != nil, text.firstIndex(of: UInt8(ascii: "\""), from: 0) != nil,
            text.firstIndex(of: UInt8(ascii: "#"), from: 0) != 0
        {
            cells.split(text)
            if cells.isOpen { return rows.begin(text, number) }
        }
        row(text, number)
    }

    func overlongLine(_ number: Int) {
        giveUpQuote()
        sink.log.add(
            .warning,
            at: Place(line: number, column: 1),
            "the line is longer than \(LineSplitter.longestLine) bytes and not used"
        )
    }

    func finish(isCutOff: Bool) {
        giveUpQuote()
        flushFirstRow(areDevices: false)
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
        guard let header else {
            return begin(text, number)
        }
        if text[start] == UInt8(ascii: "#") || isHeader(text) { return }
        cells.split(text)
        if idsAreDevices == nil, header.column(.device) == nil, let id = header.column(.id) {
            return decideIDs(text, number, id.index)
        }
        take(text, number, header)
    }

    private func begin(_ text: Span<UInt8>, _ number: Int) {
        let line = (0..<text.count).map { text[$0] }
        if namedSeparator == nil, let named = CSVHeader.separator(namedBy: line[...]) {
            namedSeparator = named
            return
        }
        guard let header = CSVHeader(line[...], separator: namedSeparator) else { return }
        self.header = header
        cells = CSVCells(separator: header.separator, limit: header.count)
        headerLine = line
        if let unknown = header.unknownUnit {
            error = TrackError(
                message: "the unit \"\(unknown.unit)\" of column \"\(unknown.name)\" is not known",
                line: number,
                column: 1
            )
        }
    }

    /// Whether the header comes again, as in files that were put together.
    private func isHeader(_ text: Span<UInt8>) -> Bool {
        guard text.count == headerLine.count else { return false }
        for index in text.indices where text[index] != headerLine[index] { return false }
        return true
    }

    private func decideIDs(_ text: Span<UInt8>, _ number: Int, _ column: Int) {
        let cell = cells[column]
        let id = Decimal.parse(text, cell).flatMap { Int(exactly: $0) }
        guard let first = firstRow else {
            firstRow = (id, (0..<text.count).map { text[$0] }, number)
            return
        }
        // Rows that are numbered one after the other are no devices.
        let areRowNumbers = first.id.map { $0 + 1 == id } ?? false
        flushFirstRow(areDevices: !areRowNumbers)
        row(text, number)
    }

    private func flushFirstRow(areDevices: Bool) {
        guard let first = firstRow, let header else { return }
        firstRow = nil
        idsAreDevices = areDevices
        cells.split(first.line.span)
        take(first.line.span, first.number, header)
    }

    private func take(_ text: Span<UInt8>, _ number: Int, _ header: CSVHeader) {
        var point = TrackPoint()
        point.place = Place(line: number, column: 1)
        guard !cells.hasMore else {
            return sink.reject(
                at: point.place,
                "the row has more cells than the header, which has \(header.count)"
            )
        }
        guard let latitude = coordinate(text, .latitude, header, number),
            let longitude = coordinate(text, .longitude, header, number)
        else { return }
        point.latitude = latitude
        point.longitude = longitude
        point.altitude = value(text, .altitude, header, number)
        point.ellipsoidalAltitude = value(text, .ellipsoidalAltitude, header, number)
        point.speed = value(text, .speed, header, number)
        point.course = value(text, .course, header, number)
        point.horizontalAccuracy = value(text, .horizontalAccuracy, header, number)
        point.verticalAccuracy = value(text, .verticalAccuracy, header, number)
        if point.horizontalAccuracy.isNaN {
            point.horizontalAccuracy =
                value(text, .dilution, header, number) * NMEAEpoch.autonomousError
        }
        takeTime(text, header, number, &point)
        if let column = header.column(.device)
            ?? (idsAreDevices == true ? header.column(.id) : nil),
            !cells[column.index].isEmpty
        {
            guard let device = sink.device(cells.bytes(text, column.index).span) else {
                return sink.rejectDevice(at: place(column.index, number))
            }
            point.device = device
        }
        sink.append(point)
    }

    private func coordinate(
        _ text: Span<UInt8>,
        _ role: CSVHeader.Role,
        _ header: CSVHeader,
        _ number: Int
    ) -> Double? {
        guard let column = header.column(role) else { return nil }
        let cell = cells[column.index]
        if let value = parse(text, cell, header.separator) { return value }
        let place = place(column.index, number)
        if cell.isEmpty {
            sink.reject(at: place, "the row has no \(role)")
        } else {
            sink.reject(
                at: place,
                "\(role) \(quote(text.extracting(cell))) is not a decimal number of degrees"
            )
        }
        return nil
    }

    private func value(
        _ text: Span<UInt8>,
        _ role: CSVHeader.Role,
        _ header: CSVHeader,
        _ number: Int
    ) -> Double {
        guard let column = header.column(role) else { return .nan }
        let cell = cells[column.index]
        guard !cell.isEmpty else { return .nan }
        if let value = parse(text, cell, header.separator) { return value * column.factor }
        sink.log.add(
            .warning,
            at: place(column.index, number),
            "\(role) \(quote(text.extracting(cell))) is not a decimal number and not used"
        )
        return .nan
    }

    /// A number; with a decimal comma only where no comma separates cells.
    private func parse(_ text: Span<UInt8>, _ cell: Range<Int>, _ separator: UInt8) -> Double? {
        if let number = Decimal.parse(text, cell) { return number }
        guard separator != UInt8(ascii: ","), cell.count <= 40,
            let comma = text.firstIndex(of: UInt8(ascii: ","), from: cell.lowerBound),
            comma < cell.upperBound
        else { return nil }
        var bytes: [UInt8] = []
        for index in cell { bytes.append(text[index]) }
        guard !bytes.contains(UInt8(ascii: ".")) else { return nil }
        bytes[comma - cell.lowerBound] = UInt8(ascii: ".")
        return Decimal.parse(bytes.span, 0..<bytes.count)
    }

    private func takeTime(
        _ text: Span<UInt8>,
        _ header: CSVHeader,
        _ number: Int,
        _ point: inout TrackPoint
    ) {
        let timeColumn = header.column(.time)
        let dateColumn = header.column(.date)
        guard let index = timeColumn?.index ?? dateColumn?.index else { return }
        let timeCell = timeColumn.map { cells[$0.index] } ?? 0..<0
        let dateCell = dateColumn.map { cells[$0.index] } ?? 0..<0
        guard !timeCell.isEmpty || !dateCell.isEmpty else { return }
        var outcome = TimestampParser.Outcome.invalid
        if !timeCell.isEmpty {
            outcome =
                TimestampParser.looksLikeEpoch(text, timeCell)
                ? times.parseEpoch(text, timeCell)
                : times.parse(text, timeCell)
        }
        if outcome == .invalid || (timeCell.isEmpty && !dateCell.isEmpty), !dateCell.isEmpty {
            var both: [UInt8] = []
            for index in dateCell { both.append(text[index]) }
            if !timeCell.isEmpty { both.append(UInt8(ascii: " ")) }
            for index in timeCell { both.append(text[index]) }
            outcome = times.parse(both.span, 0..<both.count)
        }
        switch outcome {
        case .time(let time, let assumed):
            point.time = time.milliseconds
            if assumed { zoneNote.add(to: sink, at: place(index, number)) }
        case .invalid:
            let isClock = dateColumn == nil && text.extracting(timeCell).isClock
            sink.log.add(
                .warning,
                at: place(index, number),
                "\(quote(text.extracting(timeCell))) is "
                    + (isClock ? "a time without a date" : "no date and time") + " and not used"
            )
        }
    }

    private func place(_ column: Int, _ number: Int) -> Place {
        Place(line: number, column: cells[column].lowerBound + 1)
    }
}

extension Span<UInt8> {
    /// Whether it begins as a time of day does, `h:` or `hh:`.
    fileprivate var isClock: Bool {
        guard let colon = firstIndex(of: UInt8(ascii: ":"), from: 0) else { return false }
        return colon == 1 || colon == 2
    }
}
