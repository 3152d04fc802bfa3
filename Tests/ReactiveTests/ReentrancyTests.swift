import Reactive
import TestSupport
import Testing

/// What callbacks may do to the signal that calls them.
@Suite struct ReentrancyTests {
    let scheduler = TestScheduler()
    let upstream = TestUpstream()

    @Test func `an observer may observe again inside a value`() {
        let signal = SharedNumbers(upstream.producer, scheduler: scheduler)
        let inner = NumberRecorder()
        let once = SimpleDisposable()
        signal.observe { event in
            guard case .value = event, !once.isDisposed else { return }
            once.dispose()
            signal.observe(inner.record)
        }
        upstream.send(1)
        upstream.send(2)
        #expect(inner.values == [1, 2])
        #expect(upstream.starts == 1)
        #expect(signal.snapshot.subscribers == 2)
    }

    @Test func `the last observer may leave inside its value and another come`() {
        let signal = SharedNumbers(
            upstream.producer,
            configuration: .init(replayCount: 0),
            scheduler: scheduler
        )
        let next = NumberRecorder()
        let first = SerialDisposable()
        first.inner = signal.observe { _ in
            first.dispose()
            signal.observe(next.record)
        }
        upstream.send(1)
        #expect(upstream.starts == 2)
        #expect(upstream.stops == 1)
        #expect(next.events.isEmpty)
        upstream.send(2)
        #expect(next.values == [2])
        #expect(signal.snapshot.state == .running)
    }

    @Test func `a drain inside a value ends the signal after it`() {
        let signal = SharedNumbers(upstream.producer, scheduler: scheduler)
        let recorder = NumberRecorder()
        signal.observe { event in
            recorder.record(event)
            if case .value = event { signal.drain() }
        }
        upstream.send(1)
        upstream.send(2)
        #expect(recorder.events == [.value(1), .interrupted])
        #expect(!upstream.isRunning)
    }

    @Test func `the input may be released inside a callback`() {
        let input = Locked<Observer<Int, Never>?>(nil)
        let recorder = EventRecorder<Int, Never>()
        let output: Signal<Int, Never>
        do {
            let pipe = Signal<Int, Never>.pipe()
            output = pipe.output
            input.withLock { $0 = pipe.input }
        }
        output.observe { event in
            // The last reference goes here, in the midst of a delivery of its own.
            let released = input.withLock { $0.take() }
            _ = released
            recorder.record(event)
        }
        output.observe(recorder.record)
        input.withLock { $0 }?.send(value: 1)
        #expect(recorder.events == [.value(1), .value(1), .interrupted, .interrupted])
    }

    @Test func `an observer's closure may be released by its own disposal inside it`() {
        let live = LiveCount()
        let (output, input) = Signal<Int, Never>.pipe()
        let itself = SerialDisposable()
        let other = EventRecorder<Int, Never>()
        do {
            let held = live.member { input.send(value: 2) }
            itself.inner = output.observeValues { _ in
                held.hold()
                itself.dispose()
            }
        }
        output.observe(other.record)
        input.send(value: 1)
        #expect(live.alive == 0)
        #expect(other.values == [1, 2])
    }
}
