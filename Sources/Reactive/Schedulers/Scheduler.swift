/// Time as a parameter: a clock, and a way to have something done later.
public protocol Scheduler: Sendable {
    /// Monotonic time since an arbitrary fixed origin.
    var now: Duration { get }

    /// Runs `action` once, at or after `deadline` on the scale of ``now``.
    ///
    /// Never runs it inside this call; a deadline in the past means as soon as possible. Actions
    /// run serially, in the order of their deadlines. Disposing the result before that prevents
    /// the action.
    @discardableResult
    func schedule(
        at deadline: Duration,
        _ action: @escaping @Sendable () -> Void
    ) -> any Disposable
}

extension Scheduler {
    /// Runs `action` once, `delay` from now.
    @discardableResult
    public func schedule(
        after delay: Duration,
        _ action: @escaping @Sendable () -> Void
    ) -> any Disposable {
        schedule(at: now + delay, action)
    }
}
