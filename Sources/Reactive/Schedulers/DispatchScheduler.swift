import Dispatch

/// Real time on a serial dispatch queue of its own.
///
/// Its timers are strict and monotonic: they stand still while the machine sleeps and do not move
/// with the wall clock.
public final class DispatchScheduler: Scheduler {
    private let queue: DispatchQueue

    /// Creates a scheduler whose queue, and so whose thread while it works, is called `label`.
    public init(label: String) {
        queue = DispatchQueue(label: label, qos: .userInitiated)
    }

    /// Time since the machine was started.
    public var now: Duration {
        .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds))
    }

    /// Runs `action` once on the queue, at or after `deadline`.
    @discardableResult
    public func schedule(
        at deadline: Duration,
        _ action: @escaping @Sendable () -> Void
    ) -> any Disposable {
        let nanoseconds = deadline.wholeNanoseconds
        guard nanoseconds > now.wholeNanoseconds else {
            return DispatchTimer(on: queue, at: nil, action)
        }
        let time = DispatchTime(uptimeNanoseconds: UInt64(nanoseconds))
        return DispatchTimer(on: queue, at: time, action)
    }
}

extension Duration {
    /// The whole nanoseconds in it, at least 0 and saturating at 292 years.
    fileprivate var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return .max }
        let (sum, carry) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return carry ? .max : sum
    }
}
