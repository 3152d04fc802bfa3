import Dispatch
import Reactive
import Synchronization
import TestSupport
import Testing

/// Interleavings of threads, forced by gates.
@Suite struct SharedSignalThreadTests {
    let scheduler = TestScheduler()

    func shared(
        _ configuration: SharedNumbers.Configuration = .init(),
        _ start: @escaping @Sendable (Observer<Int, Failed>, Lifetime) -> Void
    ) -> SharedNumbers {
        SharedNumbers(SignalProducer(start), configuration: configuration, scheduler: scheduler)
    }

    @Test func `two first observers on two threads start one run`() {
        for _ in 0..<300 {
            let upstream = TestUpstream()
            let signal = SharedNumbers(upstream.producer, scheduler: scheduler)
            let recorders = (0..<4).map { _ in NumberRecorder() }
            DispatchQueue.concurrentPerform(iterations: 4) { signal.observe(recorders[$0].record) }
            #expect(upstream.starts == 1)
            #expect(signal.snapshot.subscribers == 4)
            upstream.send(1)
            for recorder in recorders { #expect(recorder.values == [1]) }
        }
    }

    @Test func `an observer that joins while the upstream starts gets its values`() {
        let gate = Gate()
        let signal = shared { observer, _ in
            gate.pass()
            observer.send(value: 1)
        }
        let first = NumberRecorder()
        let second = NumberRecorder()
        let starter = onThread { signal.observe(first.record) }
        #expect(gate.waitForArrival())
        #expect(signal.snapshot.state == .starting)
        signal.observe(second.record)
        #expect(signal.snapshot.runs == 1)
        gate.open()
        #expect(starter.wait())
        #expect(first.values == [1])
        #expect(second.values == [1])
    }

    @Test func `a stop never lands after a later start`() {
        // The last observer leaves while its start is under way, and another one comes: the new
        // run begins only after the old start has returned and the old run's stop.
        let gate = Gate()
        let log = Locked<[String]>([])
        let runs = Atomic(0)
        let signal = shared { _, lifetime in
            let run = runs.add(1, ordering: .relaxed).newValue
            log.withLock { $0.append("start \(run)") }
            lifetime.observeEnded { log.withLock { $0.append("stop \(run)") } }
            if run == 1 { gate.pass() }
            log.withLock { $0.append("started \(run)") }
        }
        let first = Locked<(any Disposable)?>(nil)
        let starter = onThread {
            signal.producer.startWithSignal { _, handle in first.withLock { $0 = handle } }
        }
        #expect(gate.waitForArrival())
        first.withLock { $0 }?.dispose()
        let second = signal.observe { _ in }
        #expect(log.withLock { $0 } == ["start 1", "stop 1"])
        gate.open()
        #expect(starter.wait())
        #expect(
            log.withLock { $0 } == ["start 1", "stop 1", "started 1", "start 2", "started 2"]
        )
        second.dispose()
        #expect(log.withLock { $0.last } == "stop 2")
    }

    @Test func `the next run starts only when the stop of the one before has returned`() {
        let gate = Gate()
        let log = Locked<[String]>([])
        let runs = Atomic(0)
        let signal = shared { _, lifetime in
            let run = runs.add(1, ordering: .relaxed).newValue
            log.withLock { $0.append("start \(run)") }
            lifetime.observeEnded {
                if run == 1 { gate.pass() }
                log.withLock { $0.append("stopped \(run)") }
            }
        }
        let first = signal.observe { _ in }
        let stopper = onThread { first.dispose() }
        #expect(gate.waitForArrival())
        #expect(signal.snapshot.state == .stopping)
        let second = signal.observe { _ in }
        #expect(log.withLock { $0 } == ["start 1"])
        #expect(signal.snapshot.subscribers == 1)
        gate.open()
        #expect(stopper.wait())
        #expect(log.withLock { $0 } == ["start 1", "stopped 1", "start 2"])
        #expect(signal.snapshot.state == .running)
        second.dispose()
    }

    @Test func `the next run waits for both the start and the stop of the one before`() {
        let (starting, stopping) = (Gate(), Gate())
        let starts = Calls()
        let signal = shared { _, lifetime in
            starts.note()
            guard starts.count == 1 else { return }
            lifetime.observeEnded { stopping.pass() }
            starting.pass()
        }
        let first = Locked<(any Disposable)?>(nil)
        let starter = onThread {
            signal.producer.startWithSignal { _, handle in first.withLock { $0 = handle } }
        }
        #expect(starting.waitForArrival())
        let stopper = onThread { first.withLock { $0 }?.dispose() }
        #expect(stopping.waitForArrival())
        let second = signal.observe { _ in }
        starting.open()
        #expect(starter.wait())
        #expect(starts.count == 1)
        #expect(signal.snapshot.state == .stopping)
        stopping.open()
        #expect(stopper.wait())
        #expect(starts.count == 2)
        #expect(signal.snapshot.state == .running)
        second.dispose()
    }

