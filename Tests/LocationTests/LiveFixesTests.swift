import TestSupport
import Testing

@testable import Location

@Suite struct LiveFixesTests {
    private let scheduler = TestScheduler()
    private let clock: TestWallClock

    init() {
        clock = TestWallClock(scheduler)
    }

    private func maker(
        _ names: [(id: String?, device: String)] = [(nil, "gps")],
        isContinued: Bool = false
    ) -> LiveFixes {
        LiveFixes(
            names: names,
            clock: clock,
            progress: Dictionary(uniqueKeysWithValues: names.map { ($0.device, DeviceProgress()) }),
            isContinued: isContinued
        )
    }

    private func fix(ago seconds: Int64, _ device: String? = nil) -> TrackFix {
        let time = Timestamp(milliseconds: clock.now.milliseconds - seconds * 1_000)
        var fix = TrackFix(latitude: 46, longitude: 7, trackTime: time)
        fix.recordedAt = time
        fix.device = device
        return fix
    }

    @Test func `a receiver's time stands when it is about now`() {
        var maker = maker()
        for ago in [59, 30, 0, -10] as [Int64] {
            let track = fix(ago: ago)
            let made = maker.fix(track)
            #expect(made?.timestamp == track.recordedAt && made?.recordedAt == nil)
            #expect(made?.origin == .live && made?.discontinuity == false)
        }
    }

    @Test func `a time far from now is kept as the time recorded`() {
        var maker = maker()
        for ago in [61, 86_400, -61] as [Int64] {
            let track = fix(ago: ago)
            let made = maker.fix(track)
            #expect(made?.timestamp == clock.now && made?.recordedAt == track.recordedAt)
        }
    }

    @Test func `fixes that were there before keep their times`() {
        var maker = maker([("a", "a"), ("b", "b")])
        let tracks = [fix(ago: 90_000, "a"), fix(ago: 86_400, "b")]
        let written = Timestamp(milliseconds: clock.now.milliseconds - 86_390_000)
        let made = maker.oldFixes(tracks, written: written)
        #expect(made.map(\.timestamp) == tracks.map(\.recordedAt))
        #expect(made.allSatisfy { $0.recordedAt == nil })
    }

    @Test func `of fixes by another clock the newest is as old as the file`() {
        var maker = maker([("a", "a"), ("b", "b")])
        let tracks = [fix(ago: 90_000, "a"), fix(ago: 86_400, "b")]
        let made = maker.oldFixes(tracks, written: clock.now)
        let ages = made.map { clock.now.milliseconds - $0.timestamp.milliseconds }
        #expect(ages == [3_600_000, 0])
        #expect(made.map(\.recordedAt) == tracks.map(\.recordedAt))
    }

    @Test func `a fix without a time is now`() {
        var maker = maker()
        let track = TrackFix(latitude: 1, longitude: 2, trackTime: Timestamp(milliseconds: 0))
        let made = maker.fix(track)
        #expect(made?.timestamp == clock.now && made?.recordedAt == nil)
    }

    @Test func `time does not go back`() {
        var maker = maker()
        let first = maker.fix(fix(ago: 10))
        #expect(maker.fix(fix(ago: 20))?.timestamp == first?.timestamp)
    }

    @Test func `one device's time does not hold back another's`() {
        var maker = maker([("a", "a"), ("b", "b")])
        _ = maker.fix(fix(ago: 0, "a"))
        let late = fix(ago: 20, "b")
        #expect(maker.fix(late)?.timestamp == late.recordedAt)
    }

    @Test func `a later run and another receiver under one name are discontinuous`() {
        var maker = maker(isContinued: true)
        let flags = ["a", "a", "b", "b"].map { maker.fix(fix(ago: 0, $0))?.discontinuity }
        #expect(flags == [true, false, true, false])
    }

    @Test func `ids that are no device are left out`() {
        var maker = maker([("a", "x-a"), ("b", "x-b")])
        #expect(
            ["a", "b", "c", nil].map { maker.fix(fix(ago: 0, $0))?.device }
                == ["x-a", "x-b", nil, nil]
        )
    }

    /// Whether a lack of positions is said after data with a position (or without one) at some
    /// seconds.
    private func isSaid(_ data: [(hasPosition: Bool, second: Int64)]) -> [Bool] {
        var maker = maker()
        return data.map { hasPosition, second in
            guard hasPosition else {
                return maker.didReceiveNoPosition(now: .seconds(second)) != nil
            }
            maker.didReceivePosition(now: .seconds(second))
            return false
        }
    }

    @Test func `data without a position for 10 s is said once, until there is one`() {
        let seconds: [Int64] = [5, 11, 15, 16, 20, 21, 22, 31, 32]
        #expect(
            isSaid(seconds.map { ($0 == 20, $0) })
                == seconds.map { $0 == 15 || $0 == 31 }
        )
    }

    @Test func `a silence is no lack of positions`() {
        #expect(isSaid([(true, 0), (false, 11), (false, 12), (true, 13)]).contains(true) == false)
        #expect(isSaid([(false, 0), (false, 9), (false, 30)]).contains(true) == false)
        #expect(isSaid([(false, 0), (false, 20), (false, 29), (false, 30)]).last == true)
    }

    @Test func `a position that comes out when the feed is quiet counts`() throws {
        let settings = LiveSettings(
            names: [(nil, "gps")],
            options: TrackOptions(),
            scheduler: scheduler,
            clock: clock
        )
        var decoder = LiveDecoder(settings, progress: LiveProgress(devices: ["gps"]))
        func feed(_ text: String) throws -> [SourceEvent] {
            try decoder.feed(Array(text.utf8)[...])
        }
        #expect(
            try feed("$GPRMC,080000.00,A,4630.0,N,00730.0,E,2.0,45.0,010526,,,A\r\n").isEmpty
        )
        scheduler.advance(by: .seconds(1))
        #expect(decoder.pause().count == 1)
        scheduler.advance(by: .seconds(9))
        #expect(try feed("$GPGSV,1,1,00\r\n").isEmpty)
    }

    @Test func `an earlier run's newest fix is the same fix in a later one`() {
        let progress = DeviceProgress()
        func run(isContinued: Bool) -> LiveFixes {
            LiveFixes(
                names: [(nil, "gps")],
                clock: clock,
                progress: ["gps": progress],
                isContinued: isContinued
            )
        }
        var first = run(isContinued: false)
        let tracks = [90_000, 0].map { fix(ago: $0) }
        for track in tracks {
            let sent = first.fix(track)
            scheduler.advance(by: .seconds(300))
            var second = run(isContinued: true)
            let again = second.oldFixes([track], written: clock.now)
            #expect(again.map(\.timestamp) == [sent?.timestamp])
            #expect(again.map(\.recordedAt) == [sent?.recordedAt])
            #expect(second.fix(fix(ago: 0))?.discontinuity == false)
        }
    }
}
