import Testing

@testable import Location

@Suite struct SimulationTests {
    private func receiver(
        _ profile: MotionProfile = .walk,
        route: Route? = nil,
        _ change: (inout SimulatorSettings) -> Void = { _ in }
    ) -> SimulatedReceiver {
        var settings = SimulatorSettings()
        settings.profile = profile
        settings.sky = .off
        change(&settings)
        let route = route ?? Route.builtIn.scaled(by: profile.limits.loopScale)
        return SimulatedReceiver(
            device: "demo",
            trajectory: Trajectory(route: route, profile: profile),
            settings: settings,
            isSpread: false
        )
    }

    private func fixes(
        _ receiver: SimulatedReceiver,
        _ ticks: some Sequence<Int64>
    ) -> [Fix] {
        var receiver = receiver
        return ticks.compactMap { tick in
            let event = receiver.event(
                tick: tick,
                presentedAt: Timestamp(milliseconds: tick * 1_000)
            )
            guard case .fix(let fix) = event else { return nil }
            return fix
        }
    }

    private func position(_ fix: Fix) -> Geodesy.Position {
        Geodesy.Position(latitude: fix.latitude, longitude: fix.longitude)
    }

    @Test(arguments: MotionProfile.allCases, ["46,7;46.5,7.5", "10,179.99;10,-179.99"])
    func `a way there and back is gone to both its ends, however short`(
        profile: MotionProfile,
        text: String
    ) throws {
        let route = try #require(Route(parsing: text))
        let way = route.corners.map(\.position)
        let length = Geodesy.inverse(from: way[0], to: way[1]).distance
        let seconds = Int64(3 * length / profile.limits.speed + 1_000)
        let fixes = fixes(receiver(profile, route: route), stride(from: 0, to: seconds, by: 7))
        for end in way {
            let nearest = fixes.map { Geodesy.inverse(from: position($0), to: end).distance }.min()
            #expect(try #require(nearest) < 7 * profile.limits.speed + 1)
        }
    }

    @Test(arguments: MotionProfile.allCases)
    func `speed and course are those found between two fixes`(profile: MotionProfile) {
        let fixes = fixes(receiver(profile), 0..<4_000)
        var fastest = 0.0
        for (before, after) in zip(fixes, fixes.dropFirst()) {
            let way = Geodesy.inverse(from: position(before), to: position(after))
            let speed = after.speed ?? -1
            // Speeds are shown in steps of 0.01 m/s.
            #expect(abs(way.distance - speed) <= max(0.01 * speed, 0.1))
            if let course = after.course {
                let off = Geodesy.turn(way.finalCourse - course + 180) - 180
                #expect(abs(off) < 1)
            }
            fastest = max(fastest, speed)
        }
        #expect(abs(fastest - profile.limits.speed) < 0.02 * profile.limits.speed)
    }

    @Test(arguments: MotionProfile.allCases)
    func `speed changes no faster than the profile allows`(profile: MotionProfile) {
        let limits = profile.limits
        let fixes = fixes(receiver(profile), 0..<4_000)
        for (before, after) in zip(fixes, fixes.dropFirst()) {
            let change = (after.speed ?? 0) - (before.speed ?? 0)
            #expect(change <= limits.acceleration * 1.05 + 0.05)
            #expect(change >= -limits.braking * 1.05 - 0.05)
        }
    }

    @Test func `corners are rounded so that a walker turns at a bounded rate`() {
        let fixes = fixes(receiver { $0.interval = .milliseconds(100) }, 0..<40_000)
        for (before, after) in zip(fixes, fixes.dropFirst()) {
            guard let first = before.course, let second = after.course else { continue }
            let turn = Geodesy.turn(second - first + 180) - 180
            #expect(abs(turn) < 9)
        }
    }

    @Test func `a round comes back to where it began`() {
        let trajectory = Trajectory(route: .builtIn, profile: .car)
        let start = trajectory.state(at: 0, window: 1)
        let end = trajectory.state(at: trajectory.period, window: 1)
        #expect(Geodesy.inverse(from: start.position, to: end.position).distance < 1e-3)
        #expect(abs(start.speed - end.speed) < 1e-6)
    }

    @Test func `fix k does not depend on the fixes asked for before`() {
        let settings: (inout SimulatorSettings) -> Void = { settings in
            settings.sky = .urban
            settings.outages = .random
        }
        let all = fixes(receiver(.cycle, settings), 0..<3_000)
        for tick: Int64 in [1, 17, 1_023, 1_024, 1_025, 2_047, 2_999] {
            let one = fixes(receiver(.cycle, settings), [tick]).first
            let same = all.first { $0.timestamp.milliseconds == tick * 1_000 }
            #expect(one == same)
        }
    }

    @Test func `what is reported does not depend on how often one looks`() {
        let often = fixes(
            receiver { settings in
                settings.sky = .openSky
                settings.interval = .milliseconds(100)
            },
            [1_000]
        )
        let seldom = fixes(receiver { $0.sky = .openSky }, [100])
        #expect(often.map(\.latitude) == seldom.map(\.latitude))
        #expect(often.map(\.longitude) == seldom.map(\.longitude))
    }

