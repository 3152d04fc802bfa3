import Dispatch

/// A point at which one thread waits until another lets it go on.
///
/// The waiting side says that it has arrived, so that a test can force an interleaving without
/// sleeping.
public final class Gate: Sendable {
    private let arrived = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)

    /// Creates a closed gate.
    public init() {}

    /// Arrives, and waits until the gate is opened; false when it has not been in time.
    @discardableResult
    public func pass() -> Bool {
        arrived.signal()
        return opened.waitPatiently()
    }

    /// Waits until a thread has arrived; false when none has in time.
    public func waitForArrival() -> Bool {
        arrived.waitPatiently()
    }

    /// Lets one thread go on.
    public func open() {
        opened.signal()
    }
}

/// Runs `body` on a thread of its own, and gives something to wait for its end.
public func onThread(_ body: @escaping @Sendable () -> Void) -> ThreadEnd {
    let end = ThreadEnd()
    DispatchQueue(label: "test thread").async {
        body()
        end.done.signal()
    }
    return end
}

/// The end of a thread's work.
public final class ThreadEnd: Sendable {
    fileprivate let done = DispatchSemaphore(value: 0)

    fileprivate init() {}

    /// Waits for it; false when it has not come in time.
    ///
    /// To be called once.
    public func wait() -> Bool {
        done.waitPatiently()
    }
}
