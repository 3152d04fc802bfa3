/// A disposable that disposes another when it is released.
///
/// The release is that of this object, not of the inner one. It comes as soon as the last
/// reference is gone, which for a local variable may be before the end of its scope: store it.
public final class ScopedDisposable<Inner: Disposable>: Disposable {
    /// What is disposed.
    public let inner: Inner

    /// Creates an owner of `inner`.
    public init(_ inner: Inner) {
        self.inner = inner
    }

    deinit {
        inner.dispose()
    }

    /// Whether the inner disposable is disposed.
    public var isDisposed: Bool { inner.isDisposed }

    /// Disposes the inner disposable.
    public func dispose() { Teardown.run(self) }
}

extension ScopedDisposable: TeardownNode {
    func beginTeardown() -> TeardownStep { inner.isDisposed ? .nothing : .child(inner) }
}
