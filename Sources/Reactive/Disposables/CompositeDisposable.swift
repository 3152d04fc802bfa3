/// A disposable made of others, which it disposes in reverse order of their addition.
///
/// An empty one is not disposed. Adding to a disposed one disposes the argument at once, also when
/// the two race: membership and the flag are one state behind one lock.
public final class CompositeDisposable: Disposable {
    /// Takes one member out of its composite again.
    ///
    /// It does not keep the composite alive.
    public final class Handle: Sendable {
        private weak let composite: CompositeDisposable?
        private let slot: SlotHandle

        init(composite: CompositeDisposable, slot: SlotHandle) {
            self.composite = composite
            self.slot = slot
        }

        /// Detaches the member without disposing it.
        ///
        /// Has no effect when it has been detached already or the composite is disposed.
        public func remove() {
            _ = composite?.take(slot)
        }

        /// Detaches the member and disposes it.
        ///
        /// Has no effect when it has been detached already or the composite is disposed.
        public func dispose() {
            composite?.take(slot)?.dispose()
        }
    }

    private let members: Locked<SlotTable<any Disposable>?>

    /// Creates an empty composite.
    public init() {
        members = Locked(SlotTable())
    }

    /// Creates a composite of `disposables`, as if added in their order.
    public convenience init(_ disposables: some Sequence<any Disposable>) {
        self.init()
        for disposable in disposables { add(disposable) }
    }

    deinit {
        let hasMembers = members.withLock { $0?.isEmpty == false }
        if hasMembers { Teardown.release { beginTeardown() } }
    }

    /// Whether `dispose()` has been called; whether there are members does not matter.
    public var isDisposed: Bool { members.withLock { $0 == nil } }

    /// Adds a member; nil, or one that is disposed already, is not kept.
    ///
    /// Returns a handle that detaches it, or nil when it was not kept. A composite that is
    /// disposed already disposes the member before it returns.
    @discardableResult
    public func add(_ disposable: (any Disposable)?) -> Handle? {
        guard let disposable, !disposable.isDisposed else { return nil }
        guard let slot = members.withLock({ $0?.insert(disposable) }) else {
            disposable.dispose()
            return nil
        }
        return Handle(composite: self, slot: slot)
    }

    /// Adds a closure to be run at disposal, as an ``ActionDisposable``.
    @discardableResult
    public func add(_ action: @escaping @Sendable () -> Void) -> Handle? {
        add(ActionDisposable(action))
    }

    /// Adds a member that stays until the composite is disposed.
    public static func += (composite: CompositeDisposable, disposable: (any Disposable)?) {
        composite.add(disposable)
    }

    /// Adds a closure that is run when the composite is disposed.
    public static func += (composite: CompositeDisposable, action: @escaping @Sendable () -> Void) {
        composite.add(action)
    }

    /// Disposes the members, the last added first, and every later one when it is added.
    public func dispose() {
        Teardown.run(self)
    }

    private func take(_ slot: SlotHandle) -> (any Disposable)? {
        members.withLock { $0?.remove(slot) }
    }

    private func takeAll() -> SlotTable<any Disposable>? {
        members.withLock { members in
            let taken = members
            members = nil
            return taken
        }
    }
}

extension CompositeDisposable: TeardownNode {
    func beginTeardown() -> TeardownStep {
        takeAll().map { .children($0.elements) } ?? .nothing
    }
}
