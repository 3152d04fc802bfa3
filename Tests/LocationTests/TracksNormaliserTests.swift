import Testing

@testable import Location

@Suite struct TracksNormaliserTests {
    /// Numbers that look random and are always the same.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    private func options(_ order: TrackOptions.Order) -> TrackOptions {
        var options = TrackOptions()
        options.order = order
        return options
    }

    @Test(arguments: TrackOptions.Order.allCases)
    func `every position is accounted for`(_ order: TrackOptions.Order) throws {
        for seed in 0..<60 {
            var generator = Generator(state: UInt64(seed))
            var sink = TrackSink()
            var normaliser = Normaliser(options: options(order))
            var log = DiagnosticLog()
            var fixes: [TrackFix] = []
            var batch: [TrackFix] = []
            let devices = [UInt32(0)] + (0..<(seed % 3)).compactMap { sink.device(named: "d\($0)") }
            var time: Int64 = 1_777_622_400_000
            for _ in 0..<Int.random(in: 0...3000, using: &generator) {
                var point = TrackPoint()
                point.device = devices.randomElement(using: &generator) ?? 0
                point.latitude = Double.random(in: -91...91, using: &generator)
                point.longitude = Double.random(in: -200...200, using: &generator)
                switch Int.random(in: 0..<100, using: &generator) {
                case 0: sink.beginSegment(device: point.device)
                case 1: time -= 5000
                case 2: time += 90_000
                case 3: point.time = time + 400 * 86_400_000
                case 4...(seed % 5 == 0 ? 99 : 20): break
                case 90...92: point.time = time
                default:
                    time += 1000
                    point.time = time
                }
                sink.append(point)
            }
            for point in sink.points { normaliser.accept(point, sink.devices, &log) }
            normaliser.takeFixes(into: &fixes)
            while !normaliser.finish(&log) {}
            normaliser.takeFixes(into: &batch)
            var report = TrackReport()
            report.points = sink.pointCount
            report.rejected = sink.rejected
            normaliser.output.fill(&report)
            #expect(report.isBalanced, "seed \(seed)")
            #expect(report.fixes == fixes.count + batch.count)
            sink = TrackSink()
            guard order != .file else { continue }
            checkOrder(fixes + batch)
        }
    }

    /// Per device, recorded times do not fall.
    private func checkOrder(_ fixes: [TrackFix]) {
        var newest: [String: Timestamp] = [:]
        for fix in fixes {
            guard let time = fix.recordedAt else { continue }
            if let last = newest[fix.device ?? ""] { #expect(time >= last) }
            newest[fix.device ?? ""] = time
        }
    }

    @Test(arguments: [(1, true), (2, true), (8, true), (9, false)])
    func `a short run of times that are far off costs only itself`(
        _ length: Int,
        _ isRejected: Bool
    ) throws {
        let years: [Int64] = [315_360_000, -315_360_000]
        for year in years {
            var text = point(0, at: 0) + point(1, at: 1)
            for index in 0..<length {
                text += point(2 + index, at: Int(year) + index) + (index == 0 ? point(3) : "")
            }
            text += (4...40).map { point(20 + $0, at: $0) }.joined()
            let (fixes, report) = try TracksFile(gpx(text)).decode()
            #expect(report.isBalanced)
            #expect((report.rejected == length) == isRejected)
            #expect(fixes.count == 40 || !isRejected)
            var sorted = TrackOptions()
            sorted.order = .sort
            let others = try TracksFile(gpx(text)).decode(sorted)
            #expect(others.report.rejected == (length == 1 ? 1 : 0))
        }
    }

    @Test func `a run of times between neighbours that do not agree is kept`() throws {
        let text =
            point(0, at: 0) + point(1, at: 200_000) + point(2, at: 200_001)
            + point(3, at: 80_000) + point(4, at: 80_001)
        let (fixes, report) = try TracksFile(gpx(text)).decode()
        #expect(report.rejected == 0)
        #expect(fixes.count == 3)
    }

    @Test func `a hole longer than what is held is interpolated all the same`() throws {
        let count = 5000
        let holes = (1..<count).map { point($0) }.joined()
        let track = gpx(point(0, at: 0) + holes + point(count, at: count) + point(count + 1))
        let (fixes, report) = try TracksFile(track).decode()
        #expect(report.interpolated == count - 1)
        #expect(report.dropped == 1)
        for (index, fix) in fixes.enumerated() {
            let seconds = Double(fix.trackTime.milliseconds - 1_777_622_400_000) / 1000
            #expect(abs(seconds - Double(index)) < 0.1)
        }
    }

    @Test func `a long segment without times is known as such`() throws {
        let untimed = (0..<5000).map { point($0) }.joined()
        let late = untimed + point(5000, at: 5000) + point(5001, at: 5000)
        let (_, report) = try TracksFile(gpx(late)).decode()
        #expect(report.untimed == 5002)
        #expect(report.durationSeconds > 39_000)
    }

    @Test func `a long beginning without times is dropped`() throws {
        let untimed = (0..<5000).map { point($0) }.joined()
        let (fixes, report) = try TracksFile(gpx(untimed + point(5000, at: 1) + point(5001, at: 2)))
            .decode()
        #expect(report.dropped == 5000)
        #expect(fixes.map(\.recordedAt?.milliseconds) == [1_777_622_401_000, 1_777_622_402_000])
    }

    @Test func `sorting works within its window and drops what is beyond`() {
        let window = NormaliserOutput.sortWindow
        for (count, isLost) in [(1000, false), (window + 1, true)] {
            let sink = TrackSink()
            var normaliser = Normaliser(options: options(.sort))
            var log = DiagnosticLog()
            var fixes: [TrackFix] = []
            for index in 0...count {
                var point = TrackPoint()
                point.latitude = 40 + Double(index % 100) / 10_000
                point.longitude = 7
                point.time = index == count ? 3000 : Int64(index + 10) * 1000
                sink.append(point)
            }
            for point in sink.points { normaliser.accept(point, sink.devices, &log) }
            while !normaliser.finish(&log) {}
            normaliser.takeFixes(into: &fixes)
            #expect(normaliser.output.outOfOrder == (isLost ? 1 : 0))
            #expect(fixes.count == (isLost ? count : count + 1))
            #expect(fixes.first?.trackTime.milliseconds == (isLost ? 10_000 : 3000))
        }
    }

    @Test(arguments: [1, 2, 7, 64])
    func `the length of chunks makes no difference`(_ length: Int) throws {
        for fixture in Fixture.all {
            let whole = try TrackReader(
                .file(fixture.path),
                options: try fixture.options,
                chunkLength: TrackPipeline.chunkLength
            )
            let chunked = try TrackReader(
                .file(fixture.path),
                options: try fixture.options,
                chunkLength: length
            )
            while let fix = try whole.next() {
                #expect(try chunked.next() == fix, "\(fixture.name)")
            }
            #expect(try chunked.next() == nil)
            #expect(chunked.report == whole.report, "\(fixture.name)")
        }
    }

    @Test func `a short leg is as long as its geodesic`() {
        for latitude in stride(from: -79.0, through: 79, by: 7) {
            for (north, east) in [(0.0, 0.019), (0.019, 0.0), (0.013, -0.011), (1e-7, 1e-7)] {
                let leg = Leg.between(latitude, 179.99, latitude + north, 179.99 + east)
                let path = Geodesy.inverse(
                    from: .init(latitude: latitude, longitude: 179.99),
                    to: .init(latitude: latitude + north, longitude: 179.99 + east)
                )
                #expect(abs(leg.distance - path.distance) < 1e-3)
                let turn = abs(leg.course - path.finalCourse)
                #expect(min(turn, 360 - turn) < 1e-3)
            }
        }
    }

    @Test func `a long line of GeoJSON waits in a file without a name`() throws {
        let count = 40_000
        let positions = (0..<count).map { "[7,\(40 + Double($0) / 10_000)]" }.joined(separator: ",")
        let times = (0..<count).map { String(1_777_622_400 + $0) }.joined(separator: ",")
        let text = """
            {"type":"Feature","geometry":{"type":"LineString","coordinates":[\(positions)]},
            "properties":{"coordTimes":[\(times)]}}
            """
        let (fixes, report) = try TracksFile(text).decode()
        #expect(fixes.count == count)
        #expect(report.untimed == 0)
        #expect(fixes.last?.trackTime.milliseconds == 1_777_622_400_000 + Int64(count - 1) * 1000)
        #expect(fixes.last.map { abs($0.latitude - 43.9999) < 1e-9 } == true)
    }

    @Test func `more waypoints than are held are read in a second reading`() throws {
        let points = (0..<20_000).map { "<wpt lat=\"\(Double($0) / 1000)\" lon=\"7\"/>" }.joined()
        let (fixes, report) = try TracksFile("<gpx>\(points)</gpx>").decode()
        #expect(fixes.count == 20_000)
        #expect(report.points == 20_000)
    }

    @Test func `a log whose first date comes late is read in a second reading`() throws {
        let count = 20_000
        var lines = (0..<count).map { index in
            let second = (79_200 + index) % 86_400
            let clock = [second / 3600, second / 60 % 60, second % 60]
                .map { ($0 < 10 ? "0" : "") + String($0) }.joined()
            return "$GPGGA,\(clock),4630.0,N,00730.0,E,1,08,0.9,500,M,47,M,,"
        }
        lines.append("$GPZDA,033320,03,05,2026,,")
        let (fixes, _) = try TracksFile(lines.joined(separator: "\r\n") + "\r\n").decode()
        #expect(fixes.count == count)
        #expect(fixes.first?.trackTime.description == "2026-05-02T22:00:00.000Z")
        #expect(fixes.last?.trackTime.description == "2026-05-03T03:33:19.000Z")
    }
}
