import Reactive
import Synchronization
import TestSupport
import Testing

/// An upstream whose runs are counted and fed by the test.
final class TestUpstream: Sendable {
    struct Failed: Error, Equatable, CustomStringConvertible {
        var description: String { "out of order" }
    }

    struct State {
        var starts = 0
        var stops = 0
        var observers: [Observer<Int, Failed>] = []
    }

    private let state = Mutex(State())

    var starts: Int { state.withLock { $0.starts } }
    var stops: Int { state.withLock { $0.stops } }
    var isRunning: Bool { state.withLock { $0.starts > $0.stops } }

    var producer: SignalProducer<Int, Failed> {
        SignalProducer { observer, lifetime in
            self.state.withLock { state in
                state.starts += 1
                state.observers.append(observer)
            }
            lifetime.observeEnded { self.state.withLock { $0.stops += 1 } }
        }
    }

    /// The observer of a run, by default the last.
    func observer(_ run: Int? = nil) -> Observer<Int, Failed>? {
        state.withLock { state in
            let index = run.map { $0 - 1 } ?? state.observers.count - 1
            return state.observers.indices.contains(index) ? state.observers[index] : nil
        }
    }

    func send(_ value: Int) { observer()?.send(value: value) }
}

@Suite struct SharedSignalTests {
    let scheduler = TestScheduler()
    let upstream = TestUpstream()

    func shared(
        _ configuration: SharedSignal<Int, TestUpstream.Failed>.Configuration = .init()
    ) -> SharedSignal<Int, TestUpstream.Failed> {
        SharedSignal(upstream.producer, configuration: configuration, scheduler: scheduler)
    }

    @Test func `the first observer starts the upstream and the last one stops it`() {
        let signal = shared()
        #expect(upstream.starts == 0)
        let first = signal.observe { _ in }
        let second = signal.observe { _ in }
        #expect(upstream.starts == 1)
        #expect(signal.snapshot.state == .running)
        #expect(signal.snapshot.subscribers == 2)
        first.dispose()
        #expect(upstream.isRunning)
        second.dispose()
        #expect(!upstream.isRunning)
        #expect(signal.snapshot.state == .idle)
        #expect(signal.snapshot.subscribers == 0)
    }

    @Test func `a newcomer gets the newest value inside the call and then every later one`() {
        let signal = shared()
        signal.observe { _ in }
        upstream.send(1)
        upstream.send(2)
        let recorder = EventRecorder<Int, TestUpstream.Failed>()
        signal.observe(recorder.record)
        #expect(recorder.values == [2])
        upstream.send(3)
        #expect(recorder.values == [2, 3])
    }

    @Test func `a run lingers and is kept by who comes back in time`() {
        let signal = shared(.init(linger: .seconds(5)))
        signal.observe { _ in }.dispose()
        #expect(signal.snapshot.state == .lingering)
        scheduler.advance(by: .milliseconds(4999))
        let back = signal.observe { _ in }
        #expect(signal.snapshot.lingers == 1)
        scheduler.advance(by: .seconds(60))
        #expect(signal.snapshot.state == .running)
        back.dispose()
        scheduler.advance(by: .seconds(5))
        #expect(signal.snapshot.state == .idle)
        #expect(upstream.starts == 1)
        #expect(upstream.stops == 1)
    }

    @Test func `a warm-up starts the upstream and ends by the linger rule`() {
        let signal = shared(.init(linger: .seconds(5)))
        signal.warmUp(for: .seconds(3))
        #expect(signal.snapshot.state == .running)
        #expect(signal.snapshot.subscribers == 0)
        scheduler.advance(by: .seconds(3))
        #expect(signal.snapshot.state == .lingering)
        scheduler.advance(by: .seconds(5))
        #expect(signal.snapshot.state == .idle)
        #expect(upstream.stops == 1)
    }

    @Test func `a failed run is started again after the back-off while somebody observes`() {
        let signal = shared(.init(backOff: BackOff(jitter: 0)))
        let recorder = EventRecorder<Int, TestUpstream.Failed>()
        signal.observe(recorder.record)
        upstream.observer()?.send(error: TestUpstream.Failed())
        #expect(signal.snapshot.state == .backoff)
        #expect(signal.snapshot.failure == "out of order")
        scheduler.advance(by: .seconds(1))
        #expect(upstream.starts == 2)
        upstream.send(7)
        #expect(recorder.values == [7])
        #expect(signal.snapshot.failure == nil)
    }

    @Test func `a drain interrupts the observers and ends the run for good`() {
        let signal = shared()
        let recorder = EventRecorder<Int, TestUpstream.Failed>()
        signal.observe(recorder.record)
        signal.drain()
        #expect(recorder.isInterrupted)
        #expect(!upstream.isRunning)
        let late = EventRecorder<Int, TestUpstream.Failed>()
        #expect(signal.observe(late.record).isDisposed)
        #expect(late.isInterrupted)
        #expect(upstream.starts == 1)
    }
}
