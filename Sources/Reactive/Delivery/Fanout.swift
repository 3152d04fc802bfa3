import Dispatch

/// The members of a signal and the events that are on their way to them: a pure value, kept
/// behind the lock of the signal that owns it.
///
/// Every event gets a sequence number and is kept in a log with the members it is meant for, until
/// no thread is delivering. A thread delivers an event by a *pass* over those members. Each member
/// has a position in the log, so any thread that gets inside one can bring it up to date, in
/// order, and a member whose callback is slow holds up nobody but itself.
struct Fanout<Value: Sendable, Failure: Error> {
    typealias Action = @Sendable (Event<Value, Failure>) -> Void

    /// An observer, and its closure, which goes when it leaves.
    struct Member {
        let observation: Observation
        let action: Action
    }

    /// One event and its audience.
    struct Posting {
        let event: Event<Value, Failure>
        let audience: [Member]
        /// False for the end of a run, which concerns only those who count for it.
        let isForAll: Bool
    }

    /// Postings that nobody needs any more.
    ///
    /// They hold values and closures of the user, so they are handed out and released outside of
    /// the lock; room for one costs no allocation.
    struct Remains {
        private var first: Posting?
        private var others: [Posting] = []

        mutating func append(_ posting: Posting) {
            if first == nil { first = posting } else { others.append(posting) }
        }
    }

    /// A posting on its way, in the hands of one thread.
    struct Pass {
        let sequence: Int
        let posting: Posting
    }

    /// What a member has yet to get, and how much of it has been dropped.
    struct Backlog {
        var events: [(sequence: Int, event: Event<Value, Failure>)] = []
        /// The position after them.
        var end = 0
        var lost = 0
    }

    /// How many events a member may lag behind; beyond it the oldest are dropped.
    let lagLimit: Int

    private var members = SlotTable<Member>()
    /// The members in order, rebuilt when needed after a change.
    private var audience: [Member]?
    private var log = Ring<Posting>()
    /// The sequence number of the oldest posting in the log.
    private var base = 0
    /// The sequence number of the first posting that no thread has begun to deliver.
    private var nextPass = 0
    /// Everything below this sequence number may have been dropped before it was delivered.
    private var droppedBelow = 0
    /// The threads that deliver, once for each time that they do.
    private var deliverers: [UInt] = []
    private var waiters: [(observation: Observation, wakeUp: DispatchSemaphore)] = []

    init(lagLimit: Int) {
        self.lagLimit = lagLimit
    }

    var tail: Int { base + log.count }
    var memberCount: Int { members.count }
    /// Whether no event is being delivered.
    var isQuiet: Bool { deliverers.isEmpty }

    // Membership

    mutating func insert(_ observation: Observation, action: @escaping Action) {
        observation.position = tail
        observation.slot = members.insert(Member(observation: observation, action: action))
        audience = nil
    }

    /// Removes a member and hands it back, for its closure must not be released under the lock.
    mutating func remove(_ observation: Observation) -> Member? {
        guard let member = members[observation.slot], member.observation === observation
        else { return nil }
        audience = nil
        return members.remove(observation.slot)
    }

    // Delivery. What these hand back has to be released by the caller, outside of the lock.

    /// Appends an event for all members, or for `audience`; returns the pass that the caller has
    /// to make, unless the thread is delivering already and will come to it.
    mutating func post(
        _ event: Event<Value, Failure>,
        to audience: [Member]? = nil,
        isForAll: Bool = true,
        thread: UInt,
        dropped: inout Remains
    ) -> Pass? {
        let audience = audience ?? currentAudience()
        guard !audience.isEmpty else { return nil }
        log.append(Posting(event: event, audience: audience, isForAll: isForAll))
        if log.count > lagLimit { dropOldest(into: &dropped) }
        guard !deliverers.contains(thread) else { return nil }
        deliverers.append(thread)
        return takePass()
    }

    /// Removes all members that satisfy `predicate`; they are then the audience of a last event.
    mutating func removeAll(where predicate: (Member) -> Bool) -> [Member] {
        let leaving = currentAudience().filter(predicate)
        for member in leaving { _ = members.remove(member.observation.slot) }
        audience = nil
        return leaving
    }

    /// Ends a pass: returns the next one to make, or nil when the thread has left.
    mutating func nextPass(thread: UInt, delivered: inout Remains) -> Pass? {
        if let pass = takePass() { return pass }
        removeDeliverer(thread, delivered: &delivered)
        return nil
    }

    /// Says that a thread is about to deliver to a new member by itself.
    mutating func beginJoin(thread: UInt) {
        deliverers.append(thread)
    }

    /// Ends that.
    ///
    /// Events sent meanwhile by the same thread are waiting, unless it is inside another delivery,
    /// which will come to them.
    mutating func endJoin(thread: UInt, delivered: inout Remains) -> Pass? {
        removeDeliverer(thread, delivered: &delivered)
        guard !deliverers.contains(thread), let pass = takePass() else { return nil }
        deliverers.append(thread)
        return pass
    }

    /// What a member at `position` has not got yet.
    func backlog(of observation: Observation) -> Backlog {
        var backlog = Backlog()
        let position = observation.position
        backlog.lost = max(0, droppedBelow - position)
        var sequence = max(position, base)
        while sequence < tail {
            let posting = log[sequence - base]
            if posting.isForAll || observation.isCounted {
                backlog.events.append((sequence, posting.event))
            }
            sequence += 1
        }
        backlog.end = sequence
        return backlog
    }

    // Waiting

    mutating func addWaiter(_ wakeUp: DispatchSemaphore, for observation: Observation) {
        waiters.append((observation, wakeUp))
    }

    mutating func removeWaiter(_ wakeUp: DispatchSemaphore) {
        waiters.removeAll { $0.wakeUp === wakeUp }
    }

    mutating func takeWaiters(for observation: Observation) -> [DispatchSemaphore] {
        let awaiting = waiters.filter { $0.observation === observation }.map(\.wakeUp)
        waiters.removeAll { $0.observation === observation }
        return awaiting
    }

    // Private

    private mutating func currentAudience() -> [Member] {
        if let audience { return audience }
        let rebuilt = members.elements
        audience = rebuilt
        return rebuilt
    }

    private mutating func takePass() -> Pass? {
        guard nextPass < tail else { return nil }
        let pass = Pass(sequence: nextPass, posting: log[nextPass - base])
        nextPass += 1
        return pass
    }

    private mutating func dropOldest(into dropped: inout Remains) {
        guard !log[0].event.isTerminating, let oldest = log.popFirst() else { return }
        dropped.append(oldest)
        base += 1
        droppedBelow = base
        nextPass = max(nextPass, base)
    }

    private mutating func removeDeliverer(_ thread: UInt, delivered: inout Remains) {
        guard let index = deliverers.lastIndex(of: thread) else { return }
        deliverers.remove(at: index)
        guard deliverers.isEmpty else { return }
        while nextPass > base, let posting = log.popFirst() {
            delivered.append(posting)
            base += 1
        }
    }
}