    @Test func `another seed or another device wanders otherwise`() {
        let first = fixes(receiver { $0.sky = .openSky }, 0..<10)
        let second = fixes(
            receiver { settings in
                settings.sky = .openSky
                settings.seed = 1
            },
            0..<10
        )
        #expect(first.map(\.latitude) != second.map(\.latitude))
    }

    @Test(arguments: [ErrorModel.Sky.openSky, .urban])
    func `two thirds of the positions are within the reported accuracy`(sky: ErrorModel.Sky) {
        var inside = 0
        var insideInHeight = 0
        var total = 0
        for seed in 0..<40 as Range<UInt64> {
            var model = ErrorModel(sky, seed: seed, device: "demo")
            for second in stride(from: 0, to: 20_000, by: 20) as StrideTo<Int64> {
                let error = model.sample(at: second * 1_000)
                let distance = (error.east * error.east + error.north * error.north).squareRoot()
                total += 1
                if distance <= error.horizontalAccuracy { inside += 1 }
                if abs(error.up) <= error.verticalAccuracy { insideInHeight += 1 }
            }
        }
        #expect(abs(Double(inside) / Double(total) - 0.68) < 0.03)
        #expect(abs(Double(insideInHeight) / Double(total) - 0.68) < 0.03)
    }

    @Test func `errors wander instead of jumping`() {
        var model = ErrorModel(.openSky, seed: 7, device: "demo")
        let samples = (0..<20_000 as Range<Int64>).map { model.sample(at: $0 * 1_000) }
        let mean = samples.reduce(0) { $0 + $1.east } / Double(samples.count)
        func correlation(_ lag: Int) -> Double {
            let pairs = zip(samples, samples.dropFirst(lag))
            return pairs.reduce(0) { $0 + ($1.0.east - mean) * ($1.1.east - mean) }
        }
        #expect(correlation(1) / correlation(0) > 0.9)
        // After one correlation time, 1/e is left, less the white part.
        #expect(abs(correlation(60) / correlation(0) - 0.36) < 0.12)
    }

    @Test func `a device that stands still reports no speed and no course`() {
        let route = Route(parsing: "46.5,7.5")
        let fixes = fixes(receiver(route: route) { $0.sky = .urban }, 0..<200)
        #expect(fixes.count == 200)
        #expect(fixes.allSatisfy { $0.speed == 0 && $0.course == nil })
        #expect(Set(fixes.map(\.latitude)).count > 100)
    }

    @Test(arguments: [
        "0,179.999;0,-179.999;0.01,179.999",
        "89.99,0;89.99,120;89.99,-120",
        "-90,0;-89.98,45",
        "10,20;10,20;10.001,20;10,20",
        "0.2,0;-0.1,179.8",
        "46.5,7.5;46.5,7.5",
    ])
    func `hard routes give positions that are finite and in range`(text: String) throws {
        let route = try #require(Route(parsing: text))
        for profile in [MotionProfile.walk, .aircraft] {
            let fixes = fixes(receiver(profile, route: route) { $0.sky = .openSky }, 0..<5_000)
            for (before, after) in zip(fixes, fixes.dropFirst()) {
                #expect(-90...90 ~= after.latitude && -180..<180 ~= after.longitude)
                let step = Geodesy.inverse(from: position(before), to: position(after)).distance
                #expect(step < profile.limits.speed + 5)
            }
        }
    }

    @Test(arguments: [
        "", "1", "1,2;", "91,0", "0,181", "1,2,3", "a,b", "nan,0", "1,2;;3,4", "0x1,2",
    ])
    func `a route that is none is refused`(text: String) {
        #expect(Route(parsing: text) == nil)
    }

    @Test func `in an outage there is one status and no fix`() {
        var receiver = receiver { $0.outages = .regular(every: .seconds(5), length: .seconds(3)) }
        var log = ""
        for tick in 0..<16 as Range<Int64> {
            switch receiver.event(tick: tick, presentedAt: Timestamp(milliseconds: 0)) {
            case .fix, .lastKnown: log += "f"
            case .status(_, let state, _): log += state == "nofix" ? "n" : "?"
            case nil: log += "."
            }
        }
        #expect(log == "fffffn..fffffn..")
    }

    @Test func `after an outage the accuracy is worse for a while`() throws {
        let fixes = fixes(
            receiver { settings in
                settings.sky = .openSky
                settings.outages = .regular(every: .seconds(60), length: .seconds(10))
            },
            [59, 70, 100]
        )
        let accuracies = try fixes.map { try #require($0.horizontalAccuracy) }
        #expect(accuracies.count == 3)
        #expect(accuracies[1] > 3 * accuracies[0])
        #expect(accuracies[2] < 1.5 * accuracies[0])
    }

    @Test func `the first fixes of seed 0 are these`() {
        let fixes = fixes(receiver { $0.sky = .openSky }, [0, 1, 600])
        let text = fixes.map { fix in
            "\(fix.latitude.rounded(toDecimals: 7)),\(fix.longitude.rounded(toDecimals: 7))"
        }
        #expect(
            text == ["46.9479872,7.4398954", "46.9479854,7.439905", "46.9481424,7.4509101"]
        )
    }
}
