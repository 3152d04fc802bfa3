import Reactive
import TestSupport
import Testing

/// Demand, runs and ends.
@Suite struct SharedSignalTests {
    let scheduler = TestScheduler()
    let upstream = TestUpstream()

    func shared(_ configuration: SharedNumbers.Configuration = .init()) -> SharedNumbers {
        SharedNumbers(upstream.producer, configuration: configuration, scheduler: scheduler)
    }

    @Test func `the first counted observer starts the upstream and the last to leave stops it`() {
        let signal = shared()
        #expect(upstream.starts == 0)
        #expect(signal.snapshot.state == .idle)
        let first = signal.observe { _ in }
        let second = signal.observe { _ in }
        #expect(upstream.starts == 1)
        #expect(signal.snapshot.state == .running)
        #expect(signal.snapshot.subscribers == 2)
        first.dispose()
        first.dispose()
        #expect(upstream.isRunning)
        second.dispose()
        #expect(!upstream.isRunning)
        #expect(signal.snapshot.state == .idle)
        #expect(signal.snapshot.subscribers == 0)
    }

    @Test func `a stopped upstream is started again by the next observer`() {
        let signal = shared()
        signal.observe { _ in }.dispose()
        let recorder = NumberRecorder()
        signal.observe(recorder.record)
        #expect(upstream.starts == 2)
        #expect(signal.snapshot.runs == 2)
        upstream.send(5)
        #expect(recorder.values == [5])
    }

    @Test func `what an old run still sends is dropped`() {
        let signal = shared()
        signal.observe { _ in }.dispose()
        let recorder = NumberRecorder()
        signal.observe(recorder.record)
        upstream.observer(1)?.send(value: 1)
        upstream.observer(1)?.send(error: Failed())
        upstream.observer(1)?.sendCompleted()
        #expect(recorder.events.isEmpty)
        #expect(signal.replay.isEmpty)
        #expect(signal.snapshot.state == .running)
        #expect(signal.snapshot.failure == nil)
    }

    @Test func `a terminating event is delivered once to every observer, which has left by then`() {
        let signal = shared()
        let recorder = NumberRecorder()
        let seen = NumberRecorder()
        let observation = signal.observe { event in
            recorder.record(event)
            if event.isTerminating { seen.record(.value(signal.snapshot.subscribers)) }
        }
        let other = NumberRecorder()
        signal.observe(other.record)
        upstream.send(1)
        upstream.observer()?.sendCompleted()
        upstream.observer()?.sendCompleted()
        #expect(recorder.events == [.value(1), .completed])
        #expect(other.events == [.value(1), .completed])
        #expect(seen.values == [0])
        #expect(observation.isDisposed)
        #expect(signal.snapshot.state == .idle)
        #expect(upstream.stops == 1)
        observation.dispose()
        #expect(signal.snapshot.subscribers == 0)
    }

    @Test func `an observer that observes again inside the terminating event gets a new run`() {
        let signal = shared(.init(replayAtStop: .clear))
        let again = NumberRecorder()
        signal.observe { event in
            if event.isTerminating { signal.observe(again.record) }
        }
        upstream.send(1)
        upstream.observer()?.sendCompleted()
        #expect(upstream.starts == 2)
        #expect(upstream.stops == 1)
        #expect(signal.snapshot.subscribers == 1)
        upstream.send(2)
        #expect(again.events == [.value(2)])
    }

    @Test func `an upstream that completes while it starts is over`() {
        let starts = Calls()
        let signal = SharedNumbers(
            SignalProducer { observer, _ in
                starts.note()
                observer.send(value: starts.count)
                observer.sendCompleted()
                observer.send(value: 99)
            },
            configuration: .init(replayAtStop: .clear),
            scheduler: scheduler
        )
        for run in 1...2 {
            let recorder = NumberRecorder()
            signal.observe(recorder.record)
            #expect(recorder.events == [.value(run), .completed])
            #expect(signal.snapshot.state == .idle)
        }
        #expect(signal.snapshot.runs == 2)
    }

