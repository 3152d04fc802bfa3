import Reactive
import TestSupport
import Testing

@testable import Location

@Suite struct SimulatorTests {
    private let bench = SourceBench()

    private func simulator(
        _ device: String = "demo",
        on scheduler: (any Scheduler)? = nil,
        _ change: (inout SimulatorSettings) -> Void = { _ in }
    ) -> SimulatorSource {
        var settings = SimulatorSettings()
        change(&settings)
        return SimulatorSource(
            device: device,
            settings: settings,
            scheduler: scheduler ?? bench.scheduler,
            clock: bench.clock
        )
    }

    private func advance(_ duration: Duration) {
        bench.scheduler.advance(by: duration)
    }

    @Test func `fixes come on a grid that begins at once`() {
        let start = bench.clock.now.milliseconds
        _ = bench.start(simulator { $0.interval = .milliseconds(250) })
        advance(.seconds(2))
        #expect(bench.timedFixes.map(\.at.wholeMilliseconds) == (0...8).map { $0 * 250 })
        #expect(bench.fixes.map(\.timestamp.milliseconds) == (0...8).map { start + $0 * 250 })
        #expect(bench.fixes.allSatisfy { $0.origin == .simulated && $0.recordedAt == nil })
        #expect(bench.fixes.allSatisfy { !$0.discontinuity && $0.lap == 0 })
    }

    @Test func `the first fix comes after the time to first fix, with a status before`() {
        _ = bench.start(simulator { $0.timeToFirstFix = .seconds(5) })
        advance(.milliseconds(4_999))
        #expect(bench.fixes.isEmpty && bench.entries.count == 1)
        advance(.milliseconds(1))
        #expect(bench.fixes.count == 1)
    }

    @Test func `late wake-ups skip to the current tick and stay on the grid`() {
        let start = bench.clock.now.milliseconds
        let late = LateScheduler(bench.scheduler, .milliseconds(2_300))
        _ = bench.start(simulator(on: late))
        advance(.seconds(20))
        let times = bench.fixes.map { $0.timestamp.milliseconds - start - 2_300 }
        #expect(times == [0, 3_000, 6_000, 9_000, 12_000, 15_000])
    }

    @Test func `a later run repeats the first to the last digit`() {
        let source = simulator { $0.sky = .urban }
        let run = bench.start(source)
        advance(.seconds(30))
        run.dispose()
        let first = bench.fixes
        bench.forget()
        advance(.seconds(7.5))
        _ = bench.start(source)
        advance(.seconds(30))
        #expect(bench.fixes.map(\.latitude) == first.map(\.latitude))
        #expect(bench.fixes.map(\.speed) == first.map(\.speed))
        #expect(bench.fixes.map(\.discontinuity).prefix(2) == [true, false])
    }

    @Test func `a paused simulation goes on where it was`() {
        let whole = SourceBench()
        _ = whole.start(simulator(on: whole.scheduler))
        whole.scheduler.advance(by: .seconds(20))
        let source = simulator { $0.resume = .pause }
        let run = bench.start(source)
        advance(.seconds(10))
        run.dispose()
        advance(.seconds(55))
        _ = bench.start(source)
        advance(.seconds(9))
        #expect(bench.fixes.map(\.latitude) == whole.fixes.map(\.latitude))
        #expect(bench.fixes.allSatisfy { !$0.discontinuity })
    }

    @Test func `a simulation by the wall clock is where it would be had it never stopped`() {
        let whole = SourceBench()
        _ = whole.start(simulator(on: whole.scheduler))
        whole.scheduler.advance(by: .seconds(70))
        let source = simulator { $0.resume = .wallclock }
        let run = bench.start(source)
        advance(.seconds(10))
        run.dispose()
        bench.forget()
        advance(.milliseconds(55_500))
        _ = bench.start(source)
        advance(.milliseconds(4_500))
        #expect(bench.fixes.map(\.latitude) == whole.fixes[65...70].map(\.latitude))
        #expect(
            bench.timedFixes.map(\.at.wholeMilliseconds)
                == [65_500, 66_000, 67_000, 68_000, 69_000, 70_000]
        )
        #expect(bench.fixes.map(\.discontinuity).prefix(2) == [true, false])
    }

    @Test func `several devices are at different places, and one more changes none of them`() {
        let three = simulator { $0.count = 3 }
        #expect(three.devices == ["demo-1", "demo-2", "demo-3"])
        _ = bench.start(three)
        advance(.seconds(3))
        let other = SourceBench()
        _ = other.start(simulator(on: other.scheduler) { $0.count = 2 })
        other.scheduler.advance(by: .seconds(3))
        #expect(bench.fixes.count == 12)
        #expect(Set(bench.fixes.map(\.latitude)).count == 12)
        let common = bench.fixes.filter { $0.device != "demo-3" }
        #expect(common.map(\.latitude) == other.fixes.map(\.latitude))
    }

    @Test func `disposing stops the run wherever it is`() {
        for moment in [0, 1, 999, 1_000, 1_001] as [Int64] {
            let bench = SourceBench()
            let source = simulator(on: bench.scheduler) { $0.timeToFirstFix = .milliseconds(500) }
            let run = bench.start(source)
            if moment > 0 { bench.scheduler.advance(by: .milliseconds(moment)) }
            run.dispose()
            let count = bench.entries.count
            #expect(bench.scheduler.pendingCount == 0)
            bench.scheduler.advance(by: .seconds(10))
            #expect(bench.entries.count == count)
        }
    }

    @Test func `disposing while an event is being handled stops the run`() {
        let handle = SerialDisposable()
        let recorder = EventRecorder<SourceEvent, SourceFailure>()
        handle.inner = simulator { $0.count = 5 }.fixes.start { event in
            recorder.record(event)
            handle.dispose()
        }
        advance(.seconds(10))
        #expect(recorder.values.count == 1)
        #expect(bench.scheduler.pendingCount == 0)
    }

    @Test func `time does not go back between runs when the clock is set back`() {
        let source = simulator()
        let run = bench.start(source)
        advance(.seconds(3))
        run.dispose()
        bench.clock.step(by: -3_600_000)
        _ = bench.start(source)
        advance(.seconds(3))
        let times = bench.fixes.map(\.timestamp.milliseconds)
        #expect(times == times.sorted())
    }
}
