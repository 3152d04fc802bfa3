/// Something that can be given up exactly once: a subscription, a timer, an open file, a run.
///
/// `dispose()` may be called from any thread and any number of times; only the first call has an
/// effect. `isDisposed` turns true before that effect begins, so a second caller may return while
/// the first is still at work: true means "given up", not "cleaned up".
public protocol Disposable: AnyObject, Sendable {
    /// Whether `dispose()` has been called; never turns false again.
    var isDisposed: Bool { get }

    /// Gives the resource up. Idempotent, thread-safe, and callable from inside its own effect.
    func dispose()
}
