public import Synchronization

extension SignalProducer {
    /// The values of all `producers`, as they come.
    ///
    /// Fails with the first failure, and completes when all have completed or been interrupted.
    @inlinable
    public static func merge(
        _ producers: some Collection<SignalProducer> & Sendable
    ) -> SignalProducer<Value, Failure> {
        SignalProducer { observer, lifetime in
            guard !producers.isEmpty else { return observer.sendCompleted() }
            let running = Running(producers.count)
            for producer in producers {
                guard !lifetime.hasEnded else { return }
                producer.startWithSignal { signal, handle in
                    lifetime += handle
                    signal.observe { event in
                        switch event {
                        case .value, .failed:
                            observer.send(event)
                        case .completed, .interrupted:
                            if running.endsWithThis() { observer.sendCompleted() }
                        }
                    }
                }
            }
        }
    }

    /// The values of this producer and of another, as they come.
    @inlinable
    public func merge(with other: SignalProducer) -> SignalProducer<Value, Failure> {
        .merge([self, other])
    }
}

/// How many parts of a whole have not ended.
@usableFromInline
final class Running: Sendable {
    @usableFromInline
    let count: Atomic<Int>

    @inlinable
    init(_ count: Int) {
        self.count = Atomic(count)
    }

    /// Whether the one that has just ended was the last.
    @inlinable
    func endsWithThis() -> Bool {
        count.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
    }
}
