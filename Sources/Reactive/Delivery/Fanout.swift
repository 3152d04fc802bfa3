/// The members of a signal and the events that are on their way to them.
///
/// A pure value, kept behind the lock of the signal that owns it. Every event gets a sequence
/// number and is kept in a log until no thread is delivering. A thread delivers an event by a
/// *pass* over the members. Each member has a position in the log, so any thread that gets inside
/// one can bring it up to date, in order, and a member whose callback is slow holds up nobody but
/// itself.
@usableFromInline
struct Fanout<Value: Sendable, Failure: Error> {
    @usableFromInline
    typealias Action = @Sendable (Event<Value, Failure>) -> Void

    /// How many events a member may lag behind; beyond it the oldest are dropped.
    @usableFromInline
    let lagLimit: Int

    @usableFromInline
    var members = SlotTable<Member>()
    /// The members in order, rebuilt when needed after a change.
    @usableFromInline
    var audience: Audience?
    /// The member that was last delivered to directly, see ``directPass(_:thread:)``.
    @usableFromInline
    var direct: Observation? { didSet { directIdentity = direct.map { ObjectIdentifier($0) } } }
    /// The same, to be compared without being retained.
    @usableFromInline
    var directIdentity: ObjectIdentifier?
    @usableFromInline
    var log = Ring<Posting>()
    /// The sequence number of the oldest posting in the log.
    @usableFromInline
    var base = 0
    /// The sequence number of the first posting that no thread has begun to deliver.
    @usableFromInline
    var nextSequence = 0
    /// Everything below this sequence number may have been dropped before it was delivered.
    @usableFromInline
    var droppedBelow = 0
    @usableFromInline
    var deliverers = Deliverers()
    @usableFromInline
    var waiters: [Waiter] = []

    @inlinable
    init(lagLimit: Int) {
        self.lagLimit = lagLimit
    }

    @inlinable
    var tail: Int { base + log.count }

    // What follows hands back what has to be released by the caller, outside of the lock.

    @inlinable
    mutating func insert(_ observation: Observation, action: @escaping Action) {
        observation.position = tail
        observation.slot = members.insert(Member(observation: observation, action: action))
        audience = nil
    }

    @inlinable
    mutating func remove(_ observation: Observation) -> Member? {
        guard members[observation.slot]?.observation === observation else { return nil }
        audience = nil
        forgetDirect(observation)
        return members.remove(observation.slot)
    }

    /// Removes all members, or all that count; they are then the audience of a last event.
    @inlinable
    mutating func removeAll(onlyCounted: Bool) -> Audience? {
        let leaving = members.elements.filter { !onlyCounted || $0.observation.isCounted }
        for member in leaving {
            _ = members.remove(member.observation.slot)
            forgetDirect(member.observation)
        }
        audience = nil
        return Audience(leaving)
    }

    /// Appends an event for all members.
    ///
    /// Returns the pass that the caller has to make, or nil when there is nobody to tell or the
    /// thread is delivering already and will come to it.
    @inlinable
    mutating func post(
        _ event: Event<Value, Failure>,
        thread: UInt,
        dropped: inout Remains
    ) -> Pass? {
        if members.count == 1, log.isEmpty, deliverers.isEmpty,
            let pass = directPass(event, thread: thread)
        {
            return pass
        }
        guard !members.isEmpty else { return nil }
        return post(Posting(event: event), thread: thread, dropped: &dropped)
    }

    /// Removes all members, or all that count, and appends the last event that they get.
    @inlinable
    mutating func postLast(
        _ event: Event<Value, Failure>,
        onlyCounted: Bool,
        thread: UInt,
        dropped: inout Remains
    ) -> Pass? {
        guard let leaving = removeAll(onlyCounted: onlyCounted) else { return nil }
        let posting = Posting(event: event, audience: leaving, isForAll: !onlyCounted)
        return post(posting, thread: thread, dropped: &dropped)
    }

    @inlinable
    mutating func post(_ posting: Posting, thread: UInt, dropped: inout Remains) -> Pass? {
        log.append(posting)
        if log.count > lagLimit { dropOldest(into: &dropped) }
        // A thread that is inside a callback comes to the event after it.
        if let direct, direct.markMore(ifInside: thread) { return nil }
        guard !deliverers.contains(thread) else { return nil }
        deliverers.insert(thread)
        return takePass()
    }

