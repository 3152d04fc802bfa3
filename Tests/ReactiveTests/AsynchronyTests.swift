import Reactive
import TestSupport
import Testing

@Suite struct AsynchronyTests {
    struct Failed: Error, Equatable {}

    @Test func `the values of a producer are an asynchronous sequence`() async throws {
        var taken: [Int] = []
        for try await value in SignalProducer<Int, Failed>(values: 1...3).values {
            taken.append(value)
        }
        #expect(taken == [1, 2, 3])
    }

    @Test func `the sequence throws the error of the producer after its values`() async {
        let producer = SignalProducer<Int, Failed> { observer, _ in
            observer.send(value: 1)
            observer.send(error: Failed())
        }
        var iterator = producer.values.makeAsyncIterator()
        let first = try? await iterator.next()
        #expect(first == 1)
        await #expect(throws: Failed()) { try await iterator.next() }
    }

    @Test func `a full buffer keeps the newest or the oldest values`() async {
        let producer = SignalProducer<Int, Never>(values: 1...100)
        var newest: [Int] = []
        for await value in producer.values(buffering: .newest(3)) { newest.append(value) }
        #expect(newest == [98, 99, 100])
        var oldest: [Int] = []
        for await value in producer.values(buffering: .oldest(3)) { oldest.append(value) }
        #expect(oldest == [1, 2, 3])
    }

    @Test func `giving an iteration up gives its start up`() async {
        let isOver = SimpleDisposable()
        let producer = SignalProducer<Int, Never> { observer, lifetime in
            lifetime.observeEnded { isOver.dispose() }
            observer.send(value: 1)
        }
        for await value in producer.values {
            #expect(value == 1)
            break
        }
        #expect(isOver.isDisposed)
    }

    @Test func `a producer of an asynchronous sequence sends its values and completes`() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let producer = SignalProducer<Int, Never>(stream)
        for number in 1...3 { continuation.yield(number) }
        continuation.finish()
        var taken: [Int] = []
        for await value in producer.values { taken.append(value) }
        #expect(taken == [1, 2, 3])
    }

    @Test func `ending a start cancels the iteration of its sequence`() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        await withCheckedContinuation { isCancelled in
            continuation.onTermination = { _ in isCancelled.resume() }
            SignalProducer<Int, Never>(stream).start().dispose()
        }
    }
}
