/// The values of a producer as an asynchronous sequence.
///
/// Each iteration is a start of its own, given up when the iteration is. Values that come faster
/// than they are taken are kept in a bounded buffer. The sequence ends when the work completes or
/// is interrupted, and throws its error.
public struct SignalValues<Value: Sendable, Failure: Error>: AsyncSequence, Sendable {
    /// Which values are kept when the buffer is full.
    public enum Buffering: Sendable, Equatable {
        /// The newest ones, that many.
        case newest(Int)
        /// The oldest ones, that many.
        case oldest(Int)
    }

    /// What the sequence gives.
    public typealias Element = Value

    @usableFromInline
    let producer: SignalProducer<Value, Failure>
    @usableFromInline
    let buffering: Buffering

    @inlinable
    init(_ producer: SignalProducer<Value, Failure>, _ buffering: Buffering) {
        self.producer = producer
        self.buffering = buffering
    }

    /// Starts the work.
    @inlinable
    public func makeAsyncIterator() -> Iterator {
        let policy: AsyncStream<Value>.Continuation.BufferingPolicy
        switch buffering {
        case .newest(let count): policy = .bufferingNewest(count)
        case .oldest(let count): policy = .bufferingOldest(count)
        }
        let (stream, continuation) = AsyncStream.makeStream(
            of: Value.self,
            bufferingPolicy: policy
        )
        let failure = FailureBox<Failure>()
        producer.startWithSignal { signal, handle in
            continuation.onTermination = { _ in handle.dispose() }
            signal.observe { event in
                switch event {
                case .value(let value):
                    continuation.yield(value)
                case .failed(let error):
                    failure.error.withLock { $0 = error }
                    continuation.finish()
                case .completed, .interrupted:
                    continuation.finish()
                }
            }
        }
        return Iterator(base: stream.makeAsyncIterator(), failure: failure)
    }

    /// One iteration.
    public struct Iterator: AsyncIteratorProtocol {
        @usableFromInline
        var base: AsyncStream<Value>.Iterator
        @usableFromInline
        let failure: FailureBox<Failure>

        @inlinable
        init(base: AsyncStream<Value>.Iterator, failure: FailureBox<Failure>) {
            self.base = base
            self.failure = failure
        }

        /// The next value, or nil when there is none any more or the task is cancelled.
        @inlinable
        public mutating func next() async throws(Failure) -> Value? {
            try await next(isolation: nil)
        }

        /// The next value, or nil when there is none any more or the task is cancelled.
        @inlinable
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Failure) -> Value? {
            if let value = await base.next(isolation: actor) { return value }
            if let error = failure.error.withLock({ $0.take() }) { throw error }
            return nil
        }
    }
}

/// The error that an iteration ends with, if any.
@usableFromInline
final class FailureBox<Failure: Error>: Sendable {
    @usableFromInline
    let error = Locked<Failure?>(nil)

    @inlinable
    init() {}
}

extension SignalProducer {
    /// The values as an asynchronous sequence, with a buffer for the newest 16.
    @inlinable
    public var values: SignalValues<Value, Failure> { values(buffering: .newest(16)) }

    /// The values as an asynchronous sequence.
    @inlinable
    public func values(
        buffering: SignalValues<Value, Failure>.Buffering
    ) -> SignalValues<Value, Failure> {
        SignalValues(self, buffering)
    }
}

extension SharedSignal {
    /// The values as an asynchronous sequence, with a buffer for the newest 16.
    ///
    /// An iteration counts as an observer.
    @inlinable
    public var values: SignalValues<Value, Failure> { producer.values }

    /// The values as an asynchronous sequence.
    ///
    /// An iteration counts as an observer.
    @inlinable
    public func values(
        buffering: SignalValues<Value, Failure>.Buffering
    ) -> SignalValues<Value, Failure> {
        producer.values(buffering: buffering)
    }
}
