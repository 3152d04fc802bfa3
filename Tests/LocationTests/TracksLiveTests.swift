import Testing

@testable import Location

@Suite struct TracksLiveTests {
    private func rmc(_ second: Int) -> String {
        "$GPRMC,08000\(second).00,A,4630.0\(second),N,00730.0,E,2.0,45.0,010526,,,A\r\n"
    }

    private func gga(_ second: Int) -> String {
        "$GPGGA,08000\(second).00,4630.0\(second),N,00730.0,E,1,08,0.9,500.0,M,47.0,M,,\r\n"
    }

    @Test func `an epoch comes out when the next begins, and then when it is as long as before`() {
        let parser = LiveTrackParser()
        #expect(parser.feed(Array((rmc(0) + gga(0)).utf8)).isEmpty)
        #expect(
            parser.feed(Array(rmc(1).utf8)).map(\.trackTime.description)
                == ["2026-05-01T08:00:00.000Z"]
        )
        #expect(parser.feed(Array((gga(1) + rmc(2)).utf8)).count == 1)
        #expect(parser.feed(Array(gga(2).utf8)).count == 1)
        #expect(parser.feed(Array(rmc(3).utf8)).isEmpty)
        #expect(parser.feed(Array(gga(3).utf8)).map(\.altitude) == [500])
        #expect(parser.feed(Array(rmc(4).utf8)).isEmpty)
        #expect(parser.flush().count == 1)
        #expect(parser.report.isBalanced)
        #expect(parser.format == "nmea")
    }

    @Test func `bytes may come in any pieces`() {
        let text = Array((0..<5).map { rmc($0) + gga($0) }.joined().utf8)
        let whole = LiveTrackParser()
        let expected = whole.feed(text) + whole.finish()
        #expect(expected.count == 5)
        for length in [1, 3, 50] {
            let parser = LiveTrackParser()
            var fixes: [TrackFix] = []
            for start in stride(from: 0, to: text.count, by: length) {
                fixes += parser.feed(Array(text[start..<min(start + length, text.count)]))
            }
            #expect(fixes + parser.finish() == expected)
        }
    }

    @Test func `gpsd's lines come out one by one, and repeated epochs once`() {
        let parser = LiveTrackParser()
        let line = { (time: Int) in
            "{\"class\":\"TPV\",\"mode\":3,\"time\":\"2026-05-01T08:00:0\(time)Z\","
                + "\"lat\":46.5,\"lon\":7.5}\n"
        }
        #expect(parser.feed(Array("{\"class\":\"VERSION\"}\n".utf8)).isEmpty)
        #expect(parser.feed(Array(line(1).utf8)).count == 1)
        #expect(parser.feed(Array((line(1) + line(0)).utf8)).isEmpty)
        #expect(parser.feed(Array(line(2).utf8)).count == 1)
        #expect(parser.report.duplicates == 1)
        #expect(parser.report.outOfOrder == 1)
    }

    @Test func `a fix without a time comes out without one`() {
        let parser = LiveTrackParser()
        let fixes = parser.feed(Array("{\"lat\":46.5,\"lon\":7.5}\n".utf8))
        #expect(fixes.count == 1)
        #expect(fixes.first?.recordedAt == nil)
    }

    @Test func `a GPX file that is still written gives the points that are complete`() {
        let parser = LiveTrackParser()
        let text = Array(gpx(point(0, at: 0) + point(1, at: 1)).utf8)
        let half = text.count - 60
        #expect(parser.feed(Array(text[..<half])).count == 1)
        #expect(parser.feed(Array(text[half...])).count == 1)
        #expect(parser.failure == nil)
    }

    @Test func `what is refused is refused once and says why`() {
        let parser = LiveTrackParser()
        #expect(parser.feed(Array("<!DOCTYPE gpx>\n<gpx>\n".utf8)).isEmpty)
        #expect(parser.failure?.line == 1)
        #expect(parser.feed(Array(point(0, at: 0).utf8)).isEmpty)
    }

    @Test func `garbage before the first sentence is passed over`() {
        let parser = LiveTrackParser()
        #expect(parser.feed([0xFF, 0x0A, 0x00, 0x0A]).isEmpty)
        #expect(parser.feed(Array((rmc(1) + rmc(2)).utf8)).count == 1)
    }

    @Test(arguments: ["garbage\n", "\"lat\":46.5,\"lon\":7.5}\n", "a\n# b\n\nc\n"])
    func `lines that begin no format are passed over and reported`(_ garbage: String) {
        let parser = LiveTrackParser()
        #expect(parser.feed(Array(garbage.utf8)).isEmpty)
        let line = "{\"lat\":46.5,\"lon\":7.5,\"time\":\"2026-05-01T08:00:00Z\"}\n"
        #expect(parser.feed(Array(line.utf8)).count == 1)
        #expect(parser.format == "ndjson")
        #expect(parser.feed(Array("{\n".utf8)).isEmpty)
        let lines = garbage.split(separator: "\n", omittingEmptySubsequences: false).count
        #expect(parser.report.diagnostics.first?.line == 1)
        #expect(parser.report.diagnostics.contains { $0.line == lines + 1 })
    }

    @Test func `XML is recognised when its root element comes after whole lines`() {
        let parser = LiveTrackParser()
        #expect(parser.feed(Array("noise\n<?xml version=\"1.0\"?>\n<!-- a\n -->\n".utf8)).isEmpty)
        let text = "<gpx><trk><trkseg>\n" + point(0, at: 0) + point(1, at: 1)
        #expect(parser.feed(Array(text.utf8)).count == 2)
        #expect(parser.format == "gpx")
    }

    private func rmc(_ clock: String, _ date: String) -> [UInt8] {
        Array("$GPRMC,\(clock).00,A,4630.0,N,00730.0,E,2.0,45.0,\(date),,,A\r\n".utf8)
    }

    @Test func `one time of the future does not keep out the fixes after it`() {
        let parser = LiveTrackParser()
        var fixes: [TrackFix] = []
        for second in 0..<6 {
            fixes += parser.feed(rmc("08000\(second)", second == 2 ? "010379" : "010326"))
        }
        fixes += parser.finish()
        #expect(
            fixes.map { $0.trackTime.description.prefix(4) }.joined(separator: " ")
                == "2026 2026 2079 2026 2026 2026"
        )
        #expect(fixes.map(\.discontinuity) == [false, false, true, true, false, false])
        #expect(parser.report.outOfOrder == 0 && parser.report.isBalanced)
    }

    @Test func `a clock that is set back by hours is followed, a step of seconds is not`() {
        let parser = LiveTrackParser()
        var fixes: [TrackFix] = []
        for clock in ["100000", "100100", "100030", "080130", "080131", "080031", "080032"] {
            fixes += parser.feed(rmc(clock, "010326"))
        }
        fixes += parser.finish()
        #expect(
            fixes.map { $0.trackTime.description.dropFirst(11).prefix(8) }
                == ["10:00:00", "10:01:00", "08:01:30", "08:01:31", "08:00:31", "08:00:32"]
        )
        #expect(fixes.map(\.discontinuity) == [false, false, true, false, true, false])
        #expect(parser.report.outOfOrder == 1 && parser.report.isBalanced)
    }

    private func object(_ second: Int) -> String {
        "{\"lat\":46.5,\"lon\":7.5,\"time\":\"2026-05-01T08:00:0\(second)Z\"}\n"
    }

    @Test(
        arguments: [
            "{\n", "{junk\n", "\u{1E}\n", "\u{1E}junk\n", "data:junk\n", "lat,lon\n", "<junk\n",
            "<a>\n", "[junk\n", "[1,\n", "$GPGSV,3,1,11\n", "{\"log\":\"starting\"}\n",
            "{\"class\":\"VERSION\"}\n", "<?xml version=\"1.0\"?>\n", "var x = {\n",
            "PK\u{3}\u{4}\n",
        ]
    )
    func `whatever the first line is, the sentences and objects after it are read`(
        _ first: String
    ) {
        for next in [rmc, object] {
            let parser = LiveTrackParser()
            var fixes = parser.feed(Array(first.utf8))
            for second in 0..<5 { fixes += parser.feed(Array(next(second).utf8)) }
            fixes += parser.finish()
            #expect(fixes.count == 5 && parser.failure == nil)
        }
    }

    @Test func `sentences and objects may take turns, and an epoch ends where an object begins`() {
        let parser = LiveTrackParser()
        #expect(parser.feed(Array((rmc(0) + gga(0)).utf8)).isEmpty)
        #expect(parser.feed(Array(object(1).utf8)).count == 2)
        #expect(parser.format == "ndjson")
        #expect(parser.feed(Array(rmc(2).utf8)).isEmpty)
        #expect(parser.feed(Array(rmc(3).utf8)).count == 1)
        #expect(parser.flush().count == 1)
        #expect(parser.format == "nmea")
    }

    @Test func `NMEA that gpsd passes on begins with its greeting`() throws {
        let greeting = ["VERSION", "DEVICES", "WATCH"].map { "{\"class\":\"\($0)\"}\r\n" }.joined()
        let text = greeting + rmc(0) + "{\"class\":\"SKY\"}\r\n" + rmc(1)
        let (fixes, report) = try TracksFile(text).decode()
        #expect(fixes.count == 2 && report.format == "nmea" && report.diagnostics.isEmpty)
        let (_, other) = try TracksFile(greeting + object(0)).decode()
        #expect(other.format == "ndjson" && other.fixes == 1)
    }

    private func object(_ clock: String) -> [UInt8] {
        Array("{\"lat\":46.5,\"lon\":7.5,\"time\":\"2026-05-01T\(clock)Z\"}\n".utf8)
    }

    /// The clocks of the fixes that come of those in a text.
    private func clocks(_ parser: LiveTrackParser, _ text: String) -> [String] {
        text.split(separator: " ").flatMap { parser.feed(object(String($0))) }
            .map { String($0.trackTime.description.dropFirst(11).prefix(8)) }
    }

    @Test func `input that begins anew gives what is newer, and after that goes on as before`() {
        let parser = LiveTrackParser()
        #expect(clocks(parser, "08:00:00 08:30:00 09:00:00").count == 3)
        #expect(parser.beginAnew().isEmpty)
        #expect(clocks(parser, "08:00:00 08:30:00 09:00:00").isEmpty)
        #expect(clocks(parser, "09:00:01 09:00:00 08:30:00") == ["09:00:01", "08:30:00"])
        #expect(parser.report.isBalanced)
        #expect(parser.report.discontinuities == 3)
    }

    @Test func `once input that began anew is quiet, a fix further back is a discontinuity`() {
        let parser = LiveTrackParser()
        #expect(clocks(parser, "08:00:00 09:00:00").count == 2)
        _ = parser.beginAnew()
        #expect(clocks(parser, "08:00:00").isEmpty)
        #expect(parser.flush().isEmpty)
        let fixes = parser.feed(object("08:00:01"))
        #expect(fixes.map(\.discontinuity) == [true])
    }

    @Test func `input whose clock was set back goes on after it began anew, though never quiet`() {
        let parser = LiveTrackParser()
        #expect(clocks(parser, "10:00:00 10:00:01").count == 2)
        for second in 1...3 {
            _ = parser.beginAnew()
            #expect(clocks(parser, "08:00:0\(second)").isEmpty)
        }
        parser.endCatchingUp()
        _ = parser.beginAnew()
        let fixes = parser.feed(object("08:00:04") + object("08:00:05"))
        #expect(fixes.map(\.discontinuity) == [true, false])
    }

    @Test func `input that repeats its end only has not had its clock set back`() {
        let parser = LiveTrackParser()
        #expect(clocks(parser, "10:00:00 10:05:00 10:05:01").count == 3)
        _ = parser.beginAnew()
        #expect(clocks(parser, "10:05:00 10:05:01").isEmpty)
        parser.endCatchingUp()
        #expect(clocks(parser, "10:05:00 10:05:02") == ["10:05:02"])
    }

    @Test func `input that begins anew is caught up with where its clock was set back`() {
        let parser = LiveTrackParser()
        #expect(clocks(parser, "10:00:00 08:00:00 08:00:01").count == 3)
        _ = parser.beginAnew()
        #expect(clocks(parser, "10:00:00 08:00:00 08:00:01 08:00:02") == ["08:00:02"])
    }

    @Test func `a document that begins anew goes on in its segments, and begins none itself`() {
        let parser = LiveTrackParser()
        func isBreak(_ points: String) -> [Bool] {
            _ = parser.beginAnew()
            return parser.feed(Array(gpx(points).utf8)).map(\.discontinuity)
        }
        let points = (0..<5).map { point($0, at: $0) }
        let segments = points[0] + "</trkseg><trkseg>" + points[1]
        #expect(isBreak(segments) == [false, true])
        #expect(isBreak(segments + points[2]) == [false])
        #expect(isBreak(segments + points[2] + "</trkseg><trkseg>" + points[3]) == [true])
        #expect(isBreak(points[4]) == [false])
        #expect(parser.report.isBalanced)
    }

    @Test func `a document of one line without an end is read when the input is quiet`() {
        let parser = LiveTrackParser()
        let text = gpx(point(0, at: 0) + point(1, at: 1)).filter { $0 != "\n" }
        #expect(parser.feed(Array(text.utf8)).isEmpty)
        #expect(parser.flush().count == 2)
        #expect(parser.format == "gpx")
    }

    @Test(arguments: ["{", "{\"lat\":46.", "$GPRMC,0800", "time,la", "junk", "<", "<?xml"])
    func `any other beginning waits for the end of its line`(_ beginning: String) {
        let parser = LiveTrackParser()
        #expect(parser.feed(Array(beginning.utf8)).isEmpty)
        #expect(parser.flush().isEmpty)
        #expect(parser.format == nil)
    }
}
