import Testing

@testable import Location

@Suite struct TracksGPXTests {
    @Test func `accuracies are read as Apple writes them`() throws {
        let more = "<extensions><hAcc>1.8</hAcc><vAcc>1.2</vAcc></extensions></trkpt>"
        let text = point(0, at: 0).replacing("</trkpt>", with: more)
        let unknown = text.replacing(">1", with: ">-1")
        let (fixes, _) = try TracksFile(gpx(text + point(1, at: 1))).decode()
        #expect(fixes.map(\.horizontalAccuracy) == [1.8, nil])
        #expect(fixes.map(\.verticalAccuracy) == [1.2, nil])
        #expect(try TracksFile(gpx(unknown)).decode().fixes.first?.verticalAccuracy == nil)
    }

    @Test func `points directly in a track are of a segment that it implies`() throws {
        let track = "<trk>\(point(0, at: 0))\(point(1, at: 1))</trk>"
        let (fixes, report) = try TracksFile("<gpx>\(track)</gpx>").decode()
        #expect(fixes.count == 2)
        #expect(report.segments == 1)
        #expect(report.tracks == 1)
        let mixed =
            "<trk>\(point(0, at: 0))<trkseg>\(point(1, at: 1))</trkseg>\(point(2, at: 2))"
            + "<trkseg/></trk><trk>\(point(3, at: 3))</trk>"
        let several = try TracksFile("<gpx>\(mixed)</gpx>").decode()
        #expect(several.report.segments == 5)
        #expect(several.report.discontinuities == 3)
    }

    @Test func `tracks without points are no part of the waypoints around them`() throws {
        for track in ["<trk/>", "<trk><trkseg/></trk>", "<rte/>"] {
            let text = "<gpx><wpt lat=\"1\" lon=\"1\"/>\(track)<wpt lat=\"2\" lon=\"2\"/></gpx>"
            let (fixes, report) = try TracksFile(text).decode()
            #expect(fixes.count == 2)
            #expect(report.discontinuities == 0)
            #expect(report.tracks == 1)
            let many = String(repeating: "<wpt lat=\"1\" lon=\"1\"/>", count: 17_000)
            let twice = try TracksFile("<gpx>\(many)\(track)\(many)</gpx>").decode()
            #expect(twice.fixes.count == 34_000)
            #expect(twice.report.discontinuities == 0)
        }
    }

    @Test func `tracks without a position that is one do not hide what is below them`() throws {
        let bad = "<trk><trkseg><trkpt lat=\"undefined\" lon=\"x\"/></trkseg></trk>"
        let high = bad.replacing("undefined", with: "91").replacing("x", with: "7")
        let waypoints = "<wpt lat=\"1\" lon=\"1\"/><wpt lat=\"2\" lon=\"2\"/>"
        for track in [bad, high] {
            for text in [waypoints + track, track + waypoints] {
                let (fixes, report) = try TracksFile("<gpx>\(text)</gpx>").decode()
                #expect(fixes.count == 2)
                #expect(report.points == 2)
                #expect(report.diagnostics.map(\.severity) == [.warning])
                let message = report.diagnostics.first?.message
                #expect(message?.hasPrefix("track points (1) are unusable") == true)
            }
            let good = try TracksFile("<gpx>\(waypoints)\(track)<trk>\(point(0))</trk></gpx>")
            #expect(try good.decode().report.points == 2)
            #expect(try good.decode().report.rejected == 1)
        }
        let many = String(repeating: bad, count: 17_000)
        let end = "<trk>\(point(0, at: 0))</trk>"
        let last = try TracksFile("<gpx>\(waypoints)\(many)\(end)</gpx>").decode().report
        #expect(last.points == 17_001)
        #expect(last.fixes == 1)
        let lower = try TracksFile("<gpx>\(waypoints)\(many)</gpx>").decode().report
        #expect(lower.fixes == 2)
    }

