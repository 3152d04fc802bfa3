import Reactive
import TestSupport
import Testing

/// Linger, warm-up, back-off, and what is told of them.
@Suite struct SharedSignalTimeTests {
    let scheduler = TestScheduler()
    let upstream = TestUpstream()

    func shared(_ configuration: SharedNumbers.Configuration = .init()) -> SharedNumbers {
        SharedNumbers(upstream.producer, configuration: configuration, scheduler: scheduler)
    }

    @Test func `a run lingers after the last observer has left, and ends with the linger`() {
        let signal = shared(.init(linger: .seconds(5)))
        let observation = signal.observe { _ in }
        scheduler.advance(by: .seconds(60))
        observation.dispose()
        #expect(signal.snapshot.state == .lingering)
        scheduler.advance(by: .milliseconds(4999))
        #expect(upstream.isRunning)
        scheduler.advance(by: .milliseconds(1))
        #expect(!upstream.isRunning)
        #expect(signal.snapshot.state == .idle)
    }

    @Test func `an observer that comes back during the linger finds the same run`() {
        let signal = shared(.init(linger: .seconds(5)))
        for _ in 0..<10 {
            let observation = signal.observe { _ in }
            scheduler.advance(by: .seconds(1))
            observation.dispose()
            scheduler.advance(by: .milliseconds(4999))
        }
        #expect(upstream.starts == 1)
        #expect(signal.snapshot.lingers == 9)
        scheduler.advance(by: .milliseconds(1))
        #expect(upstream.stops == 1)
    }

    @Test func `an observer that comes at the instant at which a linger ends is served`() {
        for comesFirst in [true, false] {
            let upstream = TestUpstream()
            let scheduler = TestScheduler()
            let signal = SharedNumbers(
                upstream.producer,
                configuration: .init(linger: .seconds(5), replayCount: 0),
                scheduler: scheduler
            )
            let recorder = NumberRecorder()
            if comesFirst {
                scheduler.schedule(at: .seconds(5)) { signal.observe(recorder.record) }
            }
            signal.observe { _ in }.dispose()
            if !comesFirst {
                scheduler.schedule(at: .seconds(5)) { signal.observe(recorder.record) }
            }
            scheduler.advance(by: .seconds(5))
            #expect(signal.snapshot.state == .running)
            #expect(upstream.starts == (comesFirst ? 1 : 2))
            upstream.send(1)
            #expect(recorder.events == [.value(1)])
        }
    }

    @Test func `a failure during the linger is noticed`() {
        let signal = shared(.init(linger: .seconds(5), backOff: BackOff(jitter: 0)))
        signal.observe { _ in }.dispose()
        upstream.observer()?.send(error: Failed())
        #expect(signal.snapshot.state == .backoff)
        let recorder = NumberRecorder()
        signal.observe(recorder.record)
        scheduler.advance(by: .seconds(1))
        #expect(upstream.starts == 2)
        upstream.send(3)
        #expect(recorder.events == [.value(3)])
    }

    @Test func `a completion during the linger is noticed`() {
        let signal = shared(.init(linger: .seconds(5)))
        signal.observe { _ in }.dispose()
        upstream.observer()?.sendCompleted()
        #expect(signal.snapshot.state == .idle)
        signal.observe { _ in }
        #expect(upstream.starts == 2)
        scheduler.advance(by: .seconds(60))
        #expect(upstream.isRunning)
    }

    @Test func `a warm-up keeps the upstream running without counting as an observer`() {
        let signal = shared()
        signal.warmUp(for: .seconds(3))
        #expect(signal.snapshot.state == .running)
        #expect(signal.snapshot.subscribers == 0)
        signal.observe { _ in }.dispose()
        #expect(upstream.isRunning)
        scheduler.advance(by: .seconds(3))
        #expect(!upstream.isRunning)
        #expect(upstream.starts == 1)
    }

    @Test func `a second warm-up extends the first, it does not add to it`() {
        let signal = shared()
        signal.warmUp(for: .seconds(3))
        scheduler.advance(by: .seconds(1))
        signal.warmUp(for: .seconds(3))
        signal.warmUp(for: .seconds(1))
        signal.warmUp(for: .zero)
        scheduler.advance(by: .milliseconds(2999))
        #expect(upstream.isRunning)
        scheduler.advance(by: .milliseconds(1))
        #expect(!upstream.isRunning)
    }

    @Test func `a warm-up ends by the linger rule`() {
        let signal = shared(.init(linger: .seconds(5)))
        signal.warmUp(for: .seconds(3))
        scheduler.advance(by: .seconds(3))
        #expect(signal.snapshot.state == .lingering)
        scheduler.advance(by: .seconds(5))
        #expect(signal.snapshot.state == .idle)
        signal.warmUp(for: .seconds(3))
        let observation = signal.observe { _ in }
        scheduler.advance(by: .seconds(60))
        #expect(signal.snapshot.state == .running)
        observation.dispose()
        #expect(signal.snapshot.state == .lingering)
    }

    @Test func `observers stay when a run fails, and the next run starts after the back-off`() {
        let failures = Calls()
        let signal = shared(
            .init(backOff: BackOff(jitter: 0), onFailure: { _ in failures.note() })
        )
        let recorder = NumberRecorder()
        signal.observe(recorder.record)
        upstream.observer()?.send(error: Failed())
        #expect(failures.count == 1)
        #expect(signal.snapshot.state == .backoff)
        #expect(signal.snapshot.subscribers == 1)
        #expect(signal.snapshot.failure == "out of order")
        scheduler.advance(by: .milliseconds(999))
        #expect(upstream.starts == 1)
        scheduler.advance(by: .milliseconds(1))
        #expect(upstream.starts == 2)
        #expect(signal.snapshot.starts == 1)
        #expect(signal.snapshot.failure == "out of order")
        upstream.send(7)
        #expect(recorder.events == [.value(7)])
        #expect(signal.snapshot.failure == nil)
    }

