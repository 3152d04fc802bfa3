public import Dispatch

/// The longest that a test waits for something that must happen; a bound for a hang, not a measure.
public let testPatience: Duration = .seconds(20)

/// Polls until `condition` holds; false when it has not within ``testPatience``.
public func eventually(_ condition: () -> Bool) -> Bool {
    let clock = ContinuousClock()
    let never = DispatchSemaphore(value: 0)
    let deadline = clock.now + testPatience
    while !condition() {
        if clock.now >= deadline { return false }
        _ = never.wait(timeout: .now() + .microseconds(500))
    }
    return true
}

extension DispatchSemaphore {
    /// Waits for a signal; false when none has come within ``testPatience``.
    public func waitPatiently() -> Bool {
        wait(timeout: .now() + .seconds(Int(testPatience.components.seconds))) == .success
    }
}
