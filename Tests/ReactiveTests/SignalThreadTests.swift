import Reactive
import TestSupport
import Testing

/// Interleavings of two threads, forced by gates.
@Suite struct SignalThreadTests {
    typealias Numbers = Signal<Int, Never>
    typealias Recorder = EventRecorder<Int, Never>

    @Test(arguments: [1, 2])
    func `an observer whose callback is slow delays no other`(others: Int) {
        let (output, input) = Numbers.pipe()
        let gate = Gate()
        let slow = Recorder()
        output.observe { event in
            if event == .value(1) { gate.pass() }
            slow.record(event)
        }
        let quick = (0..<others).map { _ in Recorder() }
        for recorder in quick { output.observe(recorder.record) }
        let sender = onThread { input.send(value: 1) }
        #expect(gate.waitForArrival())
        input.send(value: 2)
        input.send(value: 3)
        for recorder in quick { #expect(recorder.values == [1, 2, 3]) }
        #expect(slow.values.isEmpty)
        gate.open()
        #expect(sender.wait())
        #expect(slow.values == [1, 2, 3])
        for recorder in quick { #expect(recorder.values == [1, 2, 3]) }
    }

    @Test func `a slow only observer misses nothing`() {
        let (output, input) = Numbers.pipe()
        let gate = Gate()
        let slow = Recorder()
        output.observe { event in
            if event == .value(1) { gate.pass() }
            slow.record(event)
        }
        let sender = onThread { input.send(value: 1) }
        #expect(gate.waitForArrival())
        input.send(value: 2)
        let late = Recorder()
        output.observe(late.record)
        input.send(value: 3)
        input.sendCompleted()
        #expect(late.events == [.value(3), .completed])
        gate.open()
        #expect(sender.wait())
        #expect(slow.events == [.value(1), .value(2), .value(3), .completed])
    }

    @Test func `no callback begins after an observation has been disposed`() {
        let (output, input) = Numbers.pipe()
        let gate = Gate()
        let second = Recorder()
        output.observeValues { _ in gate.pass() }
        let observation = output.observe(second.record)
        let sender = onThread { input.send(value: 1) }
        #expect(gate.waitForArrival())
        observation?.dispose()
        gate.open()
        #expect(sender.wait())
        #expect(second.events.isEmpty)
    }

    @Test(arguments: [0, 1])
    func `a quiescent dispose returns only when no callback of that observer is running`(
        others: Int
    ) {
        let (output, input) = Numbers.pipe()
        let gate = Gate()
        let isOver = SimpleDisposable()
        let observation = output.observeValues { _ in
            gate.pass()
            isOver.dispose()
        }
        for _ in 0..<others { output.observe { _ in } }
        let sender = onThread { input.send(value: 1) }
        #expect(gate.waitForArrival())
        let wasOver = SimpleDisposable()
        let hasBegun = SimpleDisposable()
        let disposer = onThread {
            hasBegun.dispose()
            observation?.disposeAndWait()
            if isOver.isDisposed { wasOver.dispose() }
        }
        #expect(eventually { hasBegun.isDisposed && observation?.isDisposed == true })
        gate.open()
        #expect(disposer.wait())
        #expect(sender.wait())
        #expect(wasOver.isDisposed)
    }

    @Test func `a quiescent dispose also waits for one who has been disposed before`() {
        let (output, input) = Numbers.pipe()
        let gate = Gate()
        let isOver = SimpleDisposable()
        let observation = output.observeValues { _ in
            gate.pass()
            isOver.dispose()
        }
        let sender = onThread { input.send(value: 1) }
        #expect(gate.waitForArrival())
        observation?.dispose()
        let wasOver = Calls()
        let disposers = (0..<3).map { _ in
            onThread {
                observation?.disposeAndWait()
                if isOver.isDisposed { wasOver.note() }
            }
        }
        gate.open()
        for disposer in disposers { #expect(disposer.wait()) }
        #expect(sender.wait())
        #expect(wasOver.count == 3)
    }

    @Test func `a quiescent dispose returns at once inside that observer's own callback`() {
        let (output, input) = Numbers.pipe()
        let itself = Locked<Observation?>(nil)
        let calls = Calls()
        let observation = output.observeValues { _ in
            itself.withLock { $0 }?.disposeAndWait()
            calls.note()
        }
        itself.withLock { $0 = observation }
        let sender = onThread {
            input.send(value: 1)
            input.send(value: 2)
        }
        #expect(sender.wait())
        #expect(calls.count == 1)
        itself.withLock { $0 = nil }
    }

    @Test func `an end sent while a value is being delivered comes after it`() {
        let (output, input) = Numbers.pipe()
        let gate = Gate()
        let recorder = Recorder()
        output.observe { event in
            if case .value = event { gate.pass() }
            recorder.record(event)
        }
        let sender = onThread { input.send(value: 1) }
        #expect(gate.waitForArrival())
        input.sendInterrupted()
        #expect(recorder.events.isEmpty)
        gate.open()
        #expect(sender.wait())
        #expect(recorder.events == [.value(1), .interrupted])
    }
}
