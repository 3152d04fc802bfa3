import Testing

@testable import Location

@Suite struct TracksKMLTests {
    private func kml(_ body: String) -> String { "<kml><Document>\n\(body)\n</Document></kml>" }

    private func placemark(_ body: String) -> String { "<Placemark>\(body)</Placemark>" }

    private func line(_ coordinates: String, _ before: String = "") -> String {
        placemark("<LineString>\(before)<coordinates>\(coordinates)</coordinates></LineString>")
    }

    private let point = "<Placemark><Point><coordinates>7,46</coordinates></Point></Placemark>"
    private let ring = "<LinearRing><coordinates>7,46 7.1,46 7,46.1 7,46</coordinates></LinearRing>"
    private let stamp = "<TimeStamp><when>2026-05-01T08:00:00Z</when></TimeStamp>"

    @Test func `lines are read where tracks have only positions that are none`() throws {
        let track = placemark("<gx:Track><when/><gx:coord>x y</gx:coord></gx:Track>")
        let (fixes, report) = try TracksFile(kml(track + line("7,46 7.1,46"))).decode()
        #expect(fixes.count == 2)
        #expect(report.diagnostics.map(\.severity) == [.warning])
    }
}