    @Test func `points that shape a route are said not to be used`() throws {
        let shape =
            "<extensions><x:RoutePointExtension><x:rpt lat=\"3\" lon=\"3\"/>"
            + "<x:rpt lat=\"4\" lon=\"4\"/></x:RoutePointExtension></extensions>"
        let text =
            "<rte><rtept lat=\"1\" lon=\"1\">\n\(shape)</rtept><rtept lat=\"2\" lon=\"2\"/></rte>"
        let (fixes, report) = try TracksFile("<gpx>\(text)</gpx>").decode()
        #expect(fixes.count == 2)
        #expect(report.diagnostics.map(\.severity) == [.note])
        #expect(report.diagnostics.first?.line == 2)
        #expect(report.diagnostics.first?.message.contains("(2)") == true)
    }

    @Test(arguments: ["1777622400", "1777622400000", "1777622400.0", "1777622400000000"])
    func `a count since 1970 is a time`(_ time: String) throws {
        let text = gpx("<trkpt lat=\"1\" lon=\"1\"><time>\(time)</time></trkpt>" + point(0, at: 1))
        let (fixes, report) = try TracksFile(text).decode()
        #expect(fixes.first?.recordedAt?.description == "2026-05-01T08:00:00.000Z")
        #expect(report.diagnostics.isEmpty)
    }

    @Test func `a dilution without an accuracy counts as five metres each`() throws {
        let values = [
            "<hdop>1.5</hdop><vdop>2</vdop>",
            "<hdop>1.5</hdop><extensions><accuracy>3</accuracy>"
                + "</extensions>", "<hdop></hdop><vdop>-1</vdop>", "",
        ]
        let points = values.enumerated().map {
            "<trkpt lat=\"46.\($0.offset)\" lon=\"7\">\($0.element)</trkpt>"
        }
        let (fixes, report) = try TracksFile(gpx(points.joined())).decode()
        #expect(fixes.map(\.horizontalAccuracy) == [7.5, 3, nil, nil])
        #expect(fixes.map(\.verticalAccuracy) == [10, nil, nil, nil])
        #expect(report.diagnostics.isEmpty)
    }

    @Test(arguments: [("klingon", 1), ("windows-1252", 0), ("ISO-8859-15", 0), ("KOI8-R", 0)])
    func `an encoding that is not known is named`(_ encoding: String, _ count: Int) throws {
        let text = gpx(point(0) + point(1))
            .replacing("\"1.0\"?", with: "\"1.0\" encoding=\"\(encoding)\"?")
        let (fixes, report) = try TracksFile(text).decode()
        #expect(fixes.count == 2)
        #expect(report.diagnostics.map(\.line) == Array(repeating: 1, count: count))
        #expect(report.diagnostics.allSatisfy { $0.message.contains("encoding \"\(encoding)\"") })
    }

    @Test func `a file without a point says what it has instead`() throws {
        for (body, column, counts) in [
            ("<trk><trkseg/><trkseg/></trk><rte/>", 6, "tracks (1), segments (2) and routes (1)"),
            ("<rte><name>x</name></rte>", 6, "tracks (0), segments (0) and routes (1)"),
        ] {
            let file = try TracksFile("<gpx>\(body)</gpx>")
            let error = #expect(throws: TrackError.self) { try TrackScan.scan(path: file.path) }
            #expect(error?.line == 1 && error?.column == column)
            #expect(error?.message.hasSuffix("; \(counts) have no points") == true)
        }
        let bare = try TracksFile("<gpx><metadata/></gpx>").decode()
        #expect(bare.report.points == 0 && bare.report.diagnostics.isEmpty)
    }

    @Test func `a decimal comma is named and moves no point`() throws {
        let text = gpx(point(0) + "\n<trkpt lat=\"49,97\" lon=\"7\"/>" + point(1))
        let (fixes, report) = try TracksFile(text).decode()
        #expect(fixes.map(\.latitude) == [40, 40.0001])
        #expect(report.rejected == 1)
        #expect(
            report.diagnostics.map(\.message)
                == ["lat=\"49,97\" is not a decimal number of degrees"]
        )
    }
}
