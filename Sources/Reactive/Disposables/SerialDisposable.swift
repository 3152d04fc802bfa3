/// A disposable with one exchangeable content: setting a new one disposes the previous one.
///
/// After `dispose()` every new content is disposed when it is set, and `inner` is nil.
public final class SerialDisposable: Disposable {
    private struct State {
        var isDisposed = false
        var inner: (any Disposable)?
    }

    private let state: Locked<State>

    /// Creates one with the given content, or none.
    public init(_ inner: (any Disposable)? = nil) {
        state = Locked(State(inner: inner))
    }

    deinit {
        let hasContent = state.withLock { $0.inner != nil }
        if hasContent { Teardown.release { beginTeardown() } }
    }

    /// Whether `dispose()` has been called; independent of the content's own flag.
    public var isDisposed: Bool { state.withLock { $0.isDisposed } }

    /// The content.
    ///
    /// Setting it disposes the previous one, unless it is the very same object.
    public var inner: (any Disposable)? {
        get { state.withLock { $0.inner } }
        set { exchange(newValue)?.dispose() }
    }

    /// Sets the content and hands the previous one back, not disposed.
    ///
    /// After `dispose()` it is `inner` itself that is disposed, and nil is returned.
    public func replaceInner(_ inner: (any Disposable)?) -> (any Disposable)? {
        guard let previous = exchange(inner) else { return nil }
        guard previous === inner else { return previous }
        previous.dispose()
        return nil
    }

    /// Disposes the content, and every later one when it is set.
    public func dispose() {
        Teardown.run(self)
    }

    /// Returns what has to be given up by the caller: the previous content, or the new one when
    /// this is disposed already.
    private func exchange(_ inner: (any Disposable)?) -> (any Disposable)? {
        state.withLock { state in
            if state.isDisposed { return inner }
            let previous = state.inner
            state.inner = inner
            return previous === inner ? nil : previous
        }
    }
}

extension SerialDisposable: TeardownNode {
    func beginTeardown() -> TeardownStep {
        state.withLock { state -> TeardownStep in
            guard !state.isDisposed else { return .nothing }
            state.isDisposed = true
            guard let inner = state.inner else { return .nothing }
            state.inner = nil
            return .child(inner)
        }
    }
}