    @Test func `an observer may leave while it starts the upstream`() {
        let starts = Calls()
        let signal = SharedNumbers(
            SignalProducer { observer, lifetime in
                starts.note()
                var number = 0
                while !lifetime.hasEnded {
                    number += 1
                    observer.send(value: number)
                }
            },
            scheduler: scheduler
        )
        let recorder = NumberRecorder()
        signal.producer.take(first: 2).start(recorder.record)
        #expect(recorder.events == [.value(1), .value(2), .completed])
        #expect(signal.snapshot.state == .idle)
        #expect(signal.snapshot.subscribers == 0)
        // The kept value comes first, and with it the observer has enough before a run begins.
        let second = NumberRecorder()
        signal.producer.take(first: 1).start(second.record)
        #expect(second.events == [.value(2), .completed])
        #expect(signal.snapshot.state == .idle)
    }

    @Test func `an observer that leaves during its replay gets nothing more and leaves no run`() {
        let signal = shared(.init(replayCount: 3))
        let first = signal.observe { _ in }
        for number in 1...3 { upstream.send(number) }
        first.dispose()
        let recorder = NumberRecorder()
        signal.producer.take(first: 1).start(recorder.record)
        #expect(recorder.events == [.value(1), .completed])
        #expect(signal.snapshot.state == .idle)
        #expect(signal.snapshot.subscribers == 0)
        #expect(upstream.starts == upstream.stops)
    }

    @Test func `an observer that does not count starts nothing and keeps nothing running`() {
        let signal = shared()
        let tap = NumberRecorder()
        signal.observeWithoutCounting(tap.record)
        #expect(upstream.starts == 0)
        let counted = signal.observe { _ in }
        #expect(signal.snapshot.subscribers == 1)
        upstream.send(1)
        counted.dispose()
        #expect(!upstream.isRunning)
        #expect(tap.events == [.value(1)])
    }

    @Test
    func `an observer that does not count gets every run's values and no end but a drain's`() {
        let signal = shared(.init(backOff: BackOff(jitter: 0), retriesOnFailure: false))
        let tap = NumberRecorder()
        signal.observeWithoutCounting(tap.record)
        signal.observe { _ in }
        upstream.send(1)
        upstream.observer()?.sendCompleted()
        signal.observe { _ in }
        upstream.send(2)
        upstream.observer()?.sendInterrupted()
        signal.observe { _ in }
        upstream.send(3)
        upstream.observer()?.send(error: Failed())
        scheduler.advance(by: .seconds(1))
        signal.observe { _ in }
        upstream.send(4)
        #expect(tap.events == [.value(1), .value(2), .value(3), .value(4)])
        signal.drain()
        #expect(tap.events.last == .interrupted)
        #expect(tap.events.count == 5)
    }

    @Test func `a drain interrupts every observer, ends the run and admits no other`() {
        let signal = shared(.init(linger: .seconds(5)))
        let recorder = NumberRecorder()
        signal.observe(recorder.record)
        signal.warmUp(for: .seconds(60))
        upstream.send(1)
        signal.drain()
        signal.drain()
        #expect(recorder.events == [.value(1), .interrupted])
        #expect(!upstream.isRunning)
        #expect(signal.snapshot.state == .idle)
        let late = NumberRecorder()
        #expect(signal.observe(late.record).isDisposed)
        #expect(late.events == [.interrupted])
        signal.warmUp(for: .seconds(60))
        scheduler.advance(by: .seconds(100))
        #expect(upstream.starts == 1)
        #expect(signal.snapshot.subscribers == 0)
    }

    @Test func `an iteration of the values counts as an observer`() async {
        let signal = shared()
        let values = signal.values
        #expect(upstream.starts == 0)
        let iterator = values.makeAsyncIterator()
        #expect(signal.snapshot.subscribers == 1)
        upstream.send(1)
        upstream.send(2)
        upstream.observer()?.sendCompleted()
        var taken: [Int] = []
        var rest = iterator
        while let value = try? await rest.next() { taken.append(value) }
        #expect(taken == [1, 2])
        #expect(signal.snapshot.subscribers == 0)
    }
}
