/// Makes positions of the rows of a CSV file.
final class CSVPoints {
    let header: CSVHeader
    private let sink: TrackSink
    private var times: CSVTimes
    private var zoneNote = ZoneNote()
    private var hasNotedDays = false
    /// Whether whole times may be days, and it has not been said what they are taken for.
    private var areDaysDoubtful = false

    init(_ header: CSVHeader, _ sink: TrackSink, _ settings: ParserSettings) {
        self.header = header
        self.sink = sink
        times = CSVTimes(
            TimestampParser(timeZone: settings.options.timeZone),
            scale: header[.time]?.scale,
            hasDecimalComma: header.separator != UInt8(ascii: ",")
        )
    }

    /// The column `id`, where it may hold devices and no other does.
    var undecidedID: Int? { header[.device] == nil ? header[.id]?.index : nil }

    /// What the rows so far have decided about the times of those that follow.
    var decisions: Int { times.decisions }

    /// Whether a number in the column of times, the only one, may be a spreadsheet's day.
    var mayCountDays: Bool {
        guard header[.time] == nil || header[.date] == nil else { return false }
        guard let column = header[.time] ?? header[.date] else { return false }
        return column.scale == nil
    }

    /// What the cell of the time in a row may be.
    func time(_ text: Span<UInt8>, _ cells: CSVCells) -> CSVFirstRows.Time {
        guard let column = header[.time] ?? header[.date] else { return .empty }
        return times.kind(text, cells[column.index])
    }

    /// It is known what whole numbers of times are.
    func settle(_ days: CSVFirstRows.Days) {
        switch days {
        case .yes: times.countDays()
        case .no(let isDoubtful): areDaysDoubtful = isDoubtful
        case .open, .doubtful: break
        }
    }

    /// Takes a row that was cut into cells.
    func take(_ cells: CSVCells, _ text: Span<UInt8>, _ number: Int, idsAreDevices: Bool) {
        let row = CSVRow(cells: cells, number: number)
        var point = TrackPoint()
        point.place = Place(line: number, column: 1)
        guard !cells.hasMore else {
            return sink.reject(
                at: point.place,
                "the row has more cells than the header, which has \(header.count)"
            )
        }
        guard let latitude = coordinate(text, row, .latitude, .latitudeHemisphere),
            let longitude = coordinate(text, row, .longitude, .longitudeHemisphere)
        else { return }
        point.latitude = latitude
        point.longitude = longitude
        takeNumbers(text, row, &point)
        takeTime(text, row, &point)
        if let column = header[.device] ?? (idsAreDevices ? header[.id] : nil),
            !cells[column.index].isEmpty
        {
            guard let device = sink.device(cells.bytes(text, column.index).span) else {
                return sink.rejectDevice(at: row.place(column.index))
            }
            point.device = device
        }
        sink.append(point)
    }

    private func takeNumbers(_ text: Span<UInt8>, _ row: CSVRow, _ point: inout TrackPoint) {
        point.altitude = value(text, row, .altitude)
        point.ellipsoidalAltitude = value(text, row, .ellipsoidalAltitude)
        point.speed = value(text, row, .speed)
        point.course = value(text, row, .course)
        point.horizontalAccuracy = value(text, row, .horizontalAccuracy)
        point.verticalAccuracy = value(text, row, .verticalAccuracy)
        if point.horizontalAccuracy.isNaN {
            point.horizontalAccuracy = value(text, row, .dilution) * NMEAEpoch.autonomousError
        }
    }

    /// A coordinate; nil, and the row is rejected, where there is none.
    private func coordinate(
        _ text: Span<UInt8>,
        _ row: CSVRow,
        _ role: CSVHeader.Role,
        _ hemisphereRole: CSVHeader.Role
    ) -> Double? {
        guard let column = header[role] else { return nil }
        let cell = row.cells[column.index]
        let place = row.place(column.index)
        guard !cell.isEmpty else {
            sink.reject(at: place, "the row has no \(role)")
            return nil
        }
        guard
            var degrees = CSVNumber.value(text, cell, header.separator)
                ?? CSVNumber.coordinate(text, cell, role, header.separator)
        else {
            sink.reject(
                at: place,
                "\(role) \(quote(text.extracting(cell))) is not a decimal number of degrees"
            )
            return nil
        }
        if let column = header[hemisphereRole] {
            let letters = text.extracting(row.cells[column.index])
            switch CSVNumber.hemisphere(letters, role) {
            case .none: break
            case .south, .west: degrees = -degrees.magnitude
            case .north where degrees >= 0, .east where degrees >= 0: break
            default:
                if column.isUnnamed, !CSVNumber.isHemisphere(letters) { break }
                sink.reject(
                    at: row.place(column.index),
                    "\(quote(letters)) is no hemisphere of \(role) \(degrees)"
                )
                return nil
            }
        }
        if let problem = TrackSink.rangeProblem(isLatitude: role == .latitude, degrees) {
            sink.reject(at: place, problem)
            return nil
        }
        return degrees
    }

    private func value(_ text: Span<UInt8>, _ row: CSVRow, _ role: CSVHeader.Role) -> Double {
        guard let column = header[role] else { return .nan }
        let cell = row.cells[column.index]
        guard !cell.isEmpty else { return .nan }
        if let value = CSVNumber.value(text, cell, header.separator) {
            // In whatever unit, it stands for what is unknown; of altitudes it is one.
            let isUnknown =
                value == TrackSink.unknown && role != .altitude && role != .ellipsoidalAltitude
            return isUnknown ? .nan : value * column.factor
        }
        if let value = CSVNumber.measured(text, cell, role, header.separator) { return value }
        sink.log.add(
            .warning,
            at: row.place(column.index),
            "\(role) \(quote(text.extracting(cell))) is not a decimal number and not used"
        )
        return .nan
    }

    private func takeTime(_ text: Span<UInt8>, _ row: CSVRow, _ point: inout TrackPoint) {
        let time = header[.time]?.index
        let date = header[.date]?.index
        guard let index = time ?? date else { return }
        let reading = times.read(
            text,
            date: date.map { row.cells[$0] } ?? 0..<0,
            time: time.map { row.cells[$0] } ?? 0..<0
        )
        switch reading {
        case .none: break
        case .time(let time, let assumedZone):
            point.time = time.milliseconds
            if assumedZone { zoneNote.add(to: sink, at: row.place(index)) }
            if areDaysDoubtful {
                areDaysDoubtful = false
                sink.log.add(
                    .warning,
                    at: row.place(index),
                    "times are taken for seconds since 1970; as a spreadsheet's days they would "
                        + "need a fraction"
                )
            }
            if times.countsDays, !hasNotedDays {
                hasNotedDays = true
                sink.log.add(
                    .note,
                    at: row.place(index),
                    "times are taken for a spreadsheet's days since 1899-12-30"
                )
            }
        case .fault(let isDate, let message):
            let index = isDate ? date ?? index : index
            let cell = text.extracting(row.cells[index])
            sink.log.add(.warning, at: row.place(index), "\(quote(cell)) is \(message)")
        }
    }
}

/// A row that was cut into cells.
private struct CSVRow {
    let cells: CSVCells
    let number: Int

    func place(_ column: Int) -> Place {
        Place(line: number, column: cells[column].lowerBound + 1)
    }
}
