import Dispatch

/// Gives other threads time between two looks at a condition; never what a test depends on.
func pause(milliseconds: Int) {
    _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(milliseconds))
}
