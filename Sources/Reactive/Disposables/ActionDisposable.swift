/// A disposable that runs a closure, once, when it is disposed.
///
/// The flag turns true and the closure leaves this object before the closure runs, so it runs
/// once whatever races, a call of `dispose()` from inside it has no effect, and what it captured
/// is released when it returns.
public final class ActionDisposable: Disposable {
    private let action: Locked<(@Sendable () -> Void)?>

    /// Creates a disposable that will run `action` on the thread of the first `dispose()`.
    ///
    /// The closure never runs if the object is released without having been disposed.
    public init(_ action: @escaping @Sendable () -> Void) {
        self.action = Locked(action)
    }

    deinit {
        if !isDisposed { Teardown.release { beginTeardown() } }
    }

    /// Whether `dispose()` has been called; already true while the action runs.
    public var isDisposed: Bool { action.withLock { $0 == nil } }

    /// Runs the action if this is the first call.
    public func dispose() {
        Teardown.run(self)
    }

    private func take() -> (@Sendable () -> Void)? {
        action.withLock { action in
            let taken = action
            action = nil
            return taken
        }
    }
}

extension ActionDisposable: TeardownNode {
    func beginTeardown() -> TeardownStep {
        take().map { .action($0) } ?? .nothing
    }
}
