import Reactive
import TestSupport
import Testing

@Suite struct OperatorTests {
    struct Failed: Error, Equatable {}
    typealias Numbers = SignalProducer<Int, Failed>

    func events<Value: Equatable, Failure: Error & Equatable>(
        of producer: SignalProducer<Value, Failure>
    ) -> [Event<Value, Failure>] {
        let recorder = EventRecorder<Value, Failure>()
        producer.start(recorder.record)
        return recorder.events
    }

    let oneToFive = Numbers(values: 1...5)

    @Test func `map transforms the values`() {
        #expect(
            events(of: Numbers(values: [1, 2]).map { "\($0)" }) == [
                .value("1"), .value("2"), .completed,
            ]
        )
    }

    @Test func `mapError transforms the error`() {
        struct Other: Error, Equatable {}
        #expect(
            events(of: Numbers(error: Failed()).mapError { _ in Other() }) == [
                .failed(Other())
            ]
        )
    }

    @Test func `filter keeps what satisfies the predicate`() {
        #expect(events(of: oneToFive.filter { $0 % 2 == 0 }) == [.value(2), .value(4), .completed])
    }

    @Test func `compactMap leaves out what gives nil`() {
        let producer = Numbers(values: [1, 2, 3]).compactMap { $0 == 2 ? nil : -$0 }
        #expect(events(of: producer) == [.value(-1), .value(-3), .completed])
        #expect(events(of: Numbers(error: Failed()).compactMap { $0 }) == [.failed(Failed())])
    }

    @Test func `skipRepeats leaves out what equals the one before`() {
        let producer = Numbers(values: [1, 1, 2, 2, 1]).skipRepeats()
        #expect(events(of: producer) == [.value(1), .value(2), .value(1), .completed])
        #expect(events(of: producer).count == 4)
    }

    @Test func `take first completes with the last value that it takes`() {
        #expect(events(of: oneToFive.take(first: 2)) == [.value(1), .value(2), .completed])
        #expect(events(of: oneToFive.take(first: 9)).count == 6)
        let starts = Calls()
        let counting = Numbers { _, _ in starts.note() }
        #expect(events(of: counting.take(first: 0)) == [.completed])
        #expect(starts.count == 0)
    }

    @Test func `take until ends with the trigger's value or completion`() {
        let (trigger, fire) = Signal<Int, Never>.pipe()
        let (output, input) = Signal<Int, Never>.pipe()
        let recorder = EventRecorder<Int, Never>()
        output.take(until: trigger).observe(recorder.record)
        input.send(value: 1)
        fire.send(value: 0)
        input.send(value: 2)
        #expect(recorder.events == [.value(1), .completed])
    }

    @Test func `take until does not start the work when the trigger fires at once`() {
        let starts = Calls()
        let work = Numbers { _, _ in starts.note() }
        #expect(events(of: work.take(until: Numbers(value: 1))) == [.completed])
        #expect(starts.count == 0)
        #expect(events(of: oneToFive.take(until: Numbers(error: Failed()))).count == 6)
        #expect(events(of: oneToFive.take(until: Numbers.never)).count == 6)
    }

    @Test func `take until gives up its trigger when the work ends`() {
        let scheduler = TestScheduler()
        let timer = SignalProducer<Duration, Never>.timer(after: .seconds(3), on: scheduler)
        let handle = Numbers.never.take(until: timer).start()
        #expect(scheduler.pendingCount == 1)
        handle.dispose()
        #expect(scheduler.pendingCount == 0)
        let other = Numbers.never.take(until: timer).start()
        scheduler.advance(by: .seconds(3))
        #expect(other.isDisposed)
    }

    @Test func `merge sends what comes and completes when all have`() {
        let pipes = (0..<3).map { _ in Signal<Int, Failed>.pipe() }
        let producers = pipes.map { pipe in
            Numbers { observer, lifetime in lifetime += pipe.output.observe(observer) }
        }
        let recorder = EventRecorder<Int, Failed>()
        SignalProducer.merge(producers).start(recorder.record)
        pipes[1].input.send(value: 1)
        pipes[0].input.send(value: 2)
        pipes[0].input.sendCompleted()
        pipes[1].input.sendInterrupted()
        pipes[2].input.send(value: 3)
        #expect(recorder.events == [.value(1), .value(2), .value(3)])
        pipes[2].input.sendCompleted()
        #expect(recorder.hasCompleted)
        #expect(events(of: Numbers.merge([])) == [.completed])
        #expect(
            events(of: Numbers(value: 1).merge(with: Numbers(value: 2))) == [
                .value(1), .value(2), .completed,
            ]
        )
    }

    @Test func `merge fails with the first failure and gives up the others`() {
        let frees = Calls()
        let other = Numbers { _, lifetime in lifetime.observeEnded { frees.note() } }
        #expect(
            events(of: .merge([other, Numbers(error: Failed()), other])) == [
                .failed(Failed())
            ]
        )
        #expect(frees.count == 1)
    }

    @Test func `a timer sends the time once`() {
        let scheduler = TestScheduler(startingAt: .seconds(10))
        let recorder = EventRecorder<Duration, Never>()
        SignalProducer.timer(after: .seconds(3), on: scheduler).start(recorder.record)
        scheduler.advance(by: .milliseconds(2999))
        #expect(recorder.events.isEmpty)
        scheduler.advance(by: .seconds(60))
        #expect(recorder.events == [.value(.seconds(13)), .completed])
    }

    @Test func `an interval ticks without drift and leaves out what it has missed`() {
        let scheduler = TestScheduler()
        let recorder = EventRecorder<Duration, Never>()
        let handle = SignalProducer.interval(.seconds(2), on: scheduler).start(recorder.record)
        scheduler.advance(by: .seconds(5))
        #expect(recorder.values == [.seconds(2), .seconds(4)])
        handle.dispose()
        #expect(scheduler.pendingCount == 0)
        scheduler.advance(by: .seconds(60))
        #expect(recorder.values.count == 2)
    }

    @Test func `a signal's operators end when it ends`() {
        let (output, input) = Signal<Int, Failed>.pipe()
        let recorder = EventRecorder<Int, Failed>()
        let chain = output.map { $0 + 1 }.filter { $0 > 1 }.skipRepeats().take(first: 9)
            .compactMap { $0 }.mapError { $0 }
        chain.observe(recorder.record)
        input.send(value: 0)
        input.send(value: 1)
        input.send(error: Failed())
        #expect(recorder.events == [.value(2), .failed(Failed())])
        let late = EventRecorder<Int, Failed>()
        output.map { $0 }.observe(late.record)
        #expect(late.isInterrupted)
    }
}

