/// Turns the positions of a file into fixes, each device on its own.
///
/// These are the rules for order, holes, gaps, duplicates and times that are far off.
struct Normaliser {
    private let rules: NormaliserRules
    private var lanes: [Lane] = []
    private var hasFinishedLanes = false
    private(set) var output: NormaliserOutput

    /// - Parameters:
    ///   - options: What the user chose.
    ///   - isLive: Whether fixes are wanted at once, without looking ahead.
    ///   - foresight: Reads the whole file once more, for what becomes of stretches that are longer
    ///     than the window; nil where it cannot be read again.
    init(
        options: TrackOptions,
        isLive: Bool = false,
        foresight: (() -> Foresight?)? = nil
    ) {
        rules = NormaliserRules(options: options, isLive: isLive, foresight: foresight)
        output = NormaliserOutput(sorts: options.order == .sort && !isLive)
    }

    /// Takes the next position of the file, of one of the sink's devices.
    mutating func accept(
        _ point: TrackPoint,
        _ devices: [TrackSink.Device],
        _ log: inout DiagnosticLog
    ) {
        let index = Int(point.device)
        while lanes.count <= index { lanes.append(Lane(name: devices[lanes.count].name, rules)) }
        lanes[index].accept(point, rules, &output, &log)
        if output.sorts { sort(downTo: NormaliserOutput.sortWindow, &log) }
    }

    /// A live feed begins anew, perhaps with what it gave before; that is left out, however far
    /// back it goes, until a device has a newer position or `endCatchingUp` is called.
    mutating func beginCatchingUp() {
        for index in lanes.indices { lanes[index].beginCatchingUp() }
    }

    /// What a live feed gave before has been gone through.
    mutating func endCatchingUp() {
        for index in lanes.indices { lanes[index].endCatchingUp() }
    }

    /// The file has ended: what is held back comes out, some at a time; false where there is more
    /// of it and this is to be called again.
    mutating func finish(_ log: inout DiagnosticLog) -> Bool {
        if !hasFinishedLanes {
            hasFinishedLanes = true
            for index in lanes.indices { lanes[index].finish(rules, &output, &log) }
        }
        sort(downTo: max(0, output.sorted.count - NormaliserOutput.batch), &log)
        guard output.sorted.count == 0 else { return false }
        for index in lanes.indices { lanes[index].flush(rules, &output) }
        return true
    }

    /// Takes the fixes that have come out since the last call.
    ///
    /// What is in `fixes` is thrown away, its memory is used again.
    mutating func takeFixes(into fixes: inout [TrackFix]) {
        fixes.removeAll(keepingCapacity: true)
        swap(&fixes, &output.fixes)
    }

    private mutating func sort(downTo count: Int, _ log: inout DiagnosticLog) {
        while output.sorted.count > count, let point = output.sorted.popFirst() {
            lanes[Int(point.device)].emitSorted(point, rules, &output, &log)
        }
    }
}

/// What all lanes of a normaliser go by.
struct NormaliserRules {
    /// Positions held back in a file that can be read again.
    static let window = 512
    /// Positions held back where it cannot.
    static let streamWindow = 65_536
    static let day: Int64 = 86_400_000
    static let hour: Int64 = 3_600_000
    /// By less than this a fix of a live feed may be late; one further back is not.
    static let liveReach: Int64 = 60_000
    /// How many positions without a time may stand between one with a doubtful time and the next.
    static let neighbourReach = 65_536

    let order: TrackOptions.Order
    /// Metres per millisecond.
    let pace: Double
    let speed: Double
    let maxGap: Int64
    let isLive: Bool
    /// How many positions of one device are held back at most until it is known what becomes of
    /// them.
    let window: Int
    /// Whether what is beyond the window can be found out.
    let canReadAgain: Bool
    private let foresightSource: ForesightSource

    /// What a first reading found out, made when it is first asked for.
    ///
    /// Nil where the file cannot be read again.
    var foresight: Foresight? { foresightSource.foresight }

    init(options: TrackOptions, isLive: Bool, foresight: (() -> Foresight?)?) {
        order = isLive && options.order == .sort ? .drop : options.order
        speed = options.speed
        pace = options.speed / 1000
        let (seconds, attoseconds) = options.maxGap.components
        let milliseconds = Double(seconds) * 1000 + Double(attoseconds) / 1e15
        maxGap = Int64(min(max(milliseconds, 0), 9e15))
        self.isLive = isLive
        canReadAgain = foresight != nil
        window = foresight == nil ? NormaliserRules.streamWindow : NormaliserRules.window
        foresightSource = ForesightSource(read: foresight)
    }
}

/// Reads ahead when that is first needed, and once.
private final class ForesightSource {
    private var read: (() -> Foresight?)?
    private var found: Foresight?

    init(read: (() -> Foresight?)?) {
        self.read = read
    }

    var foresight: Foresight? {
        if let read {
            found = read()
            self.read = nil
        }
        return found
    }
}

/// What comes out of the lanes, and the counts of the report.
struct NormaliserOutput {
    /// What `order=sort` sorts within.
    static let sortWindow = 100_000
    /// How many of them come out at a time at the end.
    static let batch = 4096

    var fixes: [TrackFix] = []
    var sorted: TimeHeap
    let sorts: Bool

    var fixCount = 0
    var untimed = 0
    var interpolated = 0
    var duplicates = 0
    var outOfOrder = 0
    var dropped = 0
    var rejected = 0
    var discontinuities = 0
    var first = Int64.max
    var last = Int64.min
    var countedFirst = Int64.max
    var countedLast = Int64.min
    var length = 0.0

    init(sorts: Bool) {
        self.sorts = sorts
        sorted = TimeHeap(capacity: sorts ? NormaliserOutput.sortWindow + 1 : 0)
    }
}
