import Reactive
import TestSupport
import Testing

@Suite struct SignalProducerTests {
    typealias Numbers = SignalProducer<Int, Never>
    typealias Recorder = EventRecorder<Int, Never>

    @Test func `every start makes a run of its own`() {
        let starts = Calls()
        let producer = Numbers { observer, _ in
            starts.note()
            observer.send(value: starts.count)
            observer.sendCompleted()
        }
        let first = Recorder()
        let second = Recorder()
        producer.start(first.record)
        producer.start(second.record)
        #expect(first.events == [.value(1), .completed])
        #expect(second.events == [.value(2), .completed])
    }

    @Test func `a start's observers see what is sent while it starts`() {
        let recorder = Recorder()
        let handle = Numbers(values: [1, 2, 3]).start(recorder.record)
        #expect(recorder.events == [.value(1), .value(2), .value(3), .completed])
        #expect(handle.isDisposed)
    }

    @Test func `disposing a start sends interrupted and then ends its lifetime`() {
        let recorder = Recorder()
        let sawEnd = SimpleDisposable()
        let producer = Numbers { observer, lifetime in
            observer.send(value: 1)
            lifetime.observeEnded {
                if recorder.isInterrupted { sawEnd.dispose() }
                observer.send(value: 2)
            }
        }
        let handle = producer.start(recorder.record)
        #expect(!handle.isDisposed)
        handle.dispose()
        #expect(recorder.events == [.value(1), .interrupted])
        #expect(sawEnd.isDisposed)
        #expect(handle.isDisposed)
        handle.dispose()
        #expect(recorder.events.count == 2)
    }

    @Test func `a producer disposed before its start does not start`() {
        let starts = Calls()
        let producer = Numbers { _, _ in starts.note() }
        let recorder = Recorder()
        producer.startWithSignal { signal, handle in
            signal.observe(recorder.record)
            handle.dispose()
        }
        #expect(starts.count == 0)
        #expect(recorder.events == [.interrupted])
    }

    @Test func `a generator that polls its lifetime can be stopped from inside its own value`() {
        let endless = Numbers { observer, lifetime in
            var number = 0
            while !lifetime.hasEnded {
                number += 1
                observer.send(value: number)
            }
        }
        let recorder = Recorder()
        endless.take(first: 3).map { $0 * 10 }.start(recorder.record)
        #expect(recorder.events == [.value(10), .value(20), .value(30), .completed])
    }

    @Test func `its end frees what is tied to the lifetime, once`() {
        let frees = Calls()
        let producer = Numbers { observer, lifetime in
            lifetime.observeEnded { frees.note() }
            observer.sendCompleted()
        }
        let handle = producer.start()
        #expect(frees.count == 1)
        handle.dispose()
        #expect(frees.count == 1)
    }

    @Test func `the ready-made producers send what they say`() {
        struct Failed: Error, Equatable {}
        typealias Failing = SignalProducer<Int, Failed>
        func events(of producer: Failing) -> [Event<Int, Failed>] {
            let recorder = EventRecorder<Int, Failed>()
            producer.start(recorder.record)
            return recorder.events
        }
        #expect(events(of: Failing(value: 7)) == [.value(7), .completed])
        #expect(events(of: Failing(error: Failed())) == [.failed(Failed())])
        #expect(events(of: .empty) == [.completed])
        #expect(events(of: .never) == [])
    }
}