@Suite struct ThrottleTests {
    let scheduler = TestScheduler()
    let pipe = Signal<Int, Never>.pipe()
    let recorder = EventRecorder<Int, Never>()

    func begin() {
        pipe.output.throttle(.seconds(1), on: scheduler).observe(recorder.record)
    }

    @Test func `the first value passes at once and the newest at the end of the interval`() {
        begin()
        pipe.input.send(value: 1)
        #expect(recorder.values == [1])
        scheduler.advance(by: .milliseconds(400))
        pipe.input.send(value: 2)
        pipe.input.send(value: 3)
        #expect(scheduler.pendingCount == 1)
        scheduler.advance(by: .milliseconds(599))
        #expect(recorder.values == [1])
        scheduler.advance(by: .milliseconds(1))
        #expect(recorder.values == [1, 3])
        pipe.input.send(value: 4)
        scheduler.advance(by: .seconds(1))
        #expect(recorder.values == [1, 3, 4])
        scheduler.advance(by: .seconds(5))
        pipe.input.send(value: 5)
        #expect(recorder.values == [1, 3, 4, 5])
    }

    @Test func `the last value is not lost when the signal completes`() {
        begin()
        pipe.input.send(value: 1)
        pipe.input.send(value: 2)
        pipe.input.sendCompleted()
        #expect(recorder.events == [.value(1), .value(2), .completed])
        scheduler.advance(by: .seconds(5))
        #expect(recorder.events.count == 3)
    }

    @Test func `a value that waits is dropped when the signal is interrupted`() {
        begin()
        pipe.input.send(value: 1)
        pipe.input.send(value: 2)
        pipe.input.sendInterrupted()
        #expect(recorder.events == [.value(1), .interrupted])
        #expect(scheduler.pendingCount == 0)
    }

    @Test func `a value sent from inside the callback waits for the interval`() {
        let scheduler = scheduler
        let input = pipe.input
        let recorder = recorder
        pipe.output.throttle(.seconds(1), on: scheduler).observe { event in
            recorder.record(event)
            if case .value(let value) = event, value < 3 { input.send(value: value + 1) }
        }
        input.send(value: 1)
        #expect(recorder.values == [1])
        scheduler.advance(by: .seconds(1))
        #expect(recorder.values == [1, 2])
        scheduler.advance(by: .seconds(1))
        #expect(recorder.values == [1, 2, 3])
    }
}
