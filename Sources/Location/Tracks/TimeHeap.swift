/// Points by their time, the earliest first; equal times in the order in which they came.
struct TimeHeap {
    private struct Entry {
        var sequence: UInt64
        var point: TrackPoint

        func isBefore(_ other: Entry) -> Bool {
            if point.time != other.point.time { return point.time < other.point.time }
            return sequence < other.sequence
        }
    }

    private var entries: [Entry] = []
    private var sequence: UInt64 = 0

    var count: Int { entries.count }

    /// An empty heap with room for so many points: growing step by step would take twice the
    /// memory, and what is not used of it is never touched.
    init(capacity: Int) {
        entries.reserveCapacity(capacity)
    }

    mutating func insert(_ point: TrackPoint) {
        entries.append(Entry(sequence: sequence, point: point))
        sequence += 1
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].isBefore(entries[parent]) else { break }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    mutating func popFirst() -> TrackPoint? {
        guard let last = entries.popLast() else { return nil }
        guard let first = entries.first else { return last.point }
        entries[0] = last
        var parent = 0
        while true {
            var child = parent * 2 + 1
            guard child < entries.count else { break }
            if child + 1 < entries.count, entries[child + 1].isBefore(entries[child]) { child += 1 }
            guard entries[child].isBefore(entries[parent]) else { break }
            entries.swapAt(child, parent)
            parent = child
        }
        return first.point
    }
}
