import Foundation
import Testing

@testable import Location

@Suite struct TracksShapesTests {
    private func line(_ type: String, _ coordinates: String, _ properties: String) -> String {
        "{\"type\":\"Feature\",\"geometry\":{\"type\":\"\(type)\",\"coordinates\":\(coordinates)},"
            + "\"properties\":{\(properties)}}"
    }

    private let both = "[[7,46],[7.1,46]]"
    private let times = "[\"2026-05-01T08:00:00Z\",\"2026-05-01T08:00:10Z\"]"
    private let one = "[\"2026-05-01T08:00:00Z\"]"

    @Test func `of two lists of times the first that fits is taken`() throws {
        for properties in [
            "\"coordTimes\":\(times),\"coordinateProperties\":{\"times\":\(times)}",
            "\"coordTimes\":\(one),\"coordinateProperties\":{\"times\":\(times)}",
            "\"times\":\(times),\"coordTimes\":\(one)",
        ] {
            let (fixes, report) = try TracksFile(line("LineString", both, properties)).decode()
            #expect(fixes.last?.recordedAt?.description == "2026-05-01T08:00:10.000Z")
            #expect(report.diagnostics.isEmpty)
        }
    }

    @Test func `times of lines must be as many as the positions of each`() throws {
        let coordinates = "[\(both),[],[[8,46],[8.1,46]]]"
        let right = "[\(times),[],[\"2026-05-01T09:00:00Z\",\"2026-05-01T09:00:10Z\"]]"
        let wrong =
            "[[\"2026-05-01T08:00:00Z\",\"2026-05-01T08:00:10Z\",\"2026-05-01T08:00:20Z\"],"
            + "[\"2026-05-01T09:00:00Z\"]]"
        let good = try TracksFile(
            line("MultiLineString", coordinates, "\"coordTimes\":\(right)")
        ).decode()
        #expect(good.report.untimed == 0)
        #expect(good.report.diagnostics.isEmpty)
        let bad = try TracksFile(
            line("MultiLineString", coordinates, "\"coordTimes\":\(wrong)")
        ).decode()
        #expect(bad.report.untimed == 4)
        #expect(bad.report.diagnostics.count == 2)
    }

