import Foundation
import Testing

@testable import Location

@Suite struct TracksReportTests {
    @Test func `the report has the keys of the contract in their order`() throws {
        let fixture = Fixture(name: "holes.gpx")
        let (_, report) = try fixture.decode()
        let object = try JSONSerialization.jsonObject(with: Data(report.json.utf8))
        let keys = [
            "file", "format", "points", "fixes", "tracks", "segments", "untimed", "interpolated",
            "duplicates", "outOfOrder", "dropped", "rejected", "discontinuities", "first", "last",
            "durationSeconds", "lengthMetres", "diagnostics", "moreDiagnostics",
        ]
        #expect(Set((object as? [String: Any] ?? [:]).keys) == Set(keys))
        var index = report.json.startIndex
        for key in keys {
            let range = report.json[index...].range(of: "\"\(key)\":")
            index = try #require(range?.upperBound, "\(key)")
        }
        #expect(!report.json.contains("\n"))
        #expect(report.json.contains("\"points\":7,\"fixes\":4"))
        #expect(report.json.contains("\"interpolated\":2"))
        #expect(report.json.contains("\"durationSeconds\":40,\"lengthMetres\":44.5"))
        #expect(report.json.contains("\"first\":\"2026-05-01T08:00:00.000Z\""))
    }

    @Test func `strings in the report are escaped`() throws {
        var report = TrackReport()
        report.file = "a\"b\\c\n\u{1}é"
        #expect(report.json.hasPrefix("{\"file\":\"a\\\"b\\\\c\\n\\u0001é\","))
    }

    @Test func `the report for people names what was not used with its place`() throws {
        let (_, report) = try Fixture(name: "duplicates.gpx").decode()
        let lines = report.text.split(separator: "\n").map {
            $0.replacing(report.file, with: "FILE")
        }
        #expect(lines.first == "FILE: gpx, 3 fixes from 5 points in 1 segment of 1 track")
        #expect(lines.contains("  2 duplicates"))
        #expect(lines.last?.hasPrefix("FILE:6:3: warning: time 2026-05-01T08:00:10.000Z") == true)
    }

    @Test(arguments: [
        ("segments.gpx", 1, 3, 2), ("routes.gpx", 2, 2, 1), ("waypoints.gpx", 1, 1, 0),
        ("devices.csv", 2, 2, 0), ("multi-track.kml", 1, 2, 1), ("epochs.nmea", 1, 1, 0),
    ])
    func `tracks, segments and discontinuities are counted`(
        _ name: String,
        _ tracks: Int,
        _ segments: Int,
        _ discontinuities: Int
    ) throws {
        let (_, report) = try Fixture(name: name).decode()
        #expect(report.tracks == tracks)
        #expect(report.segments == segments)
        #expect(report.discontinuities == discontinuities)
    }

    @Test(arguments: [
        ("tracks-and-waypoints.gpx", [3, 5]), ("times-without-zone.gpx", [4]),
        ("checksums.nmea", [2, 4, 7]),
        ("faults.ndjson", [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 14, 14, 16]),
        ("joined.csv", [5, 6, 7, 8]), ("quotes.csv", [5, 6]), ("swapped.geojson", [14, 22, 26]),
        ("truncated.gpx", [7]), ("broken-in-the-middle.gpx", [6]), ("crlf.gpx", []),
        ("times-impossible.gpx", [5, 6, 7]), ("backwards.gpx", [7, 8]), ("far-off.gpx", [6, 8]),
        ("holes.gpx", [4, 9, 10]), ("elevations.gpx", [6, 7]), ("routes.gpx", [3]),
        ("numbers.gpx", Array(8...16)), ("beyond-the-poles.gpx", [5, 7]), ("jump.gpx", []),
        ("cut-off.gpx.gz", [42]), ("talkers.nmea", []), ("binary-between.nmea", []),
        ("checksums-never.nmea", []), ("prefixes.nmea", []), ("long-lines.nmea", []),
        ("joined-lines.nmea", [2]), ("bad-line.nmea", [6, 7]), ("no-fix.nmea", [2]),
        ("coordinates.nmea", [5, 6, 7, 8]), ("late-at-midnight.nmea", [4]),
        ("century.nmea", [3]), ("old-weeks.nmea", [3]), ("gpsd.ndjson", [3]), ("own.ndjson", []),
        ("bom-crlf.ndjson", []), ("owntracks-iso.ndjson", []), ("stream.sse", [24]),
        ("bom-crlf.csv", []), ("columns.csv", []), ("commas.csv", [2]),
        ("damaged-cells.csv", [3, 4]), ("no-numbers.csv", Array(2...6)),
        ("spreadsheet.csv", [2, 4]), ("mismatch.geojson", [10]), ("points.geojson", [60, 79]),
        ("cut-off.geojson", [33]), ("sequence.geojsons", [3]), ("no-positions.kml", []),
        ("unequal.kml", [2, 3, 3, 4, 4]),
    ])
    func `diagnostics name the lines concerned`(_ name: String, _ lines: [Int]) throws {
        let (_, report) = try Fixture(name: name).decode()
        #expect(report.diagnostics.compactMap(\.line) == lines)
    }

    @Test func `what ended the reading is among the diagnostics that are kept`() throws {
        let bad = String(repeating: "<trkpt lat=\"x\" lon=\"7\"/>\n", count: 60)
        let twice = (0..<60).map { point($0, at: $0) + point($0, at: $0) }.joined()
        let positions = String(repeating: "[7,\"x\"],\n", count: 150)
        let cut = [
            "<gpx><trk><trkseg>\n" + bad + bad, "<gpx><trk><trkseg>\n" + bad + twice + point(0),
            "{\"type\":\"Feature\",\"geometry\":{\"type\":\"LineString\","
                + "\"coordinates\":[\(positions)",
        ]
        for text in cut {
            let (_, report) = try TracksFile(text).decode()
            #expect(report.diagnostics.count == 100)
            #expect(report.moreDiagnostics > 0)
            #expect(report.diagnostics.last?.message.contains("the file ends too early") == true)
        }
    }

    @Test func `a scan names the devices of a file`() throws {
        let fixture = Fixture(name: "devices.geojson")
        let result = try TrackScan.scan(path: fixture.path)
        #expect(result.devices == ["bus-1", "bus-2", "tram", "boat"])
        #expect(result.report.fixes == 8)
        #expect(try TrackScan.scan(path: Fixture(name: "segments.gpx").path).devices.isEmpty)
    }

    @Test func `vehicles on the way at once are advised to be split`() throws {
        let track =
            "<gx:Track><when>2026-05-01T08:00:00Z</when><when>2026-05-01T08:00:10Z</when>"
            + "<gx:coord>7 46 1</gx:coord><gx:coord>7.001 46 1</gx:coord></gx:Track>"
        let placemark = "<Placemark>\(track)</Placemark>"
        let several = try TracksFile("<kml>\(placemark)\(placemark)</kml>").decode()
        #expect(several.report.outOfOrder == 1)
        #expect(several.report.diagnostics.contains { $0.message.contains("split=track") })
        let single = try TracksFile("<kml><Placemark>\(track)\(track)</Placemark></kml>").decode()
        #expect(single.report.outOfOrder == 1)
        #expect(!single.report.diagnostics.contains { $0.message.contains("split=track") })
    }
}