    @Test func `without retries a failure is delivered, and the next run waits for the back-off`() {
        let signal = shared(.init(backOff: BackOff(jitter: 0), retriesOnFailure: false))
        let recorder = NumberRecorder()
        signal.observe(recorder.record)
        upstream.observer()?.send(error: Failed())
        #expect(recorder.events == [.failed(Failed())])
        #expect(signal.snapshot.subscribers == 0)
        let next = NumberRecorder()
        signal.observe(next.record)
        #expect(signal.snapshot.state == .backoff)
        scheduler.advance(by: .seconds(1))
        #expect(upstream.starts == 2)
        upstream.send(1)
        #expect(next.events == [.value(1)])
    }

    @Test func `a back-off that nobody waits for ends in idleness`() {
        let signal = shared(.init(backOff: BackOff(jitter: 0)))
        let observation = signal.observe { _ in }
        upstream.observer()?.send(error: Failed())
        observation.dispose()
        #expect(signal.snapshot.state == .backoff)
        scheduler.advance(by: .seconds(1))
        #expect(signal.snapshot.state == .idle)
        signal.observe { _ in }
        #expect(upstream.starts == 2)
        #expect(signal.snapshot.starts == 2)
    }

    @Test func `the back-off grows with each failure in a row, until a value comes`() {
        let signal = shared(.init(backOff: BackOff(maximum: .seconds(5), jitter: 0)))
        signal.observe { _ in }
        for wait in [1, 2, 4, 5, 5] {
            let starts = upstream.starts
            upstream.observer()?.send(error: Failed())
            scheduler.advance(by: .seconds(wait) - .milliseconds(1))
            #expect(upstream.starts == starts)
            scheduler.advance(by: .milliseconds(1))
            #expect(upstream.starts == starts + 1)
        }
        upstream.send(1)
        upstream.observer()?.send(error: Failed())
        let starts = upstream.starts
        scheduler.advance(by: .seconds(1))
        #expect(upstream.starts == starts + 1)
    }

    @Test func `a value that does not show that the upstream works leaves the back-off growing`() {
        let signal = shared(
            .init(backOff: BackOff(maximum: .seconds(5), jitter: 0), endsFailures: { $0 > 0 })
        )
        let recorder = NumberRecorder()
        signal.observe(recorder.record)
        for wait in [1, 2, 4, 5] {
            let starts = upstream.starts
            upstream.send(0)
            upstream.observer()?.send(error: Failed())
            #expect(signal.snapshot.failure == "out of order")
            scheduler.advance(by: .seconds(wait) - .milliseconds(1))
            #expect(upstream.starts == starts)
            scheduler.advance(by: .milliseconds(1))
        }
        upstream.send(0)
        #expect(signal.snapshot.failure == "out of order")
        upstream.send(1)
        #expect(signal.snapshot.failure == nil)
        #expect(recorder.values == [0, 0, 0, 0, 0, 1])
    }

    @Test func `the jitter of a back-off stays within its share and repeats with its seed`() {
        func waits(seed: UInt64) -> [Duration] {
            let scheduler = TestScheduler()
            let upstream = TestUpstream()
            let signal = SharedNumbers(
                upstream.producer,
                configuration: .init(backOff: BackOff(factor: 1, jitter: 0.2, seed: seed)),
                scheduler: scheduler
            )
            signal.observe { _ in }
            return (0..<50).map { _ in
                let starts = upstream.starts
                upstream.observer()?.send(error: Failed())
                let begin = scheduler.now
                while upstream.starts == starts { scheduler.advance(by: .milliseconds(1)) }
                return scheduler.now - begin
            }
        }
        let first = waits(seed: 1)
        #expect(first == waits(seed: 1))
        #expect(first != waits(seed: 2))
        #expect(Set(first).count > 10)
        for wait in first {
            #expect(wait >= .milliseconds(800))
            #expect(wait <= .milliseconds(1201))
        }
    }

    @Test func `the observers of the state are told every change in order`() {
        let signal = shared(.init(linger: .seconds(5), backOff: BackOff(jitter: 0)))
        let states = Locked<[SharedSignalState]>([])
        let reader = signal.observeState { snapshot in
            states.withLock { $0.append(snapshot.state) }
        }
        let observation = signal.observe { _ in }
        upstream.observer()?.send(error: Failed())
        scheduler.advance(by: .seconds(1))
        observation.dispose()
        scheduler.advance(by: .seconds(5))
        #expect(
            states.withLock { $0 } == [
                .starting, .running, .stopping, .backoff, .starting, .running, .lingering,
                .stopping, .idle,
            ]
        )
        reader.dispose()
        signal.observe { _ in }
        #expect(states.withLock { $0.count } == 9)
    }

    @Test func `an observer of the state can be told the present one first`() {
        let signal = shared()
        let runs = Locked<[String]>([])
        let observation = signal.observe { _ in }
        signal.observeState(sendsCurrent: true) { snapshot in
            runs.withLock { $0.append("\(snapshot.state) \(snapshot.runs)") }
        }
        observation.dispose()
        #expect(runs.withLock { $0 } == ["running 1", "stopping 1", "idle 1"])
    }
}
