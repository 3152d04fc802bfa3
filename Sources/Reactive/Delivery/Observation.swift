import Dispatch
import Synchronization

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
    /// Marks in the bits of `word` that ``ThreadIdentity`` leaves free.
    enum Mark {
        static let disposed: UInt = 1
        static let more: UInt = 2
        static let awaited: UInt = 4
        static let all: UInt = 7
    }

    private let word: Atomic<UInt>
    /// The sequence number of the next event this observer is to get.
    private let cursor: Atomic<Int>
    /// The raw value of this observer's ``SlotHandle``; guarded by the owner's lock.
    private let slotNumber = Atomic<UInt64>(0)
    /// Where this observation is a member.
    ///
    /// The owner's table holds the observer's closure and, by it, this object; the cycle is what
    /// keeps an observed signal alive, and is broken by disposal and by the end of the signal.
    private let owner: any ObservationOwner
    let isCounted: Bool

    init(owner: any ObservationOwner, isCounted: Bool = true, thread: UInt = 0) {
        self.owner = owner
        self.isCounted = isCounted
        word = Atomic(thread)
        cursor = Atomic(0)
    }

    /// Whether it has been disposed or the terminating event has been delivered.
    public var isDisposed: Bool { word.load(ordering: .acquiring) & Mark.disposed != 0 }

    /// Silences the observer: no callback of it begins after this call.
    ///
    /// One that is running on another thread goes on; see ``disposeAndWait()``. The observer is
    /// sent nothing.
    public func dispose() {
        let before = word.bitwiseOr(Mark.disposed, ordering: .acquiringAndReleasing).oldValue
        if before & Mark.disposed == 0 { owner.remove(self) }
    }

    /// Disposes, and returns only when no callback of this observer is running.
    ///
    /// Called from inside that very callback, it returns at once. Also waits if it has been
    /// disposed before. Two callbacks that wait for each other this way wait forever.
    public func disposeAndWait() {
        dispose()
        guard isInsideOnAnotherThread(word.load(ordering: .acquiring)) else { return }
        let wakeUp = DispatchSemaphore(value: 0)
        owner.addWaiter(wakeUp, for: self)
        let before = word.bitwiseOr(Mark.awaited, ordering: .acquiringAndReleasing).oldValue
        if isInsideOnAnotherThread(before) {
            wakeUp.wait()
        } else {
            owner.removeWaiter(wakeUp, for: self)
        }
    }

    private func isInsideOnAnotherThread(_ word: UInt) -> Bool {
        let thread = word & ~Mark.all
        return thread != 0 && thread != ThreadIdentity.current
    }

    // The following are for the owner's deliverers only.

    var position: Int {
        get { cursor.load(ordering: .relaxed) }
        set { cursor.store(newValue, ordering: .relaxed) }
    }

    var slot: SlotHandle {
        get { SlotHandle(rawValue: slotNumber.load(ordering: .relaxed)) }
        set { slotNumber.store(newValue.rawValue, ordering: .relaxed) }
    }

    /// Tries to become the thread inside; leaves a mark for the one that is.
    func enter(_ thread: UInt) -> Bool {
        var (entered, found) = word.compareExchange(
            expected: 0,
            desired: thread,
            ordering: .acquiringAndReleasing
        )
        while !entered {
            guard found & (Mark.disposed | Mark.more) == 0 else { return false }
            let desired = found == 0 ? thread : found | Mark.more
            (entered, found) = word.compareExchange(
                expected: found,
                desired: desired,
                ordering: .acquiringAndReleasing
            )
            if entered { return desired == thread }
        }
        return true
    }

    /// Leaves, unless there is something to do first.
    func leave(_ thread: UInt) -> Exit {
        var (left, found) = word.compareExchange(
            expected: thread,
            desired: 0,
            ordering: .acquiringAndReleasing
        )
        while !left {
            if found & Mark.disposed != 0 { return close() }
            let hasMore = found & Mark.more != 0
            (left, found) = word.compareExchange(
                expected: found,
                desired: hasMore ? thread : 0,
                ordering: .acquiringAndReleasing
            )
            if left && hasMore { return .more }
        }
        return .left
    }

    /// Marks it as over without leaving.
    func markDisposed() {
        word.bitwiseOr(Mark.disposed, ordering: .acquiringAndReleasing)
    }

    /// Leaves for good.
    func close() -> Exit {
        let before = word.exchange(Mark.disposed, ordering: .acquiringAndReleasing)
        return before & Mark.awaited == 0 ? .left : .awaited
    }

    /// What a thread finds when it wants to leave.
    enum Exit {
        /// It has left.
        case left
        /// Events were left for it; it is still inside.
        case more
        /// It has left, and somebody waits for that.
        case awaited
    }
}

/// The signal that an observation belongs to.
protocol ObservationOwner: AnyObject, Sendable {
    func remove(_ observation: Observation)
    func addWaiter(_ wakeUp: DispatchSemaphore, for observation: Observation)
    func removeWaiter(_ wakeUp: DispatchSemaphore, for observation: Observation)
}
