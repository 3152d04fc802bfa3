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
}
