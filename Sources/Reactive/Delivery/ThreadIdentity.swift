import Glibc

/// Names the calling thread.
///
/// Needed where "am I inside my own callback?" must be answered: a quiescent dispose must not wait
/// for itself, and a value sent from a callback is queued, not delivered recursively.
@usableFromInline
enum ThreadIdentity {
    /// A number that no other thread has at the same time, never 0, whose three lowest bits are 0.
    ///
    /// In glibc it is the aligned address of the thread's control block.
    @usableFromInline
    static var current: UInt { UInt(pthread_self()) }
}