    @Test func `an observer that comes and goes during a stop starts nothing`() {
        let gate = Gate()
        let starts = Calls()
        let signal = shared { _, lifetime in
            starts.note()
            lifetime.observeEnded { gate.pass() }
        }
        let first = signal.observe { _ in }
        let stopper = onThread { first.dispose() }
        #expect(gate.waitForArrival())
        signal.observe { _ in }.dispose()
        gate.open()
        #expect(stopper.wait())
        #expect(starts.count == 1)
        #expect(signal.snapshot.state == .idle)
    }

    @Test func `an observer that leaves while its start is under way ends that run`() {
        let gate = Gate()
        let isOver = SimpleDisposable()
        let signal = shared { _, lifetime in
            lifetime.observeEnded { isOver.dispose() }
            gate.pass()
        }
        let scope = Locked<(any Disposable)?>(nil)
        let starter = onThread {
            signal.producer.startWithSignal { _, handle in scope.withLock { $0 = handle } }
        }
        #expect(gate.waitForArrival())
        scope.withLock { $0 }?.dispose()
        #expect(isOver.isDisposed)
        #expect(signal.snapshot.state == .stopping)
        gate.open()
        #expect(starter.wait())
        #expect(signal.snapshot.state == .idle)
    }

    @Test func `a value sent during a replay comes after it`() {
        let upstream = TestUpstream()
        let signal = SharedNumbers(upstream.producer, scheduler: scheduler)
        signal.observe { _ in }
        upstream.send(1)
        let gate = Gate()
        let recorder = NumberRecorder()
        let joiner = onThread {
            signal.observe { event in
                if event == .value(1) { gate.pass() }
                recorder.record(event)
            }
        }
        #expect(gate.waitForArrival())
        upstream.send(2)
        upstream.send(3)
        upstream.observer()?.sendCompleted()
        #expect(recorder.events.isEmpty)
        gate.open()
        #expect(joiner.wait())
        #expect(recorder.events == [.value(1), .value(2), .value(3), .completed])
    }

    @Test func `a newcomer gets every later value without gap or duplicate`() {
        let upstream = TestUpstream()
        let signal = SharedNumbers(upstream.producer, scheduler: scheduler)
        let kept = signal.observe { _ in }
        let recorders = Locked<[NumberRecorder]>([])
        let isOver = SimpleDisposable()
        let joiners = (0..<2).map { _ in
            onThread {
                while !isOver.isDisposed {
                    let recorder = NumberRecorder()
                    let observation = signal.observe(recorder.record)
                    _ = eventually { recorder.values.count > 3 || isOver.isDisposed }
                    observation.disposeAndWait()
                    recorders.withLock { $0.append(recorder) }
                }
            }
        }
        for number in 1...4000 { upstream.send(number) }
        isOver.dispose()
        for joiner in joiners { #expect(joiner.wait()) }
        for recorder in recorders.withLock({ $0 }) {
            let values = recorder.values
            guard let first = values.first else { continue }
            #expect(values == Array(first..<(first + values.count)))
        }
        kept.dispose()
    }

    @Test func `beyond the limit the oldest events of a slow observer are dropped and counted`() {
        let upstream = TestUpstream()
        let signal = SharedNumbers(
            upstream.producer,
            configuration: .init(lagLimit: 10),
            scheduler: scheduler
        )
        let gate = Gate()
        let slow = NumberRecorder()
        signal.observe { event in
            if event == .value(0) { gate.pass() }
            slow.record(event)
        }
        let quick = NumberRecorder()
        signal.observe(quick.record)
        let sender = onThread { upstream.send(0) }
        #expect(gate.waitForArrival())
        for number in 1...100 { upstream.send(number) }
        gate.open()
        #expect(sender.wait())
        #expect(quick.values == Array(0...100))
        #expect(slow.values == [0] + Array(91...100))
        #expect(signal.snapshot.drops == 90)
    }

    @Test func `a drain meets a newcomer on another thread`() {
        for _ in 0..<300 {
            let upstream = TestUpstream()
            let signal = SharedNumbers(upstream.producer, scheduler: scheduler)
            let recorder = NumberRecorder()
            DispatchQueue.concurrentPerform(iterations: 2) { side in
                if side == 0 { signal.drain() } else { signal.observe(recorder.record) }
            }
            #expect(recorder.events == [.interrupted])
            #expect(upstream.starts == upstream.stops)
            #expect(signal.snapshot.state == .idle)
        }
    }

    @Test func `a failure meets the leaving of the last observer on another thread`() {
        for _ in 0..<300 {
            let upstream = TestUpstream()
            let signal = SharedNumbers(
                upstream.producer,
                configuration: .init(backOff: BackOff(jitter: 0)),
                scheduler: scheduler
            )
            let observation = signal.observe { _ in }
            DispatchQueue.concurrentPerform(iterations: 2) { side in
                if side == 0 {
                    observation.dispose()
                } else {
                    upstream.observer()?.send(error: Failed())
                }
            }
            #expect(signal.snapshot.subscribers == 0)
            #expect(upstream.stops == 1)
            scheduler.advance(by: .seconds(1))
            #expect(signal.snapshot.state == .idle)
            #expect(upstream.starts == 1)
        }
    }
}
