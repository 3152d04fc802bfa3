public import Synchronization

extension SignalProducer {
    /// The first `count` values; completes with the last of them.
    ///
    /// With a count of 0 the work is not started.
    @inlinable
    public func take(first count: Int) -> SignalProducer<Value, Failure> {
        guard count > 0 else { return .empty }
        return lift { observer, _ in Countdown(count).action(sendingTo: observer) }
    }
}

extension Signal {
    /// The first `count` values; completes with the last of them.
    @inlinable
    public func take(first count: Int) -> Signal<Value, Failure> {
        lift { observer, _ in
            if count <= 0 { observer.sendCompleted() }
            return Countdown(count).action(sendingTo: observer)
        }
    }
}

/// Lets a number of values pass and then ends.
@usableFromInline
final class Countdown: Sendable {
    @usableFromInline
    let remaining: Atomic<Int>

    @inlinable
    init(_ count: Int) {
        remaining = Atomic(count)
    }

    @inlinable
    func action<Value, Failure>(
        sendingTo observer: Observer<Value, Failure>
    ) -> @Sendable (Event<Value, Failure>) -> Void {
        { event in
            guard case .value = event else { return observer.send(event) }
            let left = self.remaining.subtract(1, ordering: .relaxed).newValue
            if left >= 0 { observer.send(event) }
            if left == 0 { observer.sendCompleted() }
        }
    }
}
