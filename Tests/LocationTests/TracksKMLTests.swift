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

    @Test func `what a file has instead of a track is counted, by kind`() throws {
        let timed = point.replacing("<Point>", with: stamp + "<Point>")
        let span = point.replacing(
            "<Point>",
            with: "<TimeSpan><begin>2026</begin></TimeSpan><Point>"
        )
        let seen = point.replacing(
            "<Point>",
            with: "<LookAt><gx:TimeStamp><when>2026</when></gx:TimeStamp></LookAt><Point>"
        )
        let polygon = placemark("<Polygon><outerBoundaryIs>\(ring)</outerBoundaryIs></Polygon>")
        let link = "<NetworkLink><Link><href>http://127.0.0.1/x</href></Link></NetworkLink>"
        let kinds = [
            point + "\n" + seen, "\n" + timed + span, polygon, placemark(ring), link + link,
        ]
        let wanted = [
            "points without a time (2)", "points with a time (2)", "polygons (1)",
            "linear rings (1)", "network links (2)",
        ]
        for (kind, wanted) in zip(kinds, wanted) {
            let alone = try TracksFile(kml(kind))
            let error = #expect(throws: TrackError.self) { try TrackScan.scan(path: alone.path) }
            let words = error?.message ?? ""
            #expect(words.hasPrefix("has no fix: no position of a track was found in it"))
            #expect(words.contains("; " + wanted), "\(words)")
            let beside = try TracksFile(kml(kind + line("7,46 7.1,46"))).decode()
            #expect(beside.fixes.count == 2)
            #expect(beside.report.diagnostics.count == 1)
            #expect(beside.report.diagnostics.first?.message.contains(wanted) == true)
            #expect(beside.report.diagnostics.first?.severity == .note)
        }
        let all = try TracksFile(kml(kinds.joined(separator: "\n")))
        let error = #expect(throws: TrackError.self) { try TrackScan.scan(path: all.path) }
        for words in wanted { #expect(error?.message.contains(words) == true) }
        #expect(try all.decode().report.diagnostics.map(\.line) == [2, 5, 6, 7, 8])
    }

    @Test func `coordinates with commas only are read in threes`() throws {
        let (fixes, report) = try TracksFile(
            kml(line("13.08925,37.517,0,13.0859,37.517,5 14,38"))
        ).decode()
        #expect(fixes.map(\.longitude) == [13.08925, 13.0859, 14])
        #expect(fixes.map(\.altitude) == [nil, 5, nil])
        #expect(report.diagnostics.isEmpty)
        let long = (0..<1000).map { "\(7 + Double($0) / 1000),46,0" }.joined(separator: ",")
        #expect(try TracksFile(kml(line(long))).decode().fixes.count == 1000)
    }

    @Test(arguments: [
        "14,46,14.1,46,14.2,46", "7,46,7,46,7,46", "170,8,171,8,172,8,173,8,174,8,175,8,",
    ])
    func `a run of pairs that could be read in threes is rejected once`(_ run: String) throws {
        let (fixes, report) = try TracksFile(kml(line("8,46 \(run) 8.1,46"))).decode()
        #expect(fixes.map(\.longitude) == [8, 8.1])
        #expect(report.rejected == 1)
        #expect(
            report.diagnostics.map(\.message) == [
                "\"\(run)\" may be pairs or threes of values, blanks between positions were "
                    + "expected"
            ]
        )
    }

    @Test(arguments: ["7,46,5,7.1,46,6", "7,46,7,7,46,7", "7,46,,7,46,5", "120,46,0,120.1,46,0"])
    func `a run that is no nearer in pairs is read in threes`(_ run: String) throws {
        let (fixes, report) = try TracksFile(kml(line(run))).decode()
        #expect(fixes.map(\.latitude) == [46, 46])
        #expect(report.rejected == 0)
    }

    @Test(arguments: ["7,46,100,junk", "7,46,8,47", "7,46,1,2,3", "7", "x,46", "7,46;5"])
    func `coordinates of another number than three are rejected once`(_ tuple: String) throws {
        let (fixes, report) = try TracksFile(kml(line("8,46 \(tuple) 8.1,46"))).decode()
        #expect(fixes.map(\.longitude) == [8, 8.1])
        #expect(report.rejected == 1)
        #expect(report.diagnostics.map(\.line) == [2])
        #expect(report.diagnostics.first?.message.contains("\"\(tuple)\"") == true)
        let spaced = tuple.replacing(",", with: " ")
        let track = placemark(
            "<gx:Track><gx:coord>8 46 0</gx:coord><gx:coord>\(spaced)</gx:coord></gx:Track>"
        )
        #expect(try TracksFile(kml(track)).decode().report.rejected == 1)
    }

    @Test func `a tuple without an end is rejected once`() throws {
        let endless = String(repeating: "7,46,", count: 500_000)
        let (fixes, report) = try TracksFile(kml(line("8,46 \(endless) 8.1,46"))).decode()
        #expect(fixes.count == 2)
        #expect(report.rejected == 1)
    }

    @Test func `blanks behind commas are named`() throws {
        let (fixes, report) = try TracksFile(
            kml(line("14.5, 46.0, 100\n14.6,\n46.0, 100 8,46, 8.1,46 9,"))
        ).decode()
        #expect(fixes.map(\.longitude) == [8, 8.1])
        #expect(report.rejected == 3)
        #expect(report.diagnostics.map(\.line) == [2, 3, 4])
        #expect(
            report.diagnostics.first?.message
                == "\"14.5, 46.0, 100\" has blanks behind its commas, which coordinates must not "
                + "have"
        )
    }

    @Test(arguments: [
        ("absolute", [500.0, 0.0], 0), ("relativeToGround", [nil, nil], 1),
        ("clampToGround", [nil, nil], 1),
    ])
    func `the altitude mode of several tracks holds for each`(
        _ mode: String,
        _ altitudes: [Double?],
        _ notes: Int
    ) throws {
        let tracks =
            "<gx:Track><when>2026-05-01T08:00:00Z</when><gx:coord>7 46 500</gx:coord></gx:Track>"
            + "<gx:Track><when>2026-05-01T08:00:09Z</when><gx:coord>7 46 0</gx:coord></gx:Track>"
        for element in ["altitudeMode", "gx:altitudeMode"] {
            let text = placemark(
                "<gx:MultiTrack><\(element)>\(mode)</\(element)>\n\(tracks)</gx:MultiTrack>"
            )
            let (fixes, report) = try TracksFile(kml(text)).decode()
            #expect(fixes.map(\.altitude) == altitudes)
            #expect(report.diagnostics.map(\.line) == Array(repeating: 3, count: notes))
            #expect(report.diagnostics.allSatisfy { $0.message.contains(mode) })
        }
        let after = try TracksFile(
            kml(placemark("<gx:MultiTrack><altitudeMode>\(mode)</altitudeMode></gx:MultiTrack>"))
                .replacing("</Placemark>", with: tracks + "</Placemark>")
        ).decode()
        #expect(after.fixes.map(\.altitude) == [500, nil])
    }

    @Test func `a height that is no number is said not to be used`() throws {
        let text =
            line("7,46,abc 7.1,46,0,")
            + placemark("<gx:Track><gx:coord>8 46 bad</gx:coord></gx:Track>")
        for (text, word) in [(line("7,46,abc 7.1,46,0,"), "abc"), (text, "bad")] {
            let (fixes, report) = try TracksFile(kml(text)).decode()
            #expect(!fixes.isEmpty)
            #expect(report.rejected == 0)
            let message = "altitude \"\(word)\" is not a decimal number and not used"
            #expect(report.diagnostics.contains { $0.message == message })
        }
    }

    @Test func `a value that cannot be used is placed where its element begins`() throws {
        let track = placemark(
            "<gx:Track><when>2026-05-01T08:00:00Z</when>\n <when>\n bad\n</when>"
                + "<gx:coord>7 46</gx:coord>\n  <gx:coord>\n foo\n</gx:coord></gx:Track>"
        )
        let file = try TracksFile(kml(track))
        for chunkLength in [1, 7, 4096] {
            let places = try file.decode(chunkLength: chunkLength).report.diagnostics.map {
                [$0.line, $0.column]
            }
            #expect(places == [[3, 2], [6, 3]])
        }
    }

    @Test func `lines are read where tracks have only positions that are none`() throws {
        let track = placemark("<gx:Track><when/><gx:coord>x y</gx:coord></gx:Track>")
        let (fixes, report) = try TracksFile(kml(track + line("7,46 7.1,46"))).decode()
        #expect(fixes.count == 2)
        #expect(report.diagnostics.map(\.severity) == [.warning])
    }
}
