import Testing

@testable import Location

@Suite struct TracksGeoJSONTests {
    private func collection(_ features: [String]) -> String {
        "{\"type\":\"FeatureCollection\",\"features\":[\(features.joined(separator: ",\n"))]}"
    }

    private func feature(_ geometry: String, _ properties: String, _ more: String = "") -> String {
        "{\"type\":\"Feature\",\(more)\"geometry\":\(geometry),\"properties\":{\(properties)}}"
    }

    private func geometry(_ type: String, _ coordinates: String) -> String {
        "{\"type\":\"\(type)\",\"coordinates\":\(coordinates)}"
    }

    /// A point some metres east for each second.
    private func point(_ second: Int, id: String = "", time: String? = nil) -> String {
        let time = time ?? "\"2026-05-01T08:00:\(second / 10)\(second % 10)Z\""
        let place = geometry("Point", "[\(7 + Double(second) / 10_000),46]")
        return feature(place, "\"time\":\(time)", id.isEmpty ? "" : "\"id\":\(id),")
    }

    @Test(arguments: ["Polygon", "MultiPolygon", "MultiPoint"])
    func `the type of a geometry is its own, wherever that of its feature stands`(
        _ type: String
    ) throws {
        let pair = "[[7,46],[7.1,46]]"
        let coordinates =
            type == "MultiPoint" ? pair : type == "Polygon" ? "[\(pair)]" : "[[\(pair)]]"
        let text = collection([
            "{\"geometry\":{\"coordinates\":\(coordinates),\"type\":\"\(type)\"},"
                + "\"type\":\"Feature\"}",
            "{\"geometry\":{\"coordinates\":[[8,46],[8.1,46]],\"type\":\"LineString\"},"
                + "\"type\":\"Feature\"}",
        ])
        let (fixes, report) = try TracksFile(text).decode()
        #expect(fixes.map(\.longitude) == [8, 8.1])
        #expect(
            report.diagnostics.map(\.message) == ["geometries of type \(type) (1) are not used"]
        )
        let bare = try TracksFile(geometry(type, coordinates)).decode()
        #expect(bare.fixes.isEmpty)
    }

    @Test(arguments: ["N", "\"N\"", "\"track_points.N\"", "\"ws:points.N\""])
    func `the row numbers of a table count its features`(_ id: String) throws {
        let points = (0..<1500).map {
            point($0 % 60, id: id.replacing("N", with: "\($0)"), time: "\(1_777_622_400 + $0)")
        }
        let (fixes, report) = try TracksFile(collection(points)).decode()
        #expect(fixes.count == 1500)
        #expect(fixes.allSatisfy { $0.device == nil })
        #expect(report.diagnostics.isEmpty)
    }

    @Test func `ids that occur once each are devices, which a note says`() throws {
        let single = (0..<4).map { point($0, id: "\"5f\($0)-ab\"") }
        let (fixes, report) = try TracksFile(collection(single)).decode()
        #expect(Set(fixes.compactMap(\.device)).count == 4)
        #expect(report.diagnostics.map(\.severity) == [.note])
        #expect(report.diagnostics.first?.message.contains("each id occurs once") == true)
        #expect(report.diagnostics.first?.line == 1)
        let shared = (0..<4).map { point($0, id: "\"10.0.0.\($0 % 2)\"") }
        let both = try TracksFile(collection(shared)).decode()
        #expect(Set(both.fixes.compactMap(\.device)) == ["10.0.0.0", "10.0.0.1"])
        #expect(both.report.diagnostics.isEmpty)
    }

    @Test(arguments: [
        ("[\"7\",\"46\"]", "has a string"), ("[null,null]", "has null"), ("[]", "is empty"),
        ("null", "has null"), ("[7.5]", "is not"), ("[{}, 46]", "is not"),
    ])
    func `a position that is none is rejected and keeps its place among the times`(
        _ position: String,
        _ reason: String
    ) throws {
        let times =
            "\"coordTimes\":[\"2026-05-01T08:00:00Z\",\"2026-05-01T08:00:10Z\","
            + "\"2026-05-01T08:00:20Z\"]"
        for index in 0..<3 {
            var positions = ["[7,46]", "[7.001,46]", "[7.002,46]"]
            positions[index] = "\n" + position
            let line = geometry("LineString", "[\(positions.joined(separator: ","))]")
            let (fixes, report) = try TracksFile(collection([feature(line, times)])).decode()
            #expect(report.points == 3)
            #expect(report.rejected == 1)
            #expect(report.discontinuities == 0)
            let seconds = fixes.map { ($0.recordedAt?.milliseconds ?? 0) / 1000 % 60 }
            #expect(
                seconds == [0, 10, 20].enumerated().filter { $0.offset != index }.map(\.element)
            )
            #expect(report.diagnostics.map(\.line) == [2])
            #expect(report.diagnostics.first?.message.contains(reason) == true)
        }
    }

    @Test func `lines without positions are none, and positions without numbers are some`() throws {
        let lines = geometry("MultiLineString", "[[],[[],[7,46],[7.1,46]],[]]")
        let (fixes, report) = try TracksFile(collection([feature(lines, "")])).decode()
        #expect(fixes.count == 2)
        #expect(report.rejected == 1)
        for (index, empty) in ["[]", "[[]]", "[[],[]]"].enumerated() {
            let file = try TracksFile(collection([feature(geometry("LineString", empty), "")]))
            #expect(try file.decode().report.rejected == index)
        }
    }

    @Test func `a point whose coordinates are strings is rejected`() throws {
        let place = geometry("Point", "[\"7\",\"46\"]")
        let text = collection([feature(place, "\"time\":1777622400")])
        let (fixes, report) = try TracksFile(text).decode()
        #expect(fixes.isEmpty)
        #expect(report.rejected == 1)
        #expect(report.diagnostics.first?.message.contains("has a string") == true)
    }

    @Test func `an altitude that is a string is not used, and its position is`() throws {
        let line = geometry("LineString", "[[7,46,\"300\"],[7.1,46,null],[\"8\",46,\"300\"]]")
        let (fixes, report) = try TracksFile(collection([feature(line, "")])).decode()
        #expect(fixes.map(\.ellipsoidalAltitude) == [nil, nil])
        #expect(report.diagnostics.count == 2)
        #expect(report.diagnostics.first?.message.contains("altitude \"300\"") == true)
    }

    @Test func `geometries that are not used are counted by type`() throws {
        let polygon = feature(geometry("Polygon", "[[[7,46],[7.1,46]]]"), "")
        let several = feature(
            "{\"type\":\"GeometryCollection\",\"geometries\":[\(geometry("Point", "[7,46]"))]}",
            ""
        )
        let file = try TracksFile(collection([polygon, several, polygon]))
        let error = #expect(throws: TrackError.self) { try TrackScan.scan(path: file.path) }
        let message = error?.message ?? ""
        #expect(message.contains("type Polygon (2) are not used"))
        #expect(message.contains("type GeometryCollection (1) are not used"))
    }

    @Test func `a fourth coordinate is noted once`() throws {
        let line = geometry("LineString", "[[7,46,\n300,1],[7.1,46,300,2]]")
        let (fixes, report) = try TracksFile(collection([feature(line, "")])).decode()
        #expect(fixes.count == 2)
        #expect(report.diagnostics.map(\.severity) == [.note])
        #expect(report.diagnostics.first?.line == 2)
        #expect(report.diagnostics.first?.message.contains("fourth") == true)
    }

    @Test(arguments: ["null", "\"\""])
    func `a point with a time that is not known is a hole among timed ones`(_ time: String) throws {
        let hole = point(10, time: time)
        let timed = try TracksFile(collection([point(0), hole, point(20)])).decode()
        #expect(timed.report.interpolated == 1)
        #expect(timed.fixes.map { ($0.recordedAt?.milliseconds ?? 0) / 1000 % 60 } == [0, 10, 20])
        #expect(timed.report.diagnostics.isEmpty)
        let line = feature(geometry("LineString", "[[8,46],[8.1,46]]"), "")
        let beside = try TracksFile(collection([hole, line, hole])).decode()
        #expect(beside.fixes.map(\.longitude) == [8, 8.1])
        #expect(
            beside.report.diagnostics.first?.message.contains("points without times (2)") == true
        )
        let alone = try TracksFile(collection([hole, hole])).decode()
        #expect(alone.fixes.count == 2)
    }

    @Test func `many points with times that are not known are read twice`() throws {
        let holes = (0..<17_000).map { _ in point(1, time: "null") }
        let line = feature(geometry("LineString", "[[8,46],[8.1,46]]"), "")
        #expect(try TracksFile(collection(holes + [line])).decode().fixes.count == 2)
        let timed = try TracksFile(collection([point(0)] + holes + [point(2)])).decode()
        #expect(timed.report.points == 17_002)
        #expect(timed.report.dropped == 0)
        #expect(try TracksFile(collection(holes)).decode().fixes.count == 17_000)
    }

    @Test func `a point whose coordinates look swapped is said to look so`() throws {
        let swapped = feature(geometry("Point", "[46,140]"), "\"time\":1777622400")
        let (_, report) = try TracksFile(collection([swapped, point(10)])).decode()
        #expect(report.rejected == 1)
        #expect(report.diagnostics.first?.message.contains("looks swapped") == true)
    }

    @Test func `coordinates that are nested too deeply are said to be`() throws {
        let line = feature(geometry("LineString", "[[[[14,46],[14.1,46]]]]"), "")
        let (fixes, report) = try TracksFile(collection([line])).decode()
        #expect(fixes.isEmpty)
        #expect(report.diagnostics.first?.message.contains("nested 4 arrays deep") == true)
    }

    @Test func `a count of seconds in a string is a time`() throws {
        let times = "\"times\":[\"1777622400\",\"1777622410000\"]"
        let line = feature(geometry("LineString", "[[7,46],[7.1,46]]"), times)
        let (fixes, report) = try TracksFile(collection([line])).decode()
        #expect(fixes.last?.recordedAt?.description == "2026-05-01T08:00:10.000Z")
        #expect(report.diagnostics.isEmpty)
        let points = [point(0, time: "\"1777622400.5\""), point(1)]
        let timed = try TracksFile(collection(points)).decode()
        #expect(timed.fixes.first?.recordedAt?.description == "2026-05-01T08:00:00.500Z")
    }
}
