import Testing

@testable import Location

@Suite struct TracksTimestampTests {
    private func parse(_ text: String, zone: String? = nil) throws -> String {
        let timeZone = zone.flatMap(TrackTimeZone.init)
        try #require((timeZone == nil) == (zone == nil))
        let parser = TimestampParser(timeZone: timeZone)
        let bytes = Array(text.utf8)
        switch parser.parse(bytes.span, 0..<bytes.count) {
        case .time(let time, let assumedZone): return "\(time)\(assumedZone ? "?" : "")"
        case .invalid: return "invalid"
        }
    }

    private func parseEpoch(_ text: String) -> String {
        let bytes = Array(text.utf8)
        switch TimestampParser().parseEpoch(bytes.span, 0..<bytes.count) {
        case .time(let time, _): return "\(time)"
        case .invalid: return "invalid"
        }
    }

    @Test(arguments: [
        ("2026-05-01T08:00:00Z", "2026-05-01T08:00:00.000Z"),
        ("2026-05-01t08:00:00z", "2026-05-01T08:00:00.000Z"),
        ("2026-05-01 08:00:00 Z", "2026-05-01T08:00:00.000Z"),
        (" \n2026-05-01T08:00:00Z\t", "2026-05-01T08:00:00.000Z"),
        ("2026-05-01T08:00Z", "2026-05-01T08:00:00.000Z"),
        ("2026-05-01T08:00:00.1Z", "2026-05-01T08:00:00.100Z"),
        ("2026-05-01T08:00:00,12Z", "2026-05-01T08:00:00.120Z"),
        ("2026-05-01T08:00:00.999999999Z", "2026-05-01T08:00:00.999Z"),
        ("2026-05-01T08:00:00+02:00", "2026-05-01T06:00:00.000Z"),
        ("2026-05-01T08:00:00-0330", "2026-05-01T11:30:00.000Z"),
        ("2026-05-01T00:30:00+02", "2026-04-30T22:30:00.000Z"),
        ("2026-05-01T24:00:00Z", "2026-05-02T00:00:00.000Z"),
        ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59.999Z"),
        ("20260501T080000Z", "2026-05-01T08:00:00.000Z"),
        ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"),
        ("1234-05-06T07:08:09Z", "1234-05-06T07:08:09.000Z"),
        ("4096-01-01T00:00:00Z", "4096-01-01T00:00:00.000Z"),
        ("1901-12-13T20:45:52.2073437Z", "1901-12-13T20:45:52.207Z"),
        ("2026-05-01T08:00:00", "2026-05-01T08:00:00.000Z?"),
        ("2026/05/01 08:00:00", "2026-05-01T08:00:00.000Z?"),
        ("2026-05-01 8:00:00 PM", "2026-05-01T20:00:00.000Z?"),
        ("2026-05-01 12:30 am", "2026-05-01T00:30:00.000Z?"),
        ("2026-05-01 08:00:00 UTC", "2026-05-01T08:00:00.000Z"),
        ("2026-05-01T08:00:00GMT+02:00", "2026-05-01T06:00:00.000Z"),
        ("1997", "1997-01-01T00:00:00.000Z?"), ("1997-07", "1997-07-01T00:00:00.000Z?"),
        ("1997-07-16", "1997-07-16T00:00:00.000Z?"), ("1997-07-16Z", "1997-07-16T00:00:00.000Z"),
    ])
    func `a time is read in every form that is met`(_ text: String, _ wanted: String) throws {
        #expect(try parse(text) == wanted)
    }

    @Test(arguments: [
        "", "Z", "2026", "x", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
        "2026-02-31T00:00:00Z",
        "2025-02-29T00:00:00Z", "2026-05-01T25:00:00Z", "2026-05-01T24:00:01Z",
        "2026-05-01T08:60:00Z", "2026-05-01T08:00:61Z", "2026-05-01T08:00:00.Z",
        "2026-05-01T08:00:00+19:00", "2026-05-01T08:00:00+02:60", "2026-05-01T08:00:00ZZ",
        "2026-5-1T08:00:00Z", "99:99:99", "0000-01-01T00:00:00Z", "2026-05-01T", "2026-05-01T08",
        "2026-05-01T8:00:00Z", "12026-05-01T08:00:00Z", "-2026-05-01T08:00:00Z",
        "2026-05-01T08:00:00 Europe/Paris", "2026-05-01 13:00:00 PM", "2026-05-01 0:30 AM",
        "2026-05-01 08:00:00 UTCZ", "2026-05-01 08:00:00 CET", "0001-01-01T00:00:00+01:00",
    ])
    func `what no calendar or clock shows is no time`(_ text: String) throws {
        #expect(try parse(text) == (text == "2026" ? "2026-01-01T00:00:00.000Z?" : "invalid"))
    }

