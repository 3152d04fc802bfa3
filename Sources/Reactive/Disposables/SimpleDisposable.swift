import Synchronization

/// A disposable that is nothing but its flag.
///
/// For loops and generators that poll whether anybody still wants their result.
public final class SimpleDisposable: Disposable {
    private let disposed = Atomic(false)

    /// Creates one that is not disposed.
    public init() {}

    /// Whether `dispose()` has been called.
    public var isDisposed: Bool { disposed.load(ordering: .acquiring) }

    /// Turns the flag to true.
    public func dispose() { disposed.store(true, ordering: .releasing) }
}
