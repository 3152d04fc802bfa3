/// How long something is wanted: polled by generators, observed by owners of resources.
public final class Lifetime: Sendable {
    private let disposables: CompositeDisposable

    /// Creates a lifetime that ends when `disposables` is disposed.
    public init(_ disposables: CompositeDisposable) {
        self.disposables = disposables
    }

    /// Whether it is over; a generator that sends synchronously polls this between its values.
    public var hasEnded: Bool { disposables.isDisposed }

    /// Runs `action` when the lifetime ends, at once if it has.
    ///
    /// Disposing the result withdraws the action without running it. Nil when it has run already.
    @discardableResult
    public func observeEnded(_ action: @escaping @Sendable () -> Void) -> (any Disposable)? {
        guard let handle = disposables.add(action) else { return nil }
        return ActionDisposable { handle.remove() }
    }

    /// Disposes `disposable` when the lifetime ends, at once if it has.
    public static func += (lifetime: Lifetime, disposable: (any Disposable)?) {
        lifetime.disposables.add(disposable)
    }
}
