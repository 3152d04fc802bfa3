/// Tells by the first rows of a CSV file what the numbers of a column mean, and holds them back
/// until then.
///
/// A column `id` holds devices, or the numbers of rows: names are devices, and numbers are too,
/// where one of them comes again; rows that are numbered have each its own.
///
/// A first time that is a whole number may be a spreadsheet's day at midnight: it is, where a later
/// one is a day with a fraction.
struct CSVFirstRows {
    /// How many rows are looked at, and how many bytes of them are held back.
    private static let mostRows = 1000
    private static let mostBytes = 1 << 20
    /// How many of a feed whose fixes are waited for.
    private static let mostLiveRows = 8

    /// Whether times are a spreadsheet's days.
    enum Days {
        /// No time has come yet.
        case open
        /// All times that came are whole and may be days.
        case doubtful
        case yes
        /// They are none, and where it stays in doubt they are taken for none.
        case no(isDoubtful: Bool)
    }

    /// Whether the column `id` holds devices.
    private(set) var areDevices = false
    private(set) var days: Days
    private var hasToldDevices: Bool
    private let mostRows: Int
    private var held: [CSVRows.Row] = []
    private var heldBytes = 0
    private var numbers: Set<Double> = []

    /// - Parameters:
    ///   - isLive: Whether fixes are waited for.
    ///   - hasID: Whether there is a column `id` that may hold devices.
    ///   - hasTimes: Whether there is one column of times, which may be days.
    init(isLive: Bool, hasID: Bool, hasTimes: Bool) {
        mostRows = isLive ? CSVFirstRows.mostLiveRows : CSVFirstRows.mostRows
        hasToldDevices = !hasID
        days = hasTimes ? .open : .no(isDoubtful: false)
    }

    /// Whether all is told and rows need not be held back.
    var isTold: Bool { hasToldDevices && hasToldDays }

    private var hasToldDays: Bool {
        switch days {
        case .open, .doubtful: false
        case .yes, .no: true
        }
    }

    /// Holds back a row with that id and that time in it, until more tell.
    mutating func hold(_ text: Span<UInt8>, _ number: Int, id: Range<Int>, time: Time) {
        held.append(CSVRows.Row(number: number, text: text.indices.map { text[$0] }))
        heldBytes += text.count
        if !hasToldDevices, !id.isEmpty { lookAtID(text, id) }
        if !hasToldDays { lookAtTime(time) }
        if held.count >= mostRows || heldBytes >= CSVFirstRows.mostBytes { decide() }
    }

    private mutating func lookAtID(_ text: Span<UInt8>, _ id: Range<Int>) {
        if let value = Decimal.parse(text, id), numbers.insert(value).inserted { return }
        areDevices = true
        hasToldDevices = true
    }

    /// What a cell with a time may be.
    enum Time {
        case empty
        case wholeDay
        case dayWithFraction
        case other
    }

    private mutating func lookAtTime(_ time: Time) {
        switch time {
        case .empty: break
        case .wholeDay: days = .doubtful
        case .dayWithFraction: days = .yes
        case .other:
            if case .doubtful = days {
                days = .no(isDoubtful: true)
            } else {
                days = .no(isDoubtful: false)
            }
        }
    }

    /// No more rows come for now: what has come tells.
    mutating func decide() {
        guard !held.isEmpty else { return }
        hasToldDevices = true
        switch days {
        case .open: days = .no(isDoubtful: false)
        case .doubtful: days = .no(isDoubtful: true)
        case .yes, .no: break
        }
    }

    /// The rows that were held back.
    mutating func takeRows() -> [CSVRows.Row] {
        defer { held = [] }
        numbers = []
        return held
    }
}
