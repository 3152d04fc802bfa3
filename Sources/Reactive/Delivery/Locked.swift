public import Synchronization

/// A state behind a lock, whose handing over the thread sanitizer can see.
///
/// A contended `Mutex` is locked and unlocked inside the standard library, which is not
/// instrumented, so that the sanitizer takes its holders for racing. A flag that each holder
/// stores before unlocking, and the next one loads after locking, tells it their order. Each is
/// one plain move on the machines at hand.
@usableFromInline
package struct Locked<State>: ~Copyable {
    @usableFromInline
    let mutex: Mutex<State>
    @usableFromInline
    let handover = Atomic(false)

    /// Creates a lock around `state`.
    @inlinable
    package init(_ state: consuming sending State) {
        mutex = Mutex(state)
    }

    /// Runs `body` while no other thread is inside; the lock is not recursive.
    @inlinable
    @inline(__always)
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { state throws(Failure) in
            _ = handover.load(ordering: .acquiring)
            defer { handover.store(true, ordering: .releasing) }
            return try body(&state)
        }
    }

    /// Runs `body` unless a thread is inside, this one included; nil when it has not run.
    @inlinable
    package borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        try mutex.withLockIfAvailable { state throws(Failure) in
            _ = handover.load(ordering: .acquiring)
            defer { handover.store(true, ordering: .releasing) }
            return try body(&state)
        }
    }
}

extension Locked: Sendable {}
