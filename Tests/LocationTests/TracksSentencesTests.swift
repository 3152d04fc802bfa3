import Testing

@testable import Location

@Suite struct TracksSentencesTests {
    private func sentence(_ body: String, fill: String = "") -> String {
        let sum = body.utf8.reduce(UInt8(0), ^)
        let digits = String(sum, radix: 16, uppercase: true)
        return "$\(body)\(fill)*\(digits.count < 2 ? "0" : "")\(digits)"
    }

    private func rmc(_ second: Int) -> String {
        "GPRMC,08000\(second),A,4600.0\(second),N,00700.0,E,10,90,010526,,,A"
    }

    private func gga(_ second: Int) -> String {
        "GPGGA,08000\(second),4600.0\(second),N,00700.0,E,1,08,1.0,100.0,M,47.0,M,,"
    }

    @Test func `a star without a checksum does not take the next sentence with it`() throws {
        let text = [
            sentence(rmc(0)), "$GPRMC,0800*" + sentence(rmc(1)), sentence(rmc(2)),
        ].joined(separator: "\n")
        let (fixes, report) = try TracksFile(text).decode()
        #expect(fixes.count == 3)
        #expect(report.diagnostics.count == 1)
    }

    @Test(arguments: [" ", "  ", "\0", "\0\0 "])
    func `blanks before the star need not be in the checksum`(_ fill: String) throws {
        let lines = [sentence(rmc(0)), sentence(rmc(1), fill: fill), sentence(rmc(2) + " ")]
        let (fixes, report) = try TracksFile(lines.joined(separator: "\r\n")).decode()
        #expect(fixes.count == 3)
        #expect(report.diagnostics.isEmpty)
    }

    @Test func `a speed that comes before its position belongs to it`() throws {
        var lines = ["# Date: 2026-05-01"]
        for second in 0..<4 {
            lines.append(sentence("GPVTG,90,T,,M,\(second + 1)0.0,N,,K,A"))
            lines.append(sentence(gga(second)))
        }
        let (fixes, _) = try TracksFile(lines.joined(separator: "\n")).decode()
        let knots = fixes.map { (($0.speed ?? 0) * 3600 / 1852).rounded() }
        #expect(knots == [10, 20, 30, 40])
    }

    @Test func `a speed that comes after its position belongs to it`() throws {
        var lines = ["# Date: 2026-05-01"]
        for second in 0..<4 {
            lines.append(sentence(gga(second)))
            lines.append(sentence("GPVTG,90,T,,M,\(second + 1)0.0,N,,K,A"))
        }
        let (fixes, _) = try TracksFile(lines.joined(separator: "\n")).decode()
        let knots = fixes.map { (($0.speed ?? 0) * 3600 / 1852).rounded() }
        #expect(knots == [10, 20, 30, 40])
    }

    @Test func `a long log without a date says so`() throws {
        var lines: [String] = []
        for second in 0..<17_000 {
            let hour = 10 + second / 3600
            let minute = 10 + second / 60 % 50
            let time = "\(hour)\(minute)\(10 + second % 50)"
            lines.append(sentence("GPGGA,\(time),4600.0,N,00700.0,E,1,08,1.0,100.0,M,47.0,M,,"))
        }
        let (_, report) = try TracksFile(lines.joined(separator: "\n")).decode()
        #expect(report.diagnostics.contains { $0.message.contains("the log has no date") })
    }

    private func rmc(_ clock: String, _ latitude: String, _ date: String) -> String {
        sentence("GPRMC,\(clock),A,\(latitude),N,00700.0,E,10,90,\(date),,,A")
    }

    private func gns(_ talker: String, _ latitude: String) -> String {
        sentence("\(talker)GNS,120000,\(latitude),N,00700.0,E,AA,08,1.0,100.0,47.0,,")
    }

    @Test func `the same time of day on another date begins another epoch`() throws {
        let lines = (1...4).map { rmc("120000.00", "4600.0\($0)", "0\($0)0326") }
        let (fixes, report) = try TracksFile(lines.joined(separator: "\n")).decode()
        #expect(
            fixes.map { $0.trackTime.description.dropFirst(8).prefix(2) }
                == ["01", "02", "03", "04"]
        )
        #expect(report.points == 4 && report.diagnostics.isEmpty)
    }

    @Test func `another position at the same time is another epoch, and a duplicate`() throws {
        let gga = { (latitude: String) in
            self.sentence("GPGGA,120000,\(latitude),N,00700.0,E,1,08,1.0,100.0,M,47.0,M,,")
        }
        let lines = [
            gga("4600.1"), rmc("120000", "4600.1", "010326"),
            gga("4600.2"), rmc("120000", "4600.2", "010326"),
            gga("4600.3"), rmc("120000", "4600.3", "020326"),
        ]
        let (fixes, report) = try TracksFile(lines.joined(separator: "\n")).decode()
        #expect(fixes.map { ($0.latitude * 600).rounded() } == [27602, 27603])
        #expect(fixes.map { $0.trackTime.description.prefix(10) } == ["2026-03-01", "2026-03-02"])
        #expect(report.points == 3 && report.duplicates == 1)
    }

    @Test func `what is said once for each constellation is one epoch`() throws {
        let none = sentence("GAGNS,120000,,,,,,07,,,,5.2,23")
        let lines = [
            rmc("120000", "4600.1", "010326"), gns("GP", "4600.12"), gns("GL", "4600.12"), none,
            rmc("120000", "4600.1", "010326"), gns("GP", "4600.12"),
        ]
        for lines in [lines, Array(lines.dropFirst())] {
            let (_, report) = try TracksFile(lines.joined(separator: "\n")).decode()
            #expect(report.points == 1 && report.duplicates == 0)
        }
    }

    @Test(arguments: ["Q", "1", "NE", "E"])
    func `a letter that is no hemisphere is reported, and its position rejected`(
        _ letter: String
    ) throws {
        let lines = [
            "$GPRMC,120000,A,4600.1,\(letter),00700.0,E,10,90,010326,,,A",
            "$GPRMC,120001,A,4600.1,n,00700.0,e,10,90,010326,,,A",
            "$GPRMC,120002,A,4600.1,,00700.0,,10,90,010326,,,A",
        ]
        let (fixes, report) = try TracksFile(lines.joined(separator: "\n")).decode()
        #expect(fixes.count == 2 && report.rejected == 1)
        let diagnostic = try #require(report.diagnostics.first)
        #expect(diagnostic.line == 1 && diagnostic.column == 24)
        #expect(diagnostic.message == "\"\(letter)\" is no hemisphere, N or S was expected")
    }

    @Test func `a sentence in small letters is read`() throws {
        let lines = [rmc("120000", "4600.1", "010326"), rmc("120001", "4600.2", "010326")]
        let small = lines.map {
            "$"
                + sentence($0.dropFirst().prefix { $0 != "*" }.lowercased())
                .dropFirst()
        }
        let (fixes, report) = try TracksFile(small.joined(separator: "\n")).decode()
        #expect(fixes.count == 2 && report.diagnostics.isEmpty)
        let mixed = [lines[0], small[1]].joined(separator: "\n")
        #expect(try TracksFile(mixed).decode().fixes.count == 2)
    }
}
