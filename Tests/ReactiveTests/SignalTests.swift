import Dispatch
import Reactive
import Synchronization
import TestSupport
import Testing

@Suite struct SignalTests {
    typealias Numbers = Signal<Int, Never>
    typealias Recorder = EventRecorder<Int, Never>

    @Test func `an observer gets what is sent after it came`() {
        let (output, input) = Numbers.pipe()
        let early = Recorder()
        let late = Recorder()
        output.observe(early.record)
        input.send(value: 1)
        output.observe(late.record)
        input.send(value: 2)
        input.sendCompleted()
        #expect(early.events == [.value(1), .value(2), .completed])
        #expect(late.events == [.value(2), .completed])
    }

    @Test func `nothing follows a terminating event`() {
        let (output, input) = Numbers.pipe()
        let recorder = Recorder()
        output.observe(recorder.record)
        input.sendCompleted()
        input.send(value: 1)
        input.sendCompleted()
        input.sendInterrupted()
        #expect(recorder.events == [.completed])
        #expect(output.hasEnded)
    }

    @Test func `observers are called in the order in which they came`() {
        let (output, input) = Numbers.pipe()
        let order = Locked<[Int]>([])
        var observations: [Observation?] = []
        for number in 0..<20 {
            observations.append(output.observeValues { _ in order.withLock { $0.append(number) } })
        }
        for number in [3, 8, 19, 0] { observations[number]?.dispose() }
        output.observeValues { _ in order.withLock { $0.append(20) } }
        input.send(value: 1)
        #expect(order.withLock { $0 } == (0...20).filter { ![3, 8, 19, 0].contains($0) })
    }

    @Test func `events sent from several threads are delivered to each observer serially`() {
        let (output, input) = Numbers.pipe()
        let inside = Atomic(0)
        let overlaps = Calls()
        let recorders = (0..<3).map { _ in Recorder() }
        for recorder in recorders { output.observe(recorder.record) }
        output.observeValues { _ in
            if inside.add(1, ordering: .sequentiallyConsistent).newValue != 1 { overlaps.note() }
            inside.subtract(1, ordering: .sequentiallyConsistent)
        }
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<500 { input.send(value: thread * 1000 + number) }
        }
        input.sendCompleted()
        #expect(overlaps.count == 0)
        for recorder in recorders {
            #expect(recorder.values.count == 2000)
            #expect(recorder.hasCompleted)
        }
        // Every observer sees the same order, and in it each sender's own.
        #expect(recorders[0].values == recorders[1].values)
        #expect(recorders[0].values == recorders[2].values)
        for thread in 0..<4 {
            let own = recorders[0].values.filter { $0 / 1000 == thread }
            #expect(own == own.sorted())
        }
    }

    @Test func `a value sent from inside a callback is delivered after that callback`() {
        let (output, input) = Numbers.pipe()
        let log = Locked<[String]>([])
        output.observeValues { value in
            log.withLock { $0.append("in \(value)") }
            if value < 4 {
                input.send(value: value + 2)
                input.send(value: value + 3)
            }
            log.withLock { $0.append("out \(value)") }
        }
        let other = Recorder()
        output.observe(other.record)
        input.send(value: 3)
        #expect(log.withLock { $0 } == ["in 3", "out 3", "in 5", "out 5", "in 6", "out 6"])
        #expect(other.values == [3, 5, 6])
    }

    @Test func `a value sent from inside the only observer's callback is delivered after it`() {
        let (output, input) = Numbers.pipe()
        let log = Locked<[String]>([])
        output.observe { event in
            guard case .value(let value) = event else {
                return log.withLock { $0.append("end") }
            }
            log.withLock { $0.append("in \(value)") }
            if value == 3 {
                input.send(value: 5)
                input.sendCompleted()
            }
            log.withLock { $0.append("out \(value)") }
        }
        input.send(value: 3)
        #expect(log.withLock { $0 } == ["in 3", "out 3", "in 5", "out 5", "end"])
    }

    @Test func `an observer added inside a callback gets what is sent in there after it came`() {
        let (output, input) = Numbers.pipe()
        let late = Recorder()
        let added = SimpleDisposable()
        output.observeValues { value in
            guard !added.isDisposed else { return }
            added.dispose()
            input.send(value: value + 1)
            output.observe(late.record)
            input.send(value: value + 2)
        }
        input.send(value: 1)
        #expect(late.values == [3])
        input.send(value: 9)
        #expect(late.values == [3, 9])
    }

    @Test func `disposing an observation silences that observer only and sends it nothing`() {
        let (output, input) = Numbers.pipe()
        let first = Recorder()
        let second = Recorder()
        let observation = output.observe(first.record)
        output.observe(second.record)
        input.send(value: 1)
        observation?.dispose()
        observation?.dispose()
        input.send(value: 2)
        #expect(first.events == [.value(1)])
        #expect(second.values == [1, 2])
        #expect(observation?.isDisposed == true)
    }

    @Test func `an observer may dispose itself or another from inside its callback`() {
        let (output, input) = Numbers.pipe()
        let itself = SerialDisposable()
        let other = SerialDisposable()
        let log = Locked<[String]>([])
        itself.inner = output.observeValues { value in
            log.withLock { $0.append("first \(value)") }
            itself.dispose()
            other.dispose()
            input.send(value: value + 1)
        }
        other.inner = output.observeValues { value in log.withLock { $0.append("other \(value)") } }
        output.observeValues { value in log.withLock { $0.append("third \(value)") } }
        input.send(value: 1)
        #expect(log.withLock { $0 } == ["first 1", "third 1", "third 2"])
    }

    @Test func `observing a signal after its end gives nil and interrupts the observer`() {
        let (output, input) = Numbers.pipe()
        input.sendCompleted()
        let recorder = Recorder()
        #expect(output.observe(recorder.record) == nil)
        #expect(recorder.events == [.interrupted])
    }

    @Test func `a signal ends as interrupted when its input is released`() {
        let recorder = Recorder()
        let output: Numbers
        do {
            let pipe = Numbers.pipe()
            output = pipe.output
            output.observe(recorder.record)
            pipe.input.send(value: 1)
        }
        #expect(recorder.events == [.value(1), .interrupted])
        #expect(output.hasEnded)
    }

    @Test func `an observation is disposed after the terminating event`() {
        let (output, input) = Numbers.pipe()
        let observation = output.observe { _ in }
        #expect(observation?.isDisposed == false)
        input.sendCompleted()
        #expect(observation?.isDisposed == true)
        observation?.disposeAndWait()
    }

    @Test func `the end is delivered after the value whose callback causes it`() {
        let (output, input) = Numbers.pipe()
        let recorder = Recorder()
        output.observeValues { _ in input.sendCompleted() }
        output.observe(recorder.record)
        input.send(value: 1)
        #expect(recorder.events == [.value(1), .completed])
    }
}
