public import Dispatch
public import Synchronization

/// One observer's place in a signal: a lease that is given up once.
///
/// It serialises that observer's callback. The thread that is inside the callback is named by one
/// atomic word; whoever comes meanwhile leaves a mark there and goes on, and the one inside
/// delivers what was left before it leaves.
///
/// ## Thread safety
/// `word` is 0 when nobody is inside and nothing is marked. `cursor` is read and written only by
/// the thread that `word` names, which the ordering of `word` makes visible to the next one.
public final class Observation: Disposable {
    @usableFromInline
    let word: Atomic<UInt>
    /// The sequence number of the next event this observer is to get.
    @usableFromInline
    let cursor = Atomic(0)
    /// The raw value of this observer's ``SlotHandle``; guarded by the signal's lock.
    @usableFromInline
    let slotNumber = Atomic<UInt64>(0)
    /// Asks the signal that this is a member of for something.
    ///
    /// A closure, not a protocol's method, for a closure is made in the specialised code of the
    /// user's module. It holds the signal, whose table holds the observer's closure and, by it,
    /// this object; the cycle is what keeps an observed signal alive, and is broken by disposal
    /// and by the end of the signal.
    @usableFromInline
    let ask: @Sendable (Observation, ObservationRequest) -> Void
    @usableFromInline
    let isCounted: Bool

    @inlinable
    init(
        isCounted: Bool = true,
        thread: UInt = 0,
        ask: @escaping @Sendable (Observation, ObservationRequest) -> Void
    ) {
        self.ask = ask
        self.isCounted = isCounted
        word = Atomic(thread)
    }

    /// Whether it has been disposed or the terminating event has been delivered.
    @inlinable
    public var isDisposed: Bool { word.load(ordering: .acquiring) & Mark.disposed != 0 }

    /// Silences the observer: no callback of it begins after this call.
    ///
    /// One that is running on another thread goes on; see ``disposeAndWait()``. The observer is
    /// sent nothing.
    @inlinable
    public func dispose() {
        let before = word.bitwiseOr(Mark.disposed, ordering: .acquiringAndReleasing).oldValue
        if before & Mark.disposed == 0 { ask(self, .remove) }
    }

    /// Disposes, and returns only when no callback of this observer is running.
    ///
    /// Called from inside that very callback, it returns at once. Also waits if it has been
    /// disposed before. Two callbacks that wait for each other this way wait forever.
    public func disposeAndWait() {
        dispose()
        guard isInsideOnAnotherThread(word.load(ordering: .acquiring)) else { return }
        let wakeUp = DispatchSemaphore(value: 0)
        ask(self, .addWaiter(wakeUp))
        let before = word.bitwiseOr(Mark.awaited, ordering: .acquiringAndReleasing).oldValue
        if isInsideOnAnotherThread(before) {
            wakeUp.wait()
        } else {
            ask(self, .removeWaiter(wakeUp))
        }
    }

    private func isInsideOnAnotherThread(_ word: UInt) -> Bool {
        let thread = word & ~Mark.all
        return thread != 0 && thread != ThreadIdentity.current
    }
}

/// What the threads that deliver use.
extension Observation {
    /// Marks in the bits of `word` that ``ThreadIdentity`` leaves free.
    @usableFromInline
    enum Mark {
        @inlinable
        static var disposed: UInt { 1 }
        @inlinable
        static var more: UInt { 2 }
        @inlinable
        static var awaited: UInt { 4 }
        @inlinable
        static var all: UInt { 7 }
    }

    /// What a thread finds when it wants to leave.
    @usableFromInline
    enum Exit {
        /// It has left.
        case left
        /// Events were left for it; it is still inside.
        case more
        /// It has left, and somebody waits for that.
        case awaited
    }

    @inlinable
    var position: Int {
        get { cursor.load(ordering: .relaxed) }
        set { cursor.store(newValue, ordering: .relaxed) }
    }

    @inlinable
    var slot: SlotHandle {
        get { SlotHandle(rawValue: slotNumber.load(ordering: .relaxed)) }
        set { slotNumber.store(newValue.rawValue, ordering: .relaxed) }
    }

    /// Whether a thread is inside.
    @inlinable
    var isInside: Bool { word.load(ordering: .acquiring) & ~Mark.all != 0 }

    /// Whether that thread is inside.
    @inlinable
    func isInside(_ thread: UInt) -> Bool {
        word.load(ordering: .acquiring) & ~Mark.all == thread
    }

    /// Tells a thread that there is more, if it is the one inside.
    @usableFromInline
    func markMore(ifInside thread: UInt) -> Bool {
        guard isInside(thread) else { return false }
        word.bitwiseOr(Mark.more, ordering: .acquiringAndReleasing)
        return true
    }

    /// Tries to become the thread inside; leaves no mark.
    @inlinable
    func tryEnter(_ thread: UInt) -> Bool {
        word.compareExchange(
            expected: 0,
            desired: thread,
            ordering: .acquiringAndReleasing
        ).exchanged
    }

    /// Tries to become the thread inside; leaves a mark for the one that is.
    @inlinable
    func enter(_ thread: UInt) -> Bool {
        let (entered, found) = word.compareExchange(
            expected: 0,
            desired: thread,
            ordering: .acquiringAndReleasing
        )
        return entered || enterSlowly(thread, found)
    }

    @usableFromInline
    func enterSlowly(_ thread: UInt, _ first: UInt) -> Bool {
        var found = first
        while true {
            guard found & (Mark.disposed | Mark.more) == 0 else { return false }
            let desired = found == 0 ? thread : found | Mark.more
            let (exchanged, now) = word.compareExchange(
                expected: found,
                desired: desired,
                ordering: .acquiringAndReleasing
            )
            if exchanged { return found == 0 }
            found = now
        }
    }

    /// Leaves, unless there is something to do first.
    @inlinable
    func leave(_ thread: UInt) -> Exit {
        let (left, found) = word.compareExchange(
            expected: thread,
            desired: 0,
            ordering: .acquiringAndReleasing
        )
        return left ? .left : leaveSlowly(thread, found)
    }

    @usableFromInline
    func leaveSlowly(_ thread: UInt, _ first: UInt) -> Exit {
        var found = first
        while true {
            if found & Mark.disposed != 0 { return close() }
            let hasMore = found & Mark.more != 0
            let (exchanged, now) = word.compareExchange(
                expected: found,
                desired: hasMore ? thread : 0,
                ordering: .acquiringAndReleasing
            )
            if exchanged { return hasMore ? .more : .left }
            found = now
        }
    }

    /// Marks it as over without leaving.
    @usableFromInline
    func markDisposed() {
        word.bitwiseOr(Mark.disposed, ordering: .acquiringAndReleasing)
    }

    /// Leaves for good.
    @usableFromInline
    func close() -> Exit {
        let before = word.exchange(Mark.disposed, ordering: .acquiringAndReleasing)
        return before & Mark.awaited == 0 ? .left : .awaited
    }
}

/// What an observation wants of the signal that it belongs to.
@usableFromInline
enum ObservationRequest: Sendable {
    /// Take it out of the members.
    case remove
    /// Signal the semaphore when the thread inside has left.
    case addWaiter(DispatchSemaphore)
    /// Forget that.
    case removeWaiter(DispatchSemaphore)
}
