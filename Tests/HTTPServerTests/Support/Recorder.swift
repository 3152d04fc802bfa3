import Dispatch
import Synchronization

/// Values from any thread, which a test waits for with a bound.
final class Recorder<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])
    private let arrivals = DispatchSemaphore(value: 0)

    /// Adds a value.
    func record(_ value: Value) {
        values.withLock { $0.append(value) }
        arrivals.signal()
    }

    /// What has been recorded so far.
    var all: [Value] { values.withLock { $0 } }

    /// Waits for one more value than was waited for before; nil if it does not come in time.
    func next(within seconds: Int = 20) -> Value? {
        guard arrivals.wait(timeout: .now() + .seconds(seconds)) == .success else { return nil }
        return values.withLock { $0.last }
    }

    /// Waits until so many have been recorded.
    func wait(for count: Int) -> Bool {
        while all.count < count {
            guard arrivals.wait(timeout: .now() + .seconds(20)) == .success else { return false }
        }
        return true
    }
}
