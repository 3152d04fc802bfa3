import Reactive
import TestSupport
import Testing

@testable import Location

@Suite struct ReplayTests {
    private let bench = SourceBench()

    private func advance(_ duration: Duration) {
        bench.scheduler.advance(by: duration)
    }

    private var offsets: [Duration] { bench.timedFixes.map(\.at) }

    @Test func `the first fix comes at once and the others at the pace of the track`() {
        let source = bench.replay([0, 1, 3, 3.5].map { trackFix($0) }) { $0.isLooping = false }
        let run = bench.start(source)
        #expect(bench.fixes.isEmpty)
        bench.scheduler.advance()
        #expect(bench.fixes.count == 1)
        advance(.seconds(10))
        #expect(offsets == [.zero, .seconds(1), .seconds(3), .seconds(3.5)])
        #expect(bench.hasCompleted)
        #expect(run.isDisposed)
        #expect(bench.scheduler.pendingCount == 0)
    }

    @Test func `a fix keeps the time in the file and is presented now`() throws {
        let start = bench.clock.now
        _ = bench.start(bench.replay([0, 1].map { trackFix($0) }))
        advance(.milliseconds(1_000))
        let fix = try #require(bench.fixes.last)
        #expect(fix.timestamp.milliseconds == start.milliseconds + 1_000)
        #expect(fix.recordedAt == Timestamp(milliseconds: 1_600_000_001_000))
        #expect(fix.origin == .replayed && fix.device == "track")
        #expect(!fix.discontinuity && fix.lap == 0)
    }

    @Test func `a rate of 20 emits the same fixes at 20 times the pace`() {
        let fixes = (0..<100).map { trackFix(Double($0)) }
        _ = bench.start(bench.replay(fixes) { $0.rate = .times(20) })
        advance(.seconds(4.95))
        #expect(bench.fixes.map(\.latitude) == fixes.map(\.latitude))
        #expect(offsets[1].wholeMilliseconds == 50)
        #expect(offsets.last?.wholeMilliseconds == 4_950)
    }

    @Test func `at the highest rate there are no more than 10,000 fixes a second`() {
        let fixes = (0..<50_000).map { trackFix(Double($0)) }
        _ = bench.start(bench.replay(fixes) { $0.rate = .maximum })
        advance(.seconds(1))
        #expect(9_900...10_020 ~= bench.fixes.count)
        bench.forget()
        advance(.seconds(1))
        #expect(9_900...10_020 ~= bench.fixes.count)
    }

    @Test func `a rate too high for the track is bounded in the same way`() {
        let fixes = (0..<50_000).map { trackFix(Double($0)) }
        _ = bench.start(bench.replay(fixes) { $0.rate = .times(1_000_000) })
        advance(.seconds(1))
        #expect(9_900...10_020 ~= bench.fixes.count)
    }

    @Test func `deadlines do not drift over a million fixes`() {
        var pace = ReplayPace(rate: .times(3), maxGap: .seconds(60))
        var offset = Duration.zero
        for index in 0...1_000_000 as ClosedRange<Int64> {
            offset = pace.offset(of: trackFix(0) { $0.trackTime.milliseconds += index * 1_001 })
        }
        let exact = Duration.milliseconds(1_001_000_000) / 3
        #expect(abs((offset - exact).seconds) < 1e-6)
    }

    @Test func `late wake-ups do not add up`() {
        let fixes = (0..<1_000).map { trackFix(Double($0)) }
        let source = bench.replay(fixes, on: LateScheduler(bench.scheduler, .milliseconds(700)))
        _ = bench.start(source)
        advance(.seconds(500))
        // The run begins 0.7 s late, and each fix is 0.7 s later than that, but no more.
        #expect(offsets.prefix(3).map(\.wholeMilliseconds) == [700, 2_400, 3_400])
        #expect(offsets.last?.wholeMilliseconds == 499_400)
        #expect(bench.fixes.last?.latitude == fixes[498].latitude)
    }

    @Test func `a long gap is shortened and keeps its discontinuity`() {
        let fixes = [trackFix(0), trackFix(5_000) { $0.discontinuity = true }, trackFix(5_001)]
        _ = bench.start(bench.replay(fixes) { $0.maxGap = .seconds(10) })
        advance(.seconds(11))
        #expect(offsets == [.zero, .seconds(10), .seconds(11)])
        #expect(bench.fixes.map(\.discontinuity) == [false, true, false])
    }

    @Test func `a gap is shortened before the rate is applied`() {
        let fixes = [trackFix(0), trackFix(5_000)]
        _ = bench.start(
            bench.replay(fixes) { settings in
                settings.rate = .times(20)
                settings.isLooping = false
            }
        )
        advance(.seconds(3))
        #expect(offsets == [.zero, .seconds(3)])
    }

    @Test func `a long way without times takes as long as its speed makes it`() {
        let fixes = [0, 1_000, 1_001].map { trackFix($0) { $0.recordedAt = nil } }
        _ = bench.start(bench.replay(fixes) { $0.maxGap = .seconds(10) })
        advance(.seconds(1_001))
        #expect(offsets == [.zero, .seconds(1_000), .seconds(1_001)])
    }

