/// The values that a newcomer gets: a pure value.
///
/// What its methods hand back are values that are no longer needed; the caller releases them
/// outside of its lock.
@usableFromInline
struct ReplayBuffer<Value: Sendable>: Sendable {
    /// A value, when it came, and its place among all.
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline
        let value: Value
        @usableFromInline
        let time: Duration
        @usableFromInline
        let order: Int

        @inlinable
        init(value: Value, time: Duration, order: Int) {
            self.value = value
            self.time = time
            self.order = order
        }
    }

    @usableFromInline
    let capacity: Int
    @usableFromInline
    let maximumAge: Duration?
    @usableFromInline
    let atStop: ReplayAtStop
    /// Whether it is the newest of all values that is kept, which is the common case.
    @usableFromInline
    let keepsOne: Bool

    @usableFromInline
    var newest: Entry?
    @usableFromInline
    var byKey: [Int: Ring<Entry>] = [:]
    @usableFromInline
    var nextOrder = 0
    /// When everything expires, if no run begins before.
    @usableFromInline
    var expiry: Duration?

    @inlinable
    init(capacity: Int, isKeyed: Bool, maximumAge: Duration?, atStop: ReplayAtStop) {
        self.capacity = capacity
        self.maximumAge = maximumAge
        self.atStop = atStop
        keepsOne = capacity == 1 && !isKeyed
    }

    /// Keeps a value; returns the one that it replaces.
    @inlinable
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

    /// The newest value, where only that is kept, if it is young enough.
    @inlinable
    func newest(now: Duration) -> Entry? {
        guard let newest, isYoung(newest, now) else { return nil }
        if let expiry, expiry <= now { return nil }
        return newest
    }

    /// What is young enough, in order of arrival.
    @inlinable
    func entries(now: Duration) -> [Entry] {
        if keepsOne { return newest(now: now).map { [$0] } ?? [] }
        if let expiry, expiry <= now { return [] }
        var entries: [Entry] = []
        for ring in byKey.values {
            for offset in 0..<ring.count where isYoung(ring[offset], now) {
                entries.append(ring[offset])
            }
        }
        return entries.sorted { $0.order < $1.order }
    }

    /// A run begins: what it does not replace stays, unless it has expired.
    @inlinable
    mutating func runBegan(now: Duration) -> [Entry] {
        let removed = expire(now: now)
        expiry = nil
        return removed
    }

    /// A run ended.
    @inlinable
    mutating func runEnded(now: Duration) -> [Entry] {
        switch atStop {
        case .keep:
            return []
        case .clear:
            return removeAll()
        case .expire(let delay):
            expiry = now + delay
            return []
        }
    }

    /// Time has passed.
    @inlinable
    mutating func expire(now: Duration) -> [Entry] {
        guard let expiry, expiry <= now else { return [] }
        self.expiry = nil
        return removeAll()
    }

    /// Forgets everything.
    @inlinable
    mutating func removeAll() -> [Entry] {
        var removed: [Entry] = []
        if let newest { removed.append(newest) }
        for ring in byKey.values {
            for offset in 0..<ring.count { removed.append(ring[offset]) }
        }
        newest = nil
        byKey = [:]
        return removed
    }

    @inlinable
    func isYoung(_ entry: Entry, _ now: Duration) -> Bool {
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

    @usableFromInline
    var isTimed: Bool {
        if case .expire = self { true } else { false }
    }
}
