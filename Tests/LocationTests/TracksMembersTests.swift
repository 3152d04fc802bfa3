import Testing

@testable import Location

@Suite struct TracksMembersTests {
    private let first = "\"lat\":46.5,\"lon\":7.5,\"time\":\"2026-05-01T08:00:00Z\""

    private func feature(_ properties: String) -> String {
        "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[7.5,46.5]},"
            + "\"properties\":{\"time\":\"2026-05-01T08:00:00Z\",\(properties)}}"
    }

    @Test(arguments: ["\"class\":\"car\"", "\"_type\":\"Trackpoint\"", "\"mode\":\"walk\""])
    func `members that others name otherwise delete no position`(_ member: String) throws {
        let lines = try TracksFile("{\(first),\(member)}\n").decode()
        #expect(lines.fixes.count == 1)
        #expect(lines.report.diagnostics.isEmpty)
        let features = try TracksFile(feature(member)).decode()
        #expect(features.fixes.count == 1)
        #expect(features.report.diagnostics.isEmpty)
    }

    @Test(arguments: [
        "\"class\":\"SKY\"", "\"class\":\"TPV\",\"mode\":1", "\"_type\":\"waypoint\"",
    ])
    func `what is known to be no position is passed over`(_ member: String) throws {
        let (fixes, report) = try TracksFile("{\(first),\(member)}\n{\(first)}\n").decode()
        #expect(fixes.count == 1)
        #expect(report.points == 1)
        #expect(report.diagnostics.isEmpty)
        #expect(try TracksFile(feature(member)).decode().fixes.count == 1)
    }

    @Test func `a word for a number that may be missing leaves the position`() throws {
        let member = "\"track\":\"Morning\",\"heading\":\"N\",\"speed\":1.5"
        for text in ["{\(first),\(member)}\n", feature(member)] {
            let (fixes, report) = try TracksFile(text).decode()
            #expect(fixes.map(\.speed) == [1.5])
            #expect(fixes.map(\.course) == [nil])
            #expect(report.diagnostics.map(\.severity) == [.warning])
        }
    }

    @Test func `a word for a coordinate rejects the position`() throws {
        let text = "{\"lat\":\"46\",\"lon\":7}\n{\(first)}\n"
        let (fixes, report) = try TracksFile(text).decode()
        #expect(fixes.count == 1)
        #expect(report.rejected == 1)
        #expect(try TracksFile(feature("\"lat\":\"46\"")).decode().fixes.count == 1)
    }

    @Test(arguments: [
        "AIS", "RAW", "RTCM2", "RTCM3", "SUBFRAME", "LOG", "SKY", "GST", "ATT", "IMU",
    ])
    func `gpsd's other reports are passed over without a word`(_ name: String) throws {
        let other = "{\"class\":\"\(name)\",\"time\":1,\"speed\":\"x\",\"accuracy\":true}"
        let vessel = "{\"class\":\"\(name)\",\"lat\":29028960,\"lon\":-74037230,\"course\":2240}"
        let (fixes, report) = try TracksFile("\(other)\n\(vessel)\n{\(first)}\n").decode()
        #expect(fixes.count == 1 && report.points == 1)
        #expect(report.diagnostics.isEmpty)
    }

    @Test
    func `gpsd's reports of an unknown kind are counted in one note where they have positions`()
        throws
    {
        let version = "{\"class\":\"VERSION\",\"release\":\"3.22\"}"
        let report = "{\"class\":\"NEW\",\"lat\":1,\"lon\":2}"
        let tpv = "{\"class\":\"TPV\",\"mode\":3,\(first)}"
        let lines = [version, report, "{\"class\":\"NEWER\"}", report, tpv]
        let result = try TracksFile(lines.joined(separator: "\n")).decode()
        #expect(result.fixes.count == 1)
        #expect(result.report.diagnostics.map(\.severity) == [.note])
        #expect(result.report.diagnostics.map(\.line) == [2])
        #expect(
            result.report.diagnostics.first?.message.hasPrefix("2 objects of class \"NEW\"") == true
        )
    }

    @Test(arguments: ["datetime", "fixTime", "time", "timestamp"])
    func `the time is known by the names that are met`(_ name: String) throws {
        let lines = (0...1).map {
            "{\"lat\":46.\($0),\"lon\":7,\"deviceTime\":\"2001-01-01T00:00:00Z\","
                + "\"\(name)\":\"2026-05-01T08:00:0\($0)Z\"}"
        }
        let (fixes, report) = try TracksFile(lines.joined(separator: "\n")).decode()
        #expect(fixes.last?.recordedAt?.description == "2026-05-01T08:00:01.000Z")
        #expect(report.diagnostics.isEmpty)
    }

    @Test func `the speed of Traccar's positions is in knots`() throws {
        let line =
            "{\"id\":1,\"deviceId\":1,"
            + "\"protocol\":\"osmand\",\"fixTime\":\"2026-03-01T12:00:00.000+00:00\","
            + "\"latitude\":46.1,\"longitude\":7.1,\"speed\":10.0,\"course\":90.0}"
        let (fixes, _) = try TracksFile(line).decode()
        #expect(abs((fixes.first?.speed ?? 0) - 5.14444) < 1e-4)
        #expect(fixes.first?.device == "1")
    }
}
