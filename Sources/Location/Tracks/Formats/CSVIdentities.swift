/// Tells whether a column `id` holds devices or the numbers of rows, by the first rows.
///
/// Names are devices. Numbers are too, where one of them comes again; rows that are numbered have
/// each its own.
struct CSVIdentities {
    /// How many rows are looked at, and how many bytes of them are held back.
    private static let mostRows = 1000
    private static let mostBytes = 1 << 20
    /// How many of a feed whose fixes are waited for.
    private static let mostLiveRows = 8

    /// Whether it holds devices; nil until that is told.
    private(set) var areDevices: Bool?
    private let mostRows: Int
    private var held: [CSVRows.Row] = []
    private var heldBytes = 0
    private var numbers: Set<Double> = []

    init(isLive: Bool) {
        mostRows = isLive ? CSVIdentities.mostLiveRows : CSVIdentities.mostRows
    }

    /// Holds back a row with that id in it, until more tell.
    mutating func hold(_ text: Span<UInt8>, _ number: Int, id: Range<Int>) {
        held.append(CSVRows.Row(number: number, text: text.indices.map { text[$0] }))
        heldBytes += text.count
        if !id.isEmpty {
            if let value = Decimal.parse(text, id) {
                if !numbers.insert(value).inserted { areDevices = true }
            } else {
                areDevices = true
            }
        }
        if held.count >= mostRows || heldBytes >= CSVIdentities.mostBytes { decide() }
    }

    /// No more rows come for now: what has come tells.
    mutating func decide() {
        if areDevices == nil, !held.isEmpty { areDevices = false }
    }

    /// The rows that were held back.
    mutating func takeRows() -> [CSVRows.Row] {
        defer { held = [] }
        numbers = []
        return held
    }
}
