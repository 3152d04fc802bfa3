/// What the columns of a CSV file hold, by the names in its header.
struct CSVHeader {
    /// A column of use.
    struct Column {
        var index: Int
        /// What its numbers are multiplied by to become metres or metres per second.
        var factor = 1.0
        /// Of a count since a moment: in which part of a second, 10 to that power.
        var scale: Int?
        /// Whether its name is empty: it is taken for what often stands there.
        var isUnnamed = false
        /// How well its name fits.
        fileprivate var rank = 0
        fileprivate var unknownUnit: String?
    }

    /// A column whose unit is not known.
    struct UnknownUnit {
        /// What is wrong.
        var message: String
        /// Where its name stands, counted from 1.
        var column: Int
    }

    let separator: UInt8
    let count: Int
    /// The columns that are not used because their unit is not known.
    private(set) var unknownUnits: [UnknownUnit] = []
    private var columns = [Column?](repeating: nil, count: Role.allCases.count)
    private var names: [CSVName] = []
    /// Whether the rows are of ships, whose speeds are in knots.
    private var isOfShips = false
    /// Where the names stand, counted from 1.
    private var places: [Int] = []

    /// The separator that a line names as Excel writes it before the header, `sep=;`.
    static func separator(namedBy line: ArraySlice<UInt8>) -> UInt8? {
        let bytes = line.filter { $0 != UInt8(ascii: "\"") && $0 != 0x20 && $0 != 0x0D }
        guard bytes.count == 5, String(decoding: bytes[..<4], as: UTF8.self).lowercased() == "sep="
        else { return nil }
        return bytes[4]
    }

    /// Reads a header; nil where no columns of latitude and longitude are in it.
    ///
    /// - Parameters:
    ///   - line: The header, which may be written as a comment.
    ///   - named: The separator that a line before it names.
    ///   - comment: A comment right before it, which may name the unit of each column.
    init?(
        _ line: ArraySlice<UInt8>,
        separator named: UInt8? = nil,
        comment: ArraySlice<UInt8> = []
    ) {
        let text = CSVHeader.withoutMark(line)
        separator =
            named ?? [0x09, UInt8(ascii: ";"), UInt8(ascii: "|")].first { text.contains($0) }
            ?? UInt8(ascii: ",")
        let cells = CSVHeader.cells(text, separator)
        count = cells.count
        names = cells.map { CSVName($0.text) }
        isOfShips = names.contains { $0.joined == "mmsi" }
        places = cells.map { $0.start + text.startIndex - line.startIndex + 1 }
        let units = CSVHeader.cells(CSVHeader.withoutMark(comment), separator).map(\.text)
        for index in 0..<count { add(index, unit: units.count == count ? units[index] : nil) }
        if self[.latitude] == nil, self[.longitude] == nil {
            self[.latitude] = self[.y]
            self[.longitude] = self[.x]
        }
        guard self[.latitude] != nil, self[.longitude] != nil else { return nil }
        addUnnamedHemispheres()
    }

    /// The column with a role.
    subscript(_ role: Role) -> Column? {
        get { columns[role.rawValue] }
        set { columns[role.rawValue] = newValue }
    }

    /// Why the file cannot be used: a column that rows are of no use without has no known unit.
    var refusal: UnknownUnit? {
        for role in [Role.latitude, .longitude, .time, .date] {
            if let column = self[role], let unit = column.unknownUnit {
                return unknownUnit(unit, column.index)
            }
        }
        return nil
    }

    /// The names of the columns that have no role.
    var unusedNames: [String] {
        let used = Set(columns.compactMap { $0?.index })
        return names.indices.filter { !used.contains($0) }.map { names[$0].text }
            .filter { !$0.isEmpty }
    }

    /// Whether a line may be a row under it: both coordinates have a digit.
    func fits(_ line: ArraySlice<UInt8>) -> Bool {
        let cells = CSVHeader.cells(line, separator)
        return [self[.latitude], self[.longitude]].allSatisfy { column in
            guard let index = column?.index, index < cells.count else { return false }
            return cells[index].text.contains(where: \.isNumber)
        }
    }

    /// Whether a line that stands where the header was expected is a row under it.
    func isRow(_ line: ArraySlice<UInt8>) -> Bool {
        CSVHeader.cells(line, separator).count == count && fits(line)
    }

    private mutating func add(_ index: Int, unit written: String?) {
        let name = names[index]
        guard let fit = CSVHeader.fit(name) else { return }
        var column = Column(index: index, rank: fit.rank)
        switch CSVUnit.unit(in: name, fit.role) {
        case .none:
            guard let factor = factor(withoutUnit: name, fit.role, written) else { return }
            column.factor = factor
        case .factor(let factor): column.factor = factor
        case .count(let scale): column.scale = scale
        case .unknown(let unit) where fit.role.isEssential: column.unknownUnit = unit
        case .unknown(let unit): return unknownUnits.append(unknownUnit(unit, index))
        }
        if let known = self[fit.role], known.rank >= column.rank { return }
        self[fit.role] = column
    }

    /// What numbers under a name without a unit are multiplied by; nil where that is not clear.
    private func factor(withoutUnit name: CSVName, _ role: Role, _ written: String?) -> Double? {
        // Aircraft have a comment before the header with the units, as `ft msl`.
        if let written, !written.isEmpty,
            case .factor(let factor) = CSVUnit.unit(in: CSVName("(\(written))"), role)
        {
            return factor
        }
        // Speeds over ground that have these names are in knots, where they are those of ships.
        guard role == .speed, name.hasWord(of: ["sog", "spd"]) else { return 1 }
        return isOfShips ? CSVUnit.factor("knots", role) : nil
    }

    private func unknownUnit(_ unit: String, _ index: Int) -> UnknownUnit {
        let words = names[index].words.joined(separator: " ")
        return UnknownUnit(
            message: "the unit \"\(unit)\" of column \"\(words)\" is not known",
            column: places[index]
        )
    }

    /// A column without a name that follows a coordinate may hold the letter of its hemisphere.
    private mutating func addUnnamedHemispheres() {
        for (role, coordinate) in [
            (Role.latitudeHemisphere, Role.latitude), (.longitudeHemisphere, .longitude),
        ] {
            guard self[role] == nil, let column = self[coordinate] else { continue }
            let next = column.index + 1
            guard next < count, names[next].text.isEmpty else { continue }
            self[role] = Column(index: next, isUnnamed: true)
        }
    }

    /// A line without blanks and the marks of a comment in front.
    private static func withoutMark(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        // A tab may be an empty first cell, but no header has one.
        line.drop { Decimal.isSpace($0) || $0 == UInt8(ascii: "#") }
    }

    private static func cells(
        _ line: ArraySlice<UInt8>,
        _ separator: UInt8
    ) -> [(text: String, start: Int)] {
        let text = Array(line)
        var cells = CSVCells(separator: separator, limit: text.count + 1)
        cells.split(text.span)
        return (0..<cells.count).map { index in
            (
                String(decoding: cells.bytes(text.span, index), as: UTF8.self),
                cells[index].lowerBound
            )
        }
    }
}
