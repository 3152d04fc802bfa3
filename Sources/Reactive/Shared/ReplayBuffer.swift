/// The values that a newcomer gets: a pure value.
///
/// What its methods hand back are values that are no longer needed; the caller releases them
/// outside of its lock.
struct ReplayBuffer<Value: Sendable> {
    /// A value, when it came, and its place among all.
    struct Entry {
        let value: Value
        let time: Duration
        let order: Int
    }

    let capacity: Int
    let maximumAge: Duration?
    let atStop: ReplayAtStop

    /// The newest value when one without key is kept, which is the common case.
    private var newest: Entry?
    private var byKey: [Int: Ring<Entry>] = [:]
    private let keepsOne: Bool
    private var nextOrder = 0
    /// When everything expires, if no run begins before.
    private(set) var expiry: Duration?

    init(capacity: Int, isKeyed: Bool, maximumAge: Duration?, atStop: ReplayAtStop) {
        self.capacity = capacity
        self.maximumAge = maximumAge
        self.atStop = atStop
        keepsOne = capacity == 1 && !isKeyed
    }

    /// Keeps a value; returns the one that it replaces.
    mutating func append(_ value: Value, key: Int, now: Duration) -> Entry? {
        guard capacity > 0 else { return nil }
        let entry = Entry(value: value, time: now, order: nextOrder)
        nextOrder += 1
        if keepsOne {
            let previous = newest
            newest = entry
            return previous
        }
        byKey[key, default: Ring()].append(entry)
        guard let count = byKey[key]?.count, count > capacity else { return nil }
        return byKey[key]?.popFirst()
    }

    /// What is young enough, in order of arrival.
    func entries(now: Duration) -> [Entry] {
        if let expiry, expiry <= now { return [] }
        if keepsOne {
            guard let newest, isYoung(newest, now) else { return [] }
            return [newest]
        }
        var entries: [Entry] = []
        for ring in byKey.values {
            for offset in 0..<ring.count where isYoung(ring[offset], now) {
                entries.append(ring[offset])
            }
        }
        return entries.sorted { $0.order < $1.order }
    }

    /// A run begins: what it does not replace stays, unless it has expired.
    mutating func runBegan(now: Duration) -> ReplayBuffer? {
        let removed = expire(now: now)
        expiry = nil
        return removed
    }

    /// A run ended.
    mutating func runEnded(now: Duration) -> ReplayBuffer? {
        switch atStop {
        case .keep: return nil
        case .clear: return removeAll()
        case .expire(let delay):
            expiry = now + delay
            return nil
        }
    }

    /// Time has passed.
    mutating func expire(now: Duration) -> ReplayBuffer? {
        guard let expiry, expiry <= now else { return nil }
        self.expiry = nil
        return removeAll()
    }

    /// Forgets everything.
    mutating func removeAll() -> ReplayBuffer? {
        let removed = self
        newest = nil
        byKey = [:]
        return removed
    }

    private func isYoung(_ entry: Entry, _ now: Duration) -> Bool {
        guard let maximumAge else { return true }
        return now - entry.time <= maximumAge
    }
}

/// What becomes of a shared signal's kept values when its run ends.
public enum ReplayAtStop: Sendable, Equatable {
    /// They stay; the next run's first newcomer gets them before anything new.
    case keep
    /// They are forgotten at once.
    case clear
    /// They are forgotten this long after the end, unless a run has begun by then.
    case expire(after: Duration)

    var isTimed: Bool {
        if case .expire = self { true } else { false }
    }
}