    @Test(arguments: [
        ("0", "1970-01-01T00:00:00.000Z"), ("1777622400", "2026-05-01T08:00:00.000Z"),
        ("1777622400.0605", "2026-05-01T08:00:00.060Z"),
        ("1777622400123", "2026-05-01T08:00:00.123Z"),
        ("1777622400123456", "2026-05-01T08:00:00.123Z"),
        ("1777622400123456789", "2026-05-01T08:00:00.123Z"), ("-1.5", "1969-12-31T23:59:58.500Z"),
        ("1e9", "2001-09-09T01:46:40.000Z"), ("1e", "invalid"), ("", "invalid"), ("-", "invalid"),
        ("1.", "invalid"),
        ("99999999999999999999999", "invalid"), ("99999999999", "5138-11-16T09:46:39.000Z"),
    ])
    func `an epoch is seconds to nanoseconds by its magnitude`(_ text: String, _ wanted: String) {
        #expect(parseEpoch(text) == wanted)
    }

    @Test(arguments: [
        ("2026-05-01T08:00:00", "Europe/Paris", "2026-05-01T06:00:00.000Z"),
        ("2026-01-01T08:00:00", "Europe/Paris", "2026-01-01T07:00:00.000Z"),
        ("2026-03-29T02:30:00", "Europe/Paris", "2026-03-29T01:30:00.000Z"),
        ("2026-10-25T02:30:00", "Europe/Paris", "2026-10-25T00:30:00.000Z"),
        ("2026-10-25T03:00:00", "Europe/Paris", "2026-10-25T02:00:00.000Z"),
        ("1900-01-01T00:00:00", "America/New_York", "1900-01-01T05:00:00.000Z"),
        ("2026-05-01T08:00:00", "+05:45", "2026-05-01T02:15:00.000Z"),
        ("2026-05-01T08:00:00Z", "+05:45", "2026-05-01T08:00:00.000Z"),
    ])
    func `a time without a zone is one of the zone chosen`(
        _ text: String,
        _ zone: String,
        _ wanted: String
    ) throws {
        #expect(try parse(text, zone: zone) == wanted)
    }

    @Test(arguments: ["", "Nowhere/Land", "../passwd", "/etc/passwd", "+25:00", "+1", "Europe"])
    func `a zone that is none is refused`(_ name: String) {
        #expect(TrackTimeZone(name) == nil)
    }

    @Test func `every day of the years 1 to 9999 is its number and back`() throws {
        var previous = -719_163
        for year in stride(from: 1, through: 9999, by: 7) {
            for (month, day) in [(1, 1), (2, 28), (3, 1), (6, 30), (12, 31)] {
                let date = try #require(CivilDate(year: year, month: month, day: day))
                #expect(date.daysSince1970 > previous)
                previous = date.daysSince1970
                #expect(CivilDate(daysSince1970: previous) == date)
            }
        }
        #expect(CivilDate(daysSince1970: -719_163) == nil)
        #expect(CivilDate(daysSince1970: 2_932_897) == nil)
        #expect(CivilDate("2026-02-29") == nil)
        #expect(CivilDate("2026-05-01")?.daysSince1970 == 20_574)
    }

    @Test(arguments: [
        ("46.5", 46.5), ("-0.5", -0.5), ("+3", 3), (".5", 0.5), ("5.", 5), (" 7 ", 7),
        ("-6.55E-4", -6.55e-4), ("1e22", 1e22), ("1e23", 1e23),
        ("123456789012345678901", 1.2345678901234568e20),
        ("0.1234567890123456789", 0.12345678901234568), ("45.772163216", 45.772163216),
        ("1e-300", 1e-300),
    ])
    func `a decimal number is the nearest Double`(_ text: String, _ number: Double) {
        let bytes = Array(text.utf8)
        #expect(Decimal.parse(bytes.span) == number)
    }

    @Test(arguments: [
        "", "-", ".", "e5", "1e", "1e+", "nan", "NaN", "inf", "-infinity", "0x10", "1e999", "46,5",
        "1_000", "1 2", "--1", "1.2.3", "46.5N", "1e99999999999999999999",
    ])
    func `what is no decimal number is none`(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(Decimal.parse(bytes.span) == nil)
    }

    @Test(arguments: [
        ("1777622400", "2026-05-01T08:00:00.000Z"), (" 1777622400123 ", "2026-05-01T08:00:00.123Z"),
        ("-157783680", "1964-12-31T19:12:00.000Z"), ("123456789.5", "1973-11-29T21:33:09.500Z"),
        ("2026-05-01T08:00:00Z", "2026-05-01T08:00:00.000Z"), ("2026", "2026-01-01T00:00:00.000Z"),
        ("20260501", "2026-05-01T00:00:00.000Z"), ("12345678", "invalid"), ("1.5", "invalid"),
        ("1777622400.", "invalid"), ("1777622400.5x", "invalid"),
        ("99999999999999999999", "invalid"),
    ])
    func `a count since 1970 with too many digits for a date is one`(
        _ text: String,
        _ wanted: String
    ) {
        let bytes = Array(text.utf8)
        let found =
            switch TimestampParser().parseTimeOrEpoch(bytes.span, 0..<bytes.count) {
            case .time(let time, _): "\(time)"
            case .invalid: "invalid"
            }
        #expect(found == wanted)
    }
}
