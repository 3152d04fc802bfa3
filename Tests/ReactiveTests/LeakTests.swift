import TestSupport
import Testing

@testable import Reactive

@Suite struct LeakTests {
    typealias Values = SharedSignal<LiveCount.Member, Never>

    @Test func `everything is freed when nobody holds it`() {
        let live = LiveCount()
        let scheduler = TestScheduler()
        weak var core: SharedCore<LiveCount.Member, Never>?
        weak var firstObservation: Observation?
        do {
            let held = live.member()
            let feed = Locked<Observer<LiveCount.Member, Never>?>(nil)
            let signal = Values(
                SignalProducer { observer, lifetime in
                    held.hold()
                    feed.withLock { $0 = observer }
                    let resource = live.member()
                    lifetime.observeEnded { resource.hold() }
                },
                configuration: .init(linger: .seconds(5)),
                scheduler: scheduler
            )
            core = signal.core
            let observers = (0..<3).map { _ in
                let held = live.member()
                return signal.observe { _ in held.hold() }
            }
            firstObservation = observers[0]
            let reader = signal.observeState { _ in held.hold() }
            feed.withLock { $0 }?.send(value: live.member())
            feed.withLock { $0 }?.send(value: live.member())
            for observation in observers { observation.dispose() }
            reader.dispose()
            #expect(core?.snapshot.state == .lingering)
            // The state, the closures and the value of what runs are alive; the observers' are not.
            #expect(live.alive == 3)
            feed.withLock { $0 = nil }
        }
        scheduler.advance(by: .seconds(5))
        #expect(live.alive == 0)
        #expect(core == nil)
        #expect(firstObservation == nil)
    }

    @Test func `an observed shared signal outlives the reference to it`() {
        let upstream = TestUpstream()
        let recorder = NumberRecorder()
        weak var core: SharedCore<Int, Failed>?
        var observation: Observation?
        do {
            let signal = SharedNumbers(upstream.producer, scheduler: TestScheduler())
            core = signal.core
            observation = signal.observe(recorder.record)
        }
        upstream.send(1)
        #expect(recorder.values == [1])
        observation?.dispose()
        #expect(!upstream.isRunning)
        observation = nil
        upstream.forget()
        #expect(core == nil)
    }

    @Test func `a shared signal that goes stops what it keeps warm`() {
        let stops = Calls()
        let scheduler = TestScheduler()
        do {
            let signal = SharedSignal<Int, Never>(
                SignalProducer { _, lifetime in lifetime.observeEnded { stops.note() } },
                scheduler: scheduler
            )
            signal.warmUp(for: .seconds(60))
            #expect(stops.count == 0)
        }
        #expect(stops.count == 1)
        scheduler.advance(by: .seconds(60))
    }

    @Test func `an observer's closure is released when it leaves, also on a silent signal`() {
        let live = LiveCount()
        let (output, input) = Signal<Int, Never>.pipe()
        let observations = (0..<3).map { _ in
            let held = live.member()
            return output.observeValues { _ in held.hold() }
        }
        input.send(value: 1)
        #expect(live.alive == 3)
        observations[1]?.dispose()
        #expect(live.alive == 2)
        observations[0]?.dispose()
        observations[2]?.dispose()
        #expect(live.alive == 0)
    }

    @Test func `a sent value is released when it has been delivered`() {
        let live = LiveCount()
        let (output, input) = Signal<LiveCount.Member, Never>.pipe()
        for _ in 0..<2 {
            output.observe { _ in }
            for _ in 0..<3 { input.send(value: live.member()) }
            #expect(live.alive == 0)
        }
    }

    @Test func `a signal lives while it is held or observed`() {
        weak var core: SignalCore<Int, Never>?
        let frees = Calls()
        let (output, input) = Signal<Int, Never>.pipe()
        var observation: Observation?
        do {
            let mapped = output.map { $0 * 2 }
            core = mapped.core
            core?.resources.add { frees.note() }
            observation = mapped.observe { _ in }
        }
        #expect(core != nil)
        input.send(value: 1)
        observation?.dispose()
        observation = nil
        #expect(core == nil)
        #expect(frees.count == 1)
    }

    @Test func `a signal with its members is freed after its end`() {
        let live = LiveCount()
        weak var core: SignalCore<Int, Never>?
        do {
            let (output, input) = Signal<Int, Never>.pipe()
            core = output.core
            let held = live.member()
            output.observe { _ in held.hold() }
            input.send(value: 1)
            input.sendCompleted()
        }
        #expect(core == nil)
        #expect(live.alive == 0)
    }

    @Test func `a producer's start is freed after its end`() {
        let live = LiveCount()
        weak var core: SignalCore<Int, Never>?
        do {
            let held = live.member()
            let producer = SignalProducer<Int, Never> { observer, lifetime in
                lifetime.observeEnded { held.hold() }
                observer.send(value: 1)
            }
            producer.throttle(.seconds(1), on: TestScheduler()).map { $0 }.skipRepeats()
                .startWithSignal { signal, handle in
                    core = signal.core
                    signal.observe { _ in held.hold() }
                    return handle
                }
                .dispose()
        }
        #expect(core == nil)
        #expect(live.alive == 0)
    }
}
