import Testing

@testable import Location

@Suite struct ReplayResamplingTests {
    private func resample(
        _ fixes: [TrackFix],
        every interval: Duration
    ) throws -> [TrackFix] {
        try ResampledTrack(ArrayTrack(fixes), interval: interval).all()
    }

    private func seconds(_ fixes: [TrackFix]) -> [Double] {
        fixes.map { Double($0.trackTime.milliseconds - 1_600_000_000_000) / 1_000 }
    }

    private func fix(_ seconds: Double, _ latitude: Double, _ longitude: Double) -> TrackFix {
        trackFix(seconds) { fix in
            fix.latitude = latitude
            fix.longitude = longitude
        }
    }

    @Test func `fixes come at equal steps from the first on`() throws {
        let fixes = try resample([0, 1.5, 4, 10].map { trackFix($0) }, every: .seconds(2))
        #expect(seconds(fixes) == [0, 2, 4, 6, 8, 10])
        #expect(fixes[2] == trackFix(4))
        #expect(fixes.map(\.recordedAt) == fixes.map(\.trackTime))
    }

    @Test func `values in between are interpolated where both ends know them`() throws {
        let start = trackFix(0) { fix in
            fix.altitude = 100
            fix.horizontalAccuracy = 4
        }
        let end = trackFix(10) { $0.altitude = 200 }
        let middle = try resample([start, end], every: .seconds(5))[1]
        #expect(middle.altitude == 150)
        #expect(middle.horizontalAccuracy == nil)
        #expect(abs(middle.latitude - 46.00005) < 1e-9)
        let speed = try #require(middle.speed)
        #expect(abs(speed - 1.1116) < 0.001)
        #expect(middle.course == 0)
    }

    @Test func `nothing is interpolated across a discontinuity`() throws {
        let fixes = try resample(
            [trackFix(0), trackFix(2), trackFix(9) { $0.discontinuity = true }, trackFix(11)],
            every: .seconds(1)
        )
        #expect(seconds(fixes) == [0, 1, 2, 9, 10, 11])
        #expect(fixes.map(\.discontinuity) == [false, false, false, true, false, false])
    }

    @Test func `nothing is interpolated from one device to another`() throws {
        let fixes = [trackFix(0) { $0.device = "a" }, trackFix(2) { $0.device = "b" }]
        #expect(try resample(fixes, every: .seconds(1)).map(\.device) == ["a", "b"])
    }

    @Test func `the antimeridian is crossed the short way`() throws {
        let fixes = try resample([fix(0, 10, 179.9), fix(4, 10, -179.9)], every: .seconds(1))
        #expect(fixes.allSatisfy { abs($0.longitude) >= 179.9 && $0.longitude < 180 })
        #expect(fixes[1].longitude > 179.94 && fixes[3].longitude < -179.94)
    }

    @Test func `a pole is crossed along the meridian`() throws {
        let fixes = try resample([fix(0, 89.9, 20), fix(4, 89.9, -160)], every: .seconds(1))
        #expect(abs(fixes[1].latitude - 89.95) < 1e-3 && abs(fixes[1].longitude - 20) < 1e-6)
        #expect(abs(fixes[2].latitude - 90) < 1e-6)
        #expect(abs(fixes[3].latitude - 89.95) < 1e-3 && abs(fixes[3].longitude + 160) < 1e-6)
    }

    @Test func `steps between equal and near-antipodal places stay finite`() throws {
        let fixes = try resample(
            [fix(0, 0.2, 0), fix(4, 0.2, 0), fix(8, -0.1, 179.8)],
            every: .milliseconds(500)
        )
        #expect(fixes.count == 17)
        #expect(fixes.allSatisfy { $0.latitude.isFinite && -180..<180 ~= $0.longitude })
        #expect(fixes[4].speed == 0 && fixes[4].course == nil)
    }

    @Test func `a step of a fraction of a millisecond above the minimum does not drift`() throws {
        let fixes = try resample([trackFix(0), trackFix(1)], every: .microseconds(1_500))
        #expect(fixes.count == 668)
        #expect(fixes[666].trackTime.milliseconds - fixes[0].trackTime.milliseconds == 999)
    }

    @Test func `devices that follow each other in a file are merged in the order of time`() throws {
        func track(_ device: String, _ times: [Double]) -> [TrackFix] {
            times.map { time in trackFix(time) { $0.device = device } }
        }
        let file = track("a", [0, 2, 4]) + track("b", [1, 2, 3])
        let merged = try MergedTrack([
            DeviceTrack(ArrayTrack(file), device: "a"),
            DeviceTrack(ArrayTrack(file), device: "b"),
        ])
        .all()
        #expect(merged.map(\.device) == ["a", "b", "a", "b", "b", "a"])
        #expect(seconds(merged) == [0, 1, 2, 2, 3, 4])
    }

    @Test func `looking for a device among many others gives way now and then`() throws {
        var track = DeviceTrack(
            ArrayTrack(
                (0..<2_500).map { trackFix(Double($0)) } + [trackFix(3_000) { $0.device = "x" }]
            ),
            device: "x"
        )
        var pulls = 0
        while case .pending = try track.pull() { pulls += 1 }
        #expect(pulls == 2)
    }

    @Test func `devices are named by their ids, after the name given`() {
        func names(_ ids: [String?], _ device: String?) -> [String] {
            TrackFile.names(ids, device: device, path: "log/fleet.csv").map(\.device)
        }
        #expect(names([nil], nil) == ["fleet"])
        #expect(names(["bus 1"], nil) == ["fleet"])
        #expect(names(["bus 1"], "car") == ["car"])
        #expect(names(["bus 1", "bus-1", nil], nil) == ["bus-1", "bus-1-2", "fleet"])
        #expect(names(["1", "2", nil], "car") == ["car-1", "car-2", "car"])
        let long = String(repeating: "x", count: 64)
        #expect(names([long, long + "y"], long).allSatisfy { $0.utf8.count <= 64 })
        #expect(Set(names([long, long + "y"], long)).count == 2)
    }
}