    @Test func `times that go back are played without waiting`() {
        let fixes = [trackFix(10), trackFix(4), trackFix(5)]
        _ = bench.start(bench.replay(fixes) { $0.isLooping = false })
        advance(.seconds(5))
        #expect(bench.fixes.count == 3)
        #expect(offsets.last == .seconds(1))
    }

    @Test func `a loop counts laps, is discontinuous and never goes back in time`() {
        _ = bench.start(bench.replay([0, 1, 2].map { trackFix($0) }))
        advance(.seconds(8.5))
        #expect(bench.fixes.map(\.lap) == [0, 0, 0, 1, 1, 1, 2, 2, 2])
        #expect(
            bench.fixes.map(\.discontinuity)
                == [false, false, false, true, false, false, true, false, false]
        )
        let times = bench.fixes.map(\.timestamp.milliseconds)
        #expect(times == times.sorted())
        #expect(offsets == (0..<9).map { .seconds($0) })
    }

    @Test(arguments: [ReplayRate.times(1), .times(1_000_000), .maximum])
    func `a lap of one fix lasts a second`(rate: ReplayRate) {
        _ = bench.start(bench.replay([trackFix(0)]) { $0.rate = rate })
        advance(.seconds(3.5))
        #expect(offsets == [.zero, .seconds(1), .seconds(2), .seconds(3)])
    }

    @Test func `disposing stops the run wherever it is`() {
        for moment in [0, 500, 1_000, 1_500, 3_000, 3_500, 4_001] as [Int64] {
            let bench = SourceBench()
            let run = bench.start(bench.replay([0, 1, 3].map { trackFix($0) }))
            if moment > 0 { bench.scheduler.advance(by: .milliseconds(moment)) }
            run.dispose()
            let count = bench.fixes.count
            #expect(bench.scheduler.pendingCount == 0)
            bench.scheduler.advance(by: .seconds(100))
            #expect(bench.fixes.count == count)
        }
    }

    @Test func `a machine that was stopped goes on without a burst or a loss`() {
        var engine = ReplayEngine(
            path: "a.gpx",
            names: [nil: "track"],
            settings: ReplaySettings(),
            clock: bench.clock,
            progress: ReplayProgress(),
            opening: { () throws(TrackError) in ArrayTrack((0..<9).map { trackFix(Double($0)) }) }
        )
        #expect(engine.step(now: .seconds(5)).events.count == 1)
        for second in 500..<505 as Range<Int64> {
            let step = engine.step(now: .seconds(second))
            #expect(step.events.count == 1)
            guard case .at(.seconds(second + 1)) = step.next else {
                Issue.record("the next fix is due a second later")
                return
            }
        }
    }

    @Test func `a later run begins again and says so`() {
        let source = bench.replay([0, 1, 2].map { trackFix($0) })
        let run = bench.start(source)
        advance(.seconds(1))
        run.dispose()
        bench.forget()
        _ = bench.start(source)
        advance(.seconds(1))
        #expect(bench.fixes.map(\.latitude) == [46, 46.00001])
        #expect(bench.fixes.map(\.discontinuity) == [true, false])
    }

    @Test func `a paused track goes on where it was`() {
        let source = bench.replay((0..<10).map { trackFix(Double($0)) }) { $0.resume = .pause }
        let run = bench.start(source)
        advance(.seconds(3))
        run.dispose()
        advance(.seconds(100))
        bench.forget()
        _ = bench.start(source)
        bench.scheduler.advance()
        #expect(bench.fixes.map(\.latitude) == [46.00004])
        advance(.seconds(1))
        #expect(bench.fixes.map(\.latitude) == [46.00004, 46.00005])
        #expect(bench.fixes.map(\.discontinuity) == [false, false])
    }

    @Test func `a paused track that had ended begins again`() {
        let source = bench.replay([0, 1].map { trackFix($0) }) { settings in
            settings.resume = .pause
            settings.isLooping = false
        }
        _ = bench.start(source)
        advance(.seconds(1))
        #expect(bench.hasCompleted)
        bench.forget()
        _ = bench.start(source)
        advance(.seconds(1))
        #expect(bench.fixes.map(\.latitude) == [46, 46.00001])
        #expect(bench.fixes.map(\.discontinuity) == [true, false])
    }

    @Test func `a paused track keeps its lap`() {
        let source = bench.replay([0, 1, 2].map { trackFix($0) }) { $0.resume = .pause }
        let run = bench.start(source)
        advance(.seconds(4))
        run.dispose()
        bench.forget()
        _ = bench.start(source)
        advance(.seconds(1))
        #expect(bench.fixes.map(\.lap) == [1, 2])
        #expect(bench.fixes.map(\.latitude) == [46.00002, 46])
    }

    @Test(arguments: [(3.5, 3.0), (10, 0), (25.2, 5), (9.9, 9), (1_000_003, 3)])
    func `a track by the wall clock is where it would be had it never stopped`(
        away: Double,
        position: Double
    ) {
        let source = bench.replay((0..<10).map { trackFix(Double($0)) }) {
            $0.resume = .wallclock
        }
        let run = bench.start(source)
        bench.scheduler.advance()
        run.dispose()
        advance(.seconds(away))
        for _ in 0..<2 {
            bench.forget()
            let run = bench.start(source)
            bench.scheduler.advance()
            #expect(bench.fixes.map(\.latitude) == [46 + position / 100_000])
            #expect(bench.fixes.map(\.discontinuity) == [true])
            #expect(bench.fixes.map(\.lap) == [Int(away / 10)])
            run.dispose()
        }
        bench.forget()
        _ = bench.start(source)
        let next = (away.rounded(.down) + 1) - away
        advance(.seconds(next) + .milliseconds(1))
        #expect(bench.fixes.count == 2)
        #expect(bench.fixes.last?.latitude == 46 + (position + 1).remainder10 / 100_000)
    }

    @Test func `a track by the wall clock that does not loop and has ended begins anew`() {
        let source = bench.replay([0, 1].map { trackFix($0) }) { settings in
            settings.resume = .wallclock
            settings.isLooping = false
        }
        let run = bench.start(source)
        bench.scheduler.advance()
        run.dispose()
        advance(.seconds(50))
        bench.forget()
        _ = bench.start(source)
        advance(.seconds(1))
        #expect(bench.fixes.map(\.latitude) == [46, 46.00001])
        #expect(bench.hasCompleted)
    }

    @Test func `a clock set forward is followed and one set back is not`() {
        _ = bench.start(bench.replay((0..<10).map { trackFix(Double($0)) }))
        advance(.seconds(1))
        bench.clock.step(by: 3_600_000)
        advance(.seconds(1))
        bench.clock.step(by: -7_200_000)
        advance(.seconds(1))
        let times = bench.fixes.map(\.timestamp.milliseconds)
        let steps = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(steps == [1_000, 3_601_000, 1_000])
    }

    @Test func `a file that is lost fails the run in one sentence`() {
        let source = ReplaySource(
            path: "a.gpx",
            names: [(nil, "track")],
            report: nil,
            settings: ReplaySettings(),
            scheduler: bench.scheduler,
            clock: bench.clock,
            opening: { () throws(TrackError) in
                throw TrackError(file: "a.gpx", message: "cannot be opened")
            }
        )
        _ = bench.start(source)
        bench.scheduler.advance()
        #expect(bench.failure == SourceFailure(message: "a.gpx: cannot be opened"))
        #expect(bench.scheduler.pendingCount == 0)
    }

    @Test func `a track without a fix fails the run instead of spinning`() {
        _ = bench.start(bench.replay([]))
        advance(.seconds(1))
        #expect(bench.failure != nil)
    }

    @Test func `a track that has come to hold other devices only fails the run`() {
        let fixes = [trackFix(0) { $0.device = "c" }, trackFix(1) { $0.device = "d" }]
        _ = bench.start(bench.replay(fixes, devices: ["a", "b"]))
        advance(.seconds(5))
        #expect(bench.failure?.message == "a.gpx: the file has no fix of its devices any more")
        #expect(bench.fixes.isEmpty)
    }

    @Test func `a file of one device that comes to hold others joins none of them`() {
        let fixes = [
            trackFix(0) { $0.device = "a" }, trackFix(1) { $0.device = "b" },
            trackFix(2) { $0.device = "b" }, trackFix(3) { $0.device = "a" },
        ]
        _ = bench.start(bench.replay(fixes))
        advance(.seconds(5))
        #expect(bench.fixes.map(\.discontinuity) == [false, true, false, true, true, true])
    }

    @Test func `at the highest rate fixes are presented when they come`() {
        let fixes = (0..<60_000).map { trackFix(Double($0)) }
        _ = bench.start(bench.replay(fixes) { $0.rate = .maximum })
        advance(.seconds(5))
        let last = bench.fixes.last?.timestamp.milliseconds ?? 0
        #expect(0...5 ~= bench.clock.now.milliseconds - last)
    }

    @Test func `each device of a file keeps its own discontinuities`() {
        let fixes = [
            trackFix(0) { $0.device = "a" }, trackFix(0) { $0.device = "b" },
            trackFix(1) { $0.device = "a" }, trackFix(1) { $0.device = "unknown" },
            trackFix(1) { $0.device = "b" },
        ]
        _ = bench.start(bench.replay(fixes, devices: ["a", "b"]))
        advance(.seconds(2.5))
        #expect(bench.fixes.map(\.device) == ["a", "b", "a", "b", "a", "b"])
        #expect(bench.fixes.map(\.discontinuity) == [false, false, false, false, true, true])
    }
}

extension Double {
    /// The rest of a division by 10.
    fileprivate var remainder10: Double { truncatingRemainder(dividingBy: 10) }
}
