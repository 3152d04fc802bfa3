import Foundation
import Testing

@testable import Location

@Suite struct TracksReceiversTests {
    private func rmc(_ second: Int, _ fields: String = "5.0,90.0,010326", status: String = "A")
        -> String
    {
        "$GPRMC,12000\(second),\(status),4606.0\(second),N,00706.0,E,\(fields),,,A"
    }

    private func gga(_ second: Int, quality: Int = 1) -> String {
        "$GPGGA,12000\(second),4606.0\(second),N,00706.0,E,\(quality),05,1.0,500.0,M,48.0,M,,"
    }

    private func decode(_ lines: [String]) throws -> (fixes: [TrackFix], report: TrackReport) {
        try TracksFile(lines.joined(separator: "\n") + "\n").decode()
    }

    @Test(arguments: ["310224", "2208-1", "1032026", "001326", "0103"])
    func `a date that no calendar has is reported where it stands`(_ date: String) throws {
        let (fixes, report) = try decode([rmc(0, "5.0,90.0,\(date)"), rmc(1)])
        #expect(fixes.map { $0.trackTime.description.prefix(10) } == ["2026-03-01", "2026-03-01"])
        #expect(report.diagnostics.map(\.line) == [1] && report.diagnostics.map(\.column) == [46])
        #expect(
            report.diagnostics.first?.message.hasPrefix("\"\(date)\" is no date, ddmmyy") == true
        )
    }

    @Test func `a log whose dates are all impossible is not said to have none`() throws {
        let (_, report) = try decode([rmc(0, "5.0,90.0,310224"), rmc(1, "5.0,90.0,310224")])
        let messages = report.diagnostics.map(\.message)
        #expect(messages.contains { $0.contains("none of the dates in the log is valid") })
        #expect(!messages.contains { $0.contains("the log has no date") })
        let (_, zda) = try decode(["$GPZDA,120000,31,02,2026,,", gga(0)])
        #expect(zda.diagnostics.contains { $0.line == 1 && $0.column == 15 })
    }

    @Test(arguments: [
        ("5.0,400.0,010326", 41, "course"), ("-5.0,90.0,010326", 37, "speed"),
        ("x,90.0,010326", 37, "speed"),
        ("5.0,?,010326", 41, "course"),
    ])
    func `a number that a field cannot have is reported and unknown`(
        _ fields: String,
        _ column: Int,
        _ name: String
    ) throws {
        let (fixes, report) = try decode([rmc(0), rmc(1, fields), rmc(2)])
        #expect(fixes.count == 3)
        #expect(
            report.diagnostics.map(\.line) == [2] && report.diagnostics.map(\.column) == [column]
        )
        #expect(report.diagnostics.first?.message.contains(name) == true)
    }

    @Test func `a number of another sentence that cannot be read is reported`() throws {
        let (fixes, report) = try decode([
            rmc(0), gga(0).replacing("500.0", with: "5OO"), "$GPVTG,400,T,,M,5.0,N,,K,A",
            "$GPGST,120000,,,,,x,1.0,1.0", rmc(1),
        ])
        #expect(fixes.first?.altitude == nil)
        #expect(report.diagnostics.map(\.line) == [2, 3, 4])
    }

    @Test func `the date of a receiver that has no fix gives way to that of a fix`() throws {
        let cold = ["$GPRMC,120000,V,,,,,,,060180,,,N", gga(1), gga(2)]
        let (fixes, _) = try decode(
            cold + [rmc(3), gga(4), "$GPRMC,120005,V,,,,,,,060180,,,N", gga(6)]
        )
        #expect(fixes.count == 5)
        #expect(fixes.allSatisfy { $0.trackTime.description.hasPrefix("2026-03-01") })
        let (alone, report) = try decode(cold)
        #expect(alone.allSatisfy { $0.trackTime.description.hasPrefix("1980-01-06") })
        #expect(report.diagnostics.allSatisfy { $0.severity == .note })
    }

    @Test(arguments: [0, 100, 16_900])
    func `the date of a receiver that has no fix is that of a long log without another`(
        _ index: Int
    ) throws {
        var lines = (0..<17_000).map { second in
            let time = "\(10 + second / 3600)\(10 + second / 60 % 50)\(10 + second % 50)"
            return "$GPGGA,\(time),4606.0,N,00706.0,E,1,05,1.0,500.0,M,48.0,M,,"
        }
        lines.insert("$GPRMC,\(lines[index].dropFirst(7).prefix(6)),V,,,,,,,060180,,,N", at: index)
        let (fixes, _) = try decode(lines)
        #expect(fixes.first?.trackTime.description.prefix(10) == "1980-01-06")
        let (dated, _) = try decode(lines + ["$GPRMC,150000,A,4606.0,N,00706.0,E,5,90,010326,,,A"])
        #expect(dated.first?.trackTime.description.prefix(10) == "2026-03-01")
    }

    @Test func `a position that is no position in an epoch without fix is no-fix filler`() throws {
        let (fixes, report) = try decode([
            "$GPGGA,115958,8960.000000,N,00000.000000,E,0,0,,137.000,M,13.000,M,,",
            "$GPRMC,115958,V,8960.000000,N,00000.000000,E,0.000,0.00,050180,,,N", rmc(0), rmc(1),
        ])
        #expect(fixes.count == 2 && report.rejected == 0)
        #expect(report.diagnostics.map(\.message) == ["1 epoch has no fix (status V or quality 0)"])
    }

    @Test(arguments: [
        (
            ["$GPWPL,4606.0,N,00706.0,E,HOME", "$GPGSV,1,1,00", "$GPGSV,1,1,00"],
            "2 GSV and 1 WPL sentences"
        ),
        (["$GPWPL,4606.0,N,00706.0,E,HOME"], "1 WPL sentence, which is no position"),
        (["$GPGSA,A,3,,,,,,,,,,,,,1,1,1", "$PGRMZ,1,f,3"], "1 GSA and 1 proprietary sentences"),
        (["!AIVDM,1,1,,B,177KQJ5000G?tO`K>RA1wUbN0TKH,0*5C"], "AIS"),
    ])
    func `a log without positions says which sentences it has`(
        _ lines: [String],
        _ wanted: String
    ) throws {
        let file = try TracksFile(lines.joined(separator: "\r\n") + "\r\n")
        let error = #expect(throws: TrackError.self) { try TrackScan.scan(path: file.path) }
        #expect(error?.message.contains(wanted) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("read as nmea") == true)
    }

    @Test func `a bad coordinate is placed at its field, and an empty one said to be empty`() throws
    {
        let (_, report) = try decode([
            rmc(0).replacing("4606.00", with: "46x6.00"),
            rmc(1).replacing("00706.0", with: "00766.0"),
            rmc(2).replacing("4606.02", with: "9106.0"),
            rmc(3).replacing("00706.0", with: ""),
        ])
        #expect(report.diagnostics.map(\.column) == [17, 27, 17, 27])
        #expect(
            report.diagnostics.last?.message == "the longitude is empty, dddmm.mmmm was expected"
        )
    }

    @Test func `a log that ends inside a sentence without its checksum says so`() throws {
        let text = "\(rmc(0))\n\(rmc(1))\n$GPRMC,120002,A,4606.02,N,00706.0,E,5.0"
        let (fixes, report) = try TracksFile(text).decode()
        #expect(fixes.count == 2)
        #expect(report.diagnostics.map(\.line) == [3])
        #expect(report.diagnostics.first?.message.contains("ends inside") == true)
    }

    @Test func `the end of a log inside a sentence that is not needed is said too`() throws {
        let sum = String(rmc(0).utf8.dropFirst().reduce(UInt8(0), ^), radix: 16)
        let text = "\(rmc(0))*\(sum.count < 2 ? "0" : "")\(sum)\r\n$GPGSV,4,1,13,01"
        let (fixes, report) = try TracksFile(text).decode()
        #expect(fixes.count == 1)
        #expect(report.diagnostics.map(\.line) == [2] && report.diagnostics.map(\.column) == [1])
        #expect(report.diagnostics.first?.message.contains("ends inside") == true)
        #expect(try TracksFile(text + ",02*4F").decode().report.diagnostics.isEmpty)
    }

    @Test func `a brace in a comment makes no NDJSON of a log`() throws {
        let text = "# Log of boat {Anna}\n\(rmc(0))\n\(rmc(1))\n"
        #expect(try TracksFile(text).decode().report.format == "nmea")
    }

    @Test func `a log without a date is of the day on which it was last written`() throws {
        let file = try TracksFile("\(gga(0))\r\n\(gga(1))\r\n")
        let written = Date(timeIntervalSince1970: 1_777_622_400)
        try FileManager.default.setAttributes([.modificationDate: written], ofItemAtPath: file.path)
        let (fixes, report) = try file.decode()
        #expect(
            fixes.map { "\($0.trackTime)" }
                == ["2026-05-01T12:00:00.000Z", "2026-05-01T12:00:01.000Z"]
        )
        #expect(report.diagnostics.map(\.severity) == [.warning])
        #expect(
            report.diagnostics.first?.message.contains("the day the file was last written") == true
        )
    }
}
