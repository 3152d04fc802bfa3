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
}