    @Test func `a time may be a number with an exponent`() throws {
        let properties = "\"coordTimes\":[1.7776224e9,17776224010e2,\"no\"]"
        let coordinates = "[[7,46],[7.1,46],[7.2,46]]"
        let (fixes, _) = try TracksFile(line("LineString", coordinates, properties)).decode()
        #expect(
            fixes.map { $0.recordedAt?.description }
                == ["2026-05-01T08:00:00.000Z", "2026-05-01T08:00:01.000Z"]
        )
    }

    @Test(arguments: [1, 3, 7, 1000])
    func `carriage returns alone end lines`(_ chunkLength: Int) throws {
        let csv = try TracksFile("lat,lon,time\r46,7,2026-05-01T08:00:00Z\r46,7.1,no\rx,7,\r")
            .decode(chunkLength: chunkLength)
        #expect(csv.report.points == 3)
        #expect(csv.report.diagnostics.compactMap(\.line).sorted().last == 4)
        let mixed = try TracksFile("lat,lon\r46,7\r\n46,7.1\n46,7.2\r\r46,x")
            .decode(chunkLength: chunkLength)
        #expect(mixed.fixes.count == 3)
        #expect(mixed.report.diagnostics.map(\.line) == [1, 6])
        let stray = try TracksFile("lat,lon,note\r\r\n46,7,a\rb\n46,x,\r\n")
            .decode(chunkLength: chunkLength)
        #expect(stray.fixes.count == 1)
        #expect(stray.report.diagnostics.map(\.line) == [1, 3])
    }

    @Test func `a long NMEA log whose lines end with carriage returns is read`() throws {
        let lines = (0..<2000).map { index in
            let second = index % 50 + 10
            let time = "\(10 + index / 3000)\(10 + index / 50)\(second)"
            return "$GPRMC,\(time),A,4600.0,N,00700.0,E,10,90,010526,,,A"
        }
        let (fixes, _) = try TracksFile(lines.joined(separator: "\r")).decode()
        #expect(fixes.count == 2000)
    }

    @Test func `points of KML with a time are said not to be used`() throws {
        let text =
            "<kml><Placemark><TimeStamp><when>2026-05-01T08:00:00Z</when></TimeStamp>"
            + "<Point><coordinates>7,46</coordinates></Point></Placemark>\n"
            + "<Placemark><Point><coordinates>7,46</coordinates></Point></Placemark>\n"
            + "<Placemark><LineString><coordinates>7,46 7.1,46</coordinates></LineString>"
            + "</Placemark></kml>"
        let (fixes, report) = try TracksFile(text).decode()
        #expect(fixes.count == 2)
        #expect(report.diagnostics.map(\.severity) == [.note, .note])
        #expect(report.diagnostics.first?.message.contains("points with a time (1)") == true)
    }

    @Test func `of points and lines those with times are taken`() throws {
        let timedLine = line("LineString", both, "\"coordTimes\":\(times)")
        let plainLine = line("LineString", both, "\"name\":\"x\"")
        let timedPoint = line("Point", "[9,47]", "\"time\":\"2026-05-01T08:00:05Z\"")
        let device = "\"device\":\"d\",\"time\":\"2026-05-01T08:00:05Z\""
        let devicePoint = line("Point", "[9,47]", device)
        let plainPoint = line("Point", "[9,47]", "\"name\":\"Hut\"")
        for (features, count, notes) in [
            ([plainPoint, timedPoint, plainLine, timedLine, plainPoint], 2, 3),
            ([plainPoint, plainLine, timedPoint], 1, 2),
            ([plainPoint, plainLine], 2, 1), ([plainPoint], 1, 0),
            ([timedLine, devicePoint], 3, 0),
        ] {
            let list = features.joined(separator: ",")
            let text = "{\"type\":\"FeatureCollection\",\"features\":[\(list)]}"
            let (fixes, report) = try TracksFile(text).decode()
            #expect(fixes.count == count)
            #expect(report.diagnostics.map(\.severity) == Array(repeating: .note, count: notes))
        }
    }

    @Test func `untimed points of which a file has many are read twice, once there is more`() throws
    {
        let place = line("Point", "[9,47]", "\"name\":\"Hut\"")
        let plainLine = line("LineString", both, "\"name\":\"x\"")
        let features = Array(repeating: place, count: 17_000) + [plainLine]
        let list = features.joined(separator: ",")
        let text = "{\"type\":\"FeatureCollection\",\"features\":[\(list)]}"
        let (fixes, report) = try TracksFile(text).decode()
        #expect(fixes.map(\.longitude) == [7, 7.1])
        #expect(report.points == 2)
    }

    @Test func `a damaged gzip file is called damaged`() throws {
        // The beginning of a text that is no track, and then what deflates to nothing.
        let bytes: [UInt8] = [
            31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 202, 72, 205, 201, 201, 87, 40, 201, 72, 45, 74, 213,
            1,
            82, 153, 197, 10, 64, 148, 7, 20, 41, 74, 76, 206, 86, 72, 44, 81, 72, 204, 201, 225, 2,
            0,
            0, 0, 255, 255, 255, 255, 255,
        ]
        #expect(
            try TracksFile(bytes).refusal()
                == "FILE: cannot be recognised: the gzip file is damaged"
        )
    }

    @Test func `a document type that does not end is named`() throws {
        let text = "<!DOCTYPE gpx [" + String(repeating: "<!ENTITY a \"b\">\n", count: 5000)
        let refusal = try TracksFile(text + "]><gpx/>").refusal()
        #expect(refusal?.contains("document type declaration (DOCTYPE)") == true)
    }

    @Test func `a gzip file that ends behind its header is not said to be used`() throws {
        let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
        #expect(
            try TracksFile(header).refusal()
                == "FILE: the gzip file ends too early, before any of what is in it"
        )
    }

    @Test func `bytes after a gzip file that are no more of it are reported once`() throws {
        let name = Fixture.folder.appending(path: "segments.gpx.gz")
        let bytes = [UInt8](try Data(contentsOf: name))
        let plain = try TracksFile(bytes).decode()
        for rest in [Array("trailing".utf8), Array(repeating: 7, count: 100_000)] {
            let (fixes, report) = try TracksFile(bytes + rest).decode()
            #expect(fixes == plain.fixes)
            #expect(
                report.diagnostics.map(\.message).filter {
                    $0.contains("after the end of the gzip")
                }.count == 1
            )
        }
        let padded = try TracksFile(bytes + Array(repeating: 0, count: 100_000)).decode()
        #expect(padded.report.diagnostics == plain.report.diagnostics)
    }

    @Test func `a file that was compressed twice is said to be that`() throws {
        let bytes: [UInt8] = [
            0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1, 4, 0, 251, 255, 0x1F, 0x8B, 8, 0,
        ]
        #expect(try TracksFile(bytes).refusal()?.contains("compressed with gzip twice") == true)
    }
}
