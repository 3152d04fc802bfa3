import Reactive
import TestSupport
import Testing

/// What a newcomer gets.
@Suite struct SharedSignalReplayTests {
    let scheduler = TestScheduler()
    let upstream = TestUpstream()

    func shared(_ configuration: SharedNumbers.Configuration = .init()) -> SharedNumbers {
        SharedNumbers(upstream.producer, configuration: configuration, scheduler: scheduler)
    }

    func valuesOfNewcomer(to signal: SharedNumbers) -> [Int] {
        let recorder = NumberRecorder()
        signal.observeWithoutCounting(recorder.record).dispose()
        return recorder.values
    }

    @Test func `kept values are delivered inside the call, before anything newer`() {
        let signal = shared()
        signal.observe { _ in }
        upstream.send(1)
        upstream.send(2)
        let recorder = NumberRecorder()
        signal.observe { event in
            recorder.record(event)
            if event == .value(2) { upstream.send(3) }
        }
        #expect(recorder.values == [2, 3])
        #expect(signal.snapshot.replays == 1)
        upstream.send(4)
        #expect(recorder.values == [2, 3, 4])
    }

    @Test func `kept values come before those of a run that the newcomer starts`() {
        let signal = SharedNumbers(
            SignalProducer { observer, _ in observer.send(value: 7) },
            scheduler: scheduler
        )
        signal.observe { _ in }.dispose()
        let recorder = NumberRecorder()
        signal.observe(recorder.record)
        #expect(recorder.values == [7, 7])
    }

    @Test func `a replay of n gives the newest n in order of arrival`() {
        let signal = shared(.init(replayCount: 3))
        signal.observe { _ in }
        #expect(valuesOfNewcomer(to: signal) == [])
        upstream.send(1)
        upstream.send(2)
        #expect(valuesOfNewcomer(to: signal) == [1, 2])
        for number in 3...9 { upstream.send(number) }
        #expect(valuesOfNewcomer(to: signal) == [7, 8, 9])
    }

    @Test func `a replay of none gives nothing`() {
        let signal = shared(.init(replayCount: 0))
        signal.observe { _ in }
        upstream.send(1)
        #expect(valuesOfNewcomer(to: signal) == [])
    }

    @Test func `a replay by key gives the newest n of each key in order of arrival`() {
        let signal = shared(.init(replayCount: 2, replayKey: { $0 % 10 }))
        signal.observe { _ in }
        for number in [11, 12, 21, 31, 23, 41] { upstream.send(number) }
        #expect(valuesOfNewcomer(to: signal) == [12, 31, 23, 41])
    }

    @Test func `values older than the maximum age are not given to a newcomer`() {
        let signal = shared(.init(replayCount: 2, replayMaximumAge: .seconds(10)))
        signal.observe { _ in }
        upstream.send(1)
        scheduler.advance(by: .seconds(6))
        upstream.send(2)
        scheduler.advance(by: .seconds(4))
        #expect(valuesOfNewcomer(to: signal) == [1, 2])
        scheduler.advance(by: .seconds(1))
        #expect(valuesOfNewcomer(to: signal) == [2])
        #expect(signal.replay.map(\.age) == [.seconds(5)])
        scheduler.advance(by: .seconds(6))
        #expect(valuesOfNewcomer(to: signal) == [])
    }

    @Test func `kept values stay at a stop if configured to be kept`() {
        let signal = shared(.init(replayAtStop: .keep))
        let first = signal.observe { _ in }
        upstream.send(1)
        first.dispose()
        scheduler.advance(by: .seconds(100_000))
        #expect(valuesOfNewcomer(to: signal) == [1])
    }

    @Test func `kept values go at a stop if configured to be cleared`() {
        let signal = shared(.init(linger: .seconds(5), replayAtStop: .clear))
        let first = signal.observe { _ in }
        upstream.send(1)
        first.dispose()
        #expect(valuesOfNewcomer(to: signal) == [1])
        scheduler.advance(by: .seconds(5))
        #expect(valuesOfNewcomer(to: signal) == [])
    }

    @Test func `kept values expire after a stop if configured so, unless a run has begun`() {
        let signal = shared(.init(replayAtStop: .expire(after: .seconds(10))))
        let first = signal.observe { _ in }
        upstream.send(1)
        first.dispose()
        scheduler.advance(by: .seconds(9))
        let second = signal.observe { _ in }
        scheduler.advance(by: .seconds(100))
        #expect(valuesOfNewcomer(to: signal) == [1])
        second.dispose()
        scheduler.advance(by: .seconds(9))
        #expect(valuesOfNewcomer(to: signal) == [1])
        scheduler.advance(by: .seconds(1))
        #expect(signal.replay.isEmpty)
        #expect(valuesOfNewcomer(to: signal) == [])
    }

    @Test func `an expired value is released without anybody asking for it`() {
        let live = LiveCount()
        let input = SharedSignal<LiveCount.Member, Never>(
            SignalProducer { observer, _ in observer.send(value: live.member()) },
            configuration: .init(replayAtStop: .expire(after: .seconds(10))),
            scheduler: scheduler
        )
        input.observe { _ in }.dispose()
        #expect(live.alive == 1)
        scheduler.advance(by: .seconds(10))
        #expect(live.alive == 0)
        withExtendedLifetime(input) {}
    }

    @Test func `kept values can be forgotten by hand`() {
        let signal = shared()
        signal.observe { _ in }
        upstream.send(1)
        signal.resetReplay()
        #expect(valuesOfNewcomer(to: signal) == [])
        upstream.send(2)
        #expect(valuesOfNewcomer(to: signal) == [2])
    }
}