    /// Delivers to the only member without the log, while nothing else is going on.
    ///
    /// The thread is then inside that member and needs not come back for its leaving, unless it
    /// finds a mark. Until it has left, whoever posts keeps the log for it.
    @inlinable
    mutating func directPass(_ event: Event<Value, Failure>, thread: UInt) -> Pass? {
        guard let audience = currentAudience(), audience.enterFirst(thread) else { return nil }
        base += 1
        nextSequence = base
        audience.setFirstPosition(base)
        if directIdentity != audience.firstIdentity {
            direct = audience.first.observation
        }
        return Pass(sequence: base - 1, event: event, audience: audience, isDirect: true)
    }

    /// A member leaves.
    ///
    /// If a thread is inside it, that thread will find the mark of the disposal or of the last
    /// event and come to ``endDirect(thread:remains:)``.
    @inlinable
    mutating func forgetDirect(_ observation: Observation) {
        if direct === observation, !observation.isInside { direct = nil }
    }

    /// Ends a direct pass that found a mark.
    @inlinable
    mutating func endDirect(thread: UInt, remains: inout Remains) -> Pass? {
        if direct?.isInside == false { direct = nil }
        deliverers.insert(thread)
        return nextPass(thread: thread, remains: &remains)
    }

    /// Ends a pass: returns the next one to make, or nil when the thread has left.
    @inlinable
    mutating func nextPass(thread: UInt, remains: inout Remains) -> Pass? {
        if nextSequence < tail, let pass = takePass() { return pass }
        removeDeliverer(thread, remains: &remains)
        return nil
    }

    /// Says that a thread is about to deliver to a new member by itself.
    @inlinable
    mutating func beginJoin(thread: UInt) {
        deliverers.insert(thread)
    }

    /// Ends a join.
    ///
    /// Events sent meanwhile by the same thread are waiting, unless it is inside another delivery,
    /// which will come to them.
    @inlinable
    mutating func endJoin(thread: UInt, remains: inout Remains) -> Pass? {
        removeDeliverer(thread, remains: &remains)
        guard !deliverers.contains(thread), direct?.isInside(thread) != true,
            let pass = takePass()
        else { return nil }
        deliverers.insert(thread)
        return pass
    }

    /// What a member has not got yet.
    @inlinable
    func backlog(of observation: Observation) -> Backlog {
        let position = observation.position
        var backlog = Backlog(end: tail, lost: max(0, droppedBelow - position))
        var sequence = max(position, base)
        while sequence < tail {
            let posting = log[sequence - base]
            if posting.isForAll || observation.isCounted {
                backlog.events.append((sequence, posting.event))
            }
            sequence += 1
        }
        return backlog
    }

    @usableFromInline
    mutating func takeWaiters(for observation: Observation) -> [Waiter] {
        let taken = waiters.filter { $0.observation === observation }
        waiters.removeAll { $0.observation === observation }
        return taken
    }

    @inlinable
    mutating func currentAudience() -> Audience? {
        if let audience { return audience }
        audience = Audience(members.elements)
        return audience
    }

    @inlinable
    mutating func takePass() -> Pass? {
        while nextSequence < tail {
            let posting = log[nextSequence - base]
            let sequence = nextSequence
            nextSequence += 1
            // There is nobody to tell when the members have left since the posting.
            if let audience = posting.audience ?? currentAudience() {
                return Pass(sequence: sequence, event: posting.event, audience: audience)
            }
        }
        return nil
    }

    @inlinable
    mutating func dropOldest(into dropped: inout Remains) {
        // The last event of an observer must reach it.
        guard !log[0].event.isTerminating, let oldest = log.popFirst() else { return }
        dropped.append(oldest)
        base += 1
        droppedBelow = base
        nextSequence = max(nextSequence, base)
    }

    @inlinable
    mutating func removeDeliverer(_ thread: UInt, remains: inout Remains) {
        deliverers.remove(thread)
        guard deliverers.isEmpty, direct?.isInside != true, nextSequence > base,
            let posting = log.popFirst()
        else { return }
        remains.append(posting)
        base += 1
        if nextSequence > base { removeDelivered(into: &remains) }
    }

    @inlinable
    @inline(never)
    mutating func removeDelivered(into remains: inout Remains) {
        while nextSequence > base, let posting = log.popFirst() {
            remains.append(posting)
            base += 1
        }
    }
}
