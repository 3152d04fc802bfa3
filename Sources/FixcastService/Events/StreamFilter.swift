internal import Location

/// Decides which fixes a stream is sent and when: area, distance, interval and number.
///
/// A pure value: it is told events and times and answers with what to send. With `minInterval` a
/// fix that leaves opens a window of that length; while it is open, the newest fix of each device
/// is held back until its end, and then they leave by rising id. There is one row of windows for
/// all devices of a stream, because ids must only grow on it: `Last-Event-ID` could not be a cursor
/// if a fix that was held back left after a newer one of another device. For the same reason the
/// very first fix of a device, which leaves at once, takes along what is held back, and a new
/// window begins.
///
/// What is left out may have been the beginning of something that does not continue what was sent
/// before; then the next fix of that device says so in its place.
struct StreamFilter: Sendable {
    /// A fix as this stream is sent it.
    struct Item {
        let event: StreamEvent
        /// Whether it does not continue the fix of its device that was sent before it.
        let isDiscontinuous: Bool
    }

    /// What to send now, and what to do after it.
    struct Output {
        var items: [Item] = []
        /// The limit is reached: the stream ends after these.
        var isLast = false
        /// Call `closeWindow(at:)` at this time.
        var window: Duration?
    }

    private let interval: Duration?
    private let distance: Double?
    private let box: StreamQuery.BoundingBox?
    private var remaining: Int?
    private var sent: [Int: Geodesy.Position] = [:]
    private var held: [Int: Item] = [:]
    /// Devices of which something new has begun since their last fix was sent or held back.
    private var interrupted: Set<Int> = []
    private var windowEnd: Duration?

    init(_ query: StreamQuery) {
        interval = query.minimumInterval.flatMap { $0 > .zero ? $0 : nil }
        distance = query.minimumDistance.flatMap { $0 > 0 ? $0 : nil }
        box = query.boundingBox
        remaining = query.limit
    }

    /// A fix has come.
    mutating func receive(_ event: StreamEvent, now: Duration) -> Output {
        if event.fix.discontinuity { interrupted.insert(event.device) }
        if let box, !box.contains(event.fix) { return Output() }
        if let distance, let last = sent[event.device],
            Geodesy.inverse(from: last, to: event.fix.position).distance < distance
        {
            return Output()
        }
        let item = item(event)
        guard let interval else { return output([item]) }
        if windowEnd != nil, sent[event.device] != nil {
            held[event.device] = item
            return Output()
        }
        return openWindow(until: now + interval, output: output(takeHeld() + [item]))
    }

    /// The window that was asked for until `deadline` is over, unless another one has begun.
    mutating func closeWindow(at deadline: Duration) -> Output {
        guard windowEnd == deadline else { return Output() }
        windowEnd = nil
        let items = takeHeld()
        guard let interval, !items.isEmpty else { return Output() }
        return openWindow(until: deadline + interval, output: output(items))
    }

    /// Nothing more will come for now: what is held back leaves.
    mutating func flush() -> Output {
        output(takeHeld())
    }

    private mutating func openWindow(until deadline: Duration, output: Output) -> Output {
        guard !output.isLast else { return output }
        windowEnd = deadline
        var output = output
        output.window = deadline
        return output
    }

    /// The fix of an event in the place of what was left out and held back before it.
    private mutating func item(_ event: StreamEvent) -> Item {
        let isInterrupted = !interrupted.isEmpty && interrupted.remove(event.device) != nil
        let superseded = held.isEmpty ? nil : held[event.device]
        return Item(
            event: event,
            isDiscontinuous: isInterrupted || superseded?.isDiscontinuous == true
        )
    }

    private mutating func takeHeld() -> [Item] {
        let items = held.values.sorted { $0.event.id.sequence < $1.event.id.sequence }
        held = [:]
        return items
    }

    private mutating func output(_ items: [Item]) -> Output {
        var output = Output()
        output.items = Array(items.prefix(remaining ?? items.count))
        if let remaining {
            self.remaining = remaining - output.items.count
            output.isLast = remaining == output.items.count
        }
        guard interval != nil || distance != nil else { return output }
        for item in output.items { sent[item.event.device] = item.event.fix.position }
        return output
    }
}

extension Fix {
    var position: Geodesy.Position {
        Geodesy.Position(latitude: latitude, longitude: longitude)
    }
}
