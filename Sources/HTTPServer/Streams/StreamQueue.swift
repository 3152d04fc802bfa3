/// The items that wait for one client, at most as many as its capacity.
///
/// The item that has been sent in part stays first until the rest is sent, whatever overflows:
/// half an event would spoil the stream.
struct StreamQueue {
    /// What the reader finds at the front.
    enum Front {
        case empty
        /// The item, of which `offset` bytes have been sent, counted as the sender counts them.
        case bytes(SharedBytes, offset: Int)
        /// Something that the reader replaces by bytes, which are made outside of every lock.
        case pending(Pending)
    }

    /// What bytes are to be made of.
    enum Pending: Equatable {
        /// So many items were skipped here.
        case gap(Int)
        /// The item begins what a skipped one of its key began, and does not say so yet.
        case beginning(SharedBytes)
    }

    /// What became of an item.
    enum Outcome: Equatable {
        case queued
        /// So many items had to go.
        case skipped(Int)
        /// Nothing was skipped because nothing may be: the stream is to be closed.
        case full
    }

    private enum Entry {
        case item(StreamItem)
        case gap(Int)
        /// An item in the place of a skipped one that began something.
        case heir(StreamItem)
    }

    private let capacity: Int
    private let skips: Bool
    private var entries: [Entry] = []
    private var head = 0
    private var offset = 0
    /// How many entries at the front were appended as one burst, or before it: they do not count
    /// towards the capacity, and nothing supersedes them.
    private var exempt = 0

    init(capacity: Int, skips: Bool) {
        self.capacity = capacity
        self.skips = skips
    }

    var isEmpty: Bool { head == entries.count }
    var count: Int { entries.count - head }
    /// Whether the first item has been sent in part.
    var isPartial: Bool { offset > 0 }

    var front: Front {
        guard head < entries.count else { return .empty }
        switch entries[head] {
        case .item(let item): return .bytes(item.bytes, offset: offset)
        case .gap(let count): return .pending(.gap(count))
        case .heir(let item): return .pending(.beginning(item.bytes))
        }
    }

    /// Appends an item, making room if it must.
    mutating func append(_ item: StreamItem) -> Outcome {
        guard !item.bytes.isEmpty else { return .queued }
        guard count - exempt >= capacity else {
            entries.append(.item(item))
            return .queued
        }
        guard skips else { return .full }
        entries.append(.item(item))
        let skipped = supersede()
        // The newest item of each key stays, and so do the control items, of which there are few;
        // with more than these the client is hopeless.
        guard controlCount <= 8 * capacity + 64 else { return .full }
        return skipped > 0 ? .skipped(skipped) : .queued
    }

    /// Appends items that belong together, without regard to the capacity.
    mutating func append(burst items: [StreamItem]) {
        for item in items { appendLast(item) }
        exempt = count
    }

    /// Appends an item without regard to the capacity: what the server itself says.
    mutating func appendLast(_ item: StreamItem) {
        if !item.bytes.isEmpty { entries.append(.item(item)) }
    }

    /// Notes that `count` more bytes of the front have been sent, whose length is `length`.
    ///
    /// Returns whether that completed it.
    mutating func advance(by count: Int, of length: Int) -> Bool {
        guard offset + count >= length else {
            offset += count
            return false
        }
        removeFirst()
        return true
    }

    /// The item after the first `index` ones, unless its bytes are yet to be made.
    func item(at index: Int) -> SharedBytes? {
        guard index < count, case .item(let item) = entries[head + index] else { return nil }
        return item.bytes
    }

    /// Puts the bytes that were made of something in its place, if it is still at the front.
    mutating func replace(_ pending: Pending, by bytes: SharedBytes) {
        // More may have been skipped since it was seen; then it is looked at again.
        guard case .pending(pending) = front else { return }
        guard !bytes.isEmpty else { return removeFirst() }
        var item = StreamItem(bytes: bytes)
        if case .heir(let heir) = entries[head] { (item.key, item.begins) = (heir.key, true) }
        entries[head] = .item(item)
    }

    /// Drops everything but the item that has been sent in part.
    mutating func removeUnsent() {
        let partial = isPartial ? [entries[head]] : []
        entries = partial
        head = 0
        exempt = 0
    }

    /// Drops everything.
    mutating func removeAll() {
        entries = []
        head = 0
        offset = 0
        exempt = 0
    }

    private var controlCount: Int {
        entries[head...].count { entry in
            if case .item(let item) = entry { item.key < 0 } else { false }
        }
    }

    private mutating func removeFirst() {
        offset = 0
        head += 1
        exempt = max(0, exempt - 1)
        if head == entries.count {
            // An idle stream should not hold what a burst once needed.
            if entries.capacity > 8 {
                entries = []
            } else {
                entries.removeAll(keepingCapacity: true)
            }
            head = 0
        } else if head >= 64, head * 2 >= entries.count {
            entries.removeFirst(head)
            head = 0
        }
    }

    /// Keeps the newest item of each key, all control items and the item sent in part, and puts one
    /// gap before them for all that went, in this and in earlier overflows.
    ///
    /// What a skipped item began, the one of its key that stays begins.
    ///
    /// Returns how many went.
    private mutating func supersede() -> Int {
        var seen: Set<Int> = []
        var begun: Set<Int> = []
        var kept: [Entry] = []
        var skipped = 0
        var earlier = 0
        let firstWhole = head + max(exempt, isPartial ? 1 : 0)
        for index in stride(from: entries.count - 1, through: firstWhole, by: -1) {
            switch entries[index] {
            case .gap(let count): earlier += count
            case .item(let item), .heir(let item):
                if item.key >= 0, !seen.insert(item.key).inserted {
                    skipped += 1
                    if item.begins { begun.insert(item.key) }
                } else {
                    kept.append(entries[index])
                }
            }
        }
        if !begun.isEmpty { kept = kept.map { Self.heir($0, of: begun) } }
        if skipped + earlier > 0 { kept.append(.gap(skipped + earlier)) }
        kept += entries[head..<firstWhole].reversed()
        entries = kept.reversed()
        head = 0
        return skipped
    }

    private static func heir(_ entry: Entry, of begun: Set<Int>) -> Entry {
        guard case .item(var item) = entry, !item.begins, begun.contains(item.key) else {
            return entry
        }
        item.begins = true
        return .heir(item)
    }
}
