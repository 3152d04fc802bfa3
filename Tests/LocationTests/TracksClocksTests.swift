import Testing

@testable import Location

@Suite struct TracksClocksTests {
    private func times(_ lines: String...) throws -> [String] {
        let (fixes, _) = try TracksFile(lines.joined(separator: "\n") + "\n").decode()
        return fixes.map { $0.recordedAt.map { String("\($0)".dropLast()) } ?? "none" }
    }

    @Test(arguments: [
        ("120000", "120001.5", "12:00:00.000", "12:00:01.500"),
        ("090503", "90504", "09:05:03.000", "09:05:04.000"),
        ("90503", "235959", "09:05:03.000", "23:59:59.000"),
        ("0905", "0906", "09:05:00.000", "09:06:00.000"),
        ("905", "1006", "09:05:00.000", "10:06:00.000"),
        ("0.5", "0.500011574", "12:00:00.000", "12:00:01.000"),
        ("1:00:00 PM", "1:00:01.5 pm", "13:00:00.000", "13:00:01.500"),
        ("12:00 AM", "12:00PM", "00:00:00.000", "12:00:00.000"),
    ])
    func `beside a date a clock is read in the forms of loggers and spreadsheets`(
        _ first: String,
        _ second: String,
        _ one: String,
        _ other: String
    ) throws {
        for date in ["2026-03-01", "2026/03/01", "20260301", "01-Mar-2026", "1 Mar 2026"] {
            #expect(
                try times("date,time,lat,lon", "\(date),\(first),46,7", "\(date),\(second),46.1,7")
                    == ["2026-03-01T\(one)", "2026-03-01T\(other)"]
            )
        }
    }

    @Test(arguments: [
        "Mar 1, 2026 12:00:05 PM", "Mar 1, 2026, 12:00:05\u{202F}PM", "March 1 2026 12:00:05",
        "Sun, 01 Mar 2026 12:00:05 GMT", "Sun, 1 Mar 2026 13:00:05 +0100",
        "Sunday, March 1, 2026 at 12:00:05 PM", "Sun Mar  1 12:00:05 2026",
        "Sun Mar 01 13:00:05 GMT+01:00 2026", "1 Mar 2026 12:00:05 pm", "1-Mar-26 12:00:05",
        "1-March-2026 12:00:05", "2026-Mar-01 12:00:05", "01 mar. 2026 12:00:05",
    ])
    func `a time with an English month is read in any order`(_ text: String) throws {
        let rows = ["lat,lon,time", "46,7,\"\(text)\"", "46.1,7,\"1 Mar 2026 12:00:06\""]
        let (fixes, _) = try TracksFile(rows.joined(separator: "\n")).decode()
        #expect(fixes.first?.recordedAt?.description == "2026-03-01T12:00:05.000Z")
        #expect(fixes.count == 2)
    }

    @Test func `a year of two digits is one from 1980 to 2079`() throws {
        #expect(
            try times("lat,lon,time", "46,7,1-Mar-80 12:00:00", "46.1,7,1-Mar-79 12:00:00")
                == ["1980-03-01T12:00:00.000", "2079-03-01T12:00:00.000"]
        )
    }

    @Test(arguments: [
        "Foo 1, 2026 12:00", "Ma 1 2026 12:00", "1-Mar-026", "Mar 2026 12:00:00", "32 Mar 2026",
        "Mar 1, 2026 13:00 PM", "1-Mar--1",
    ])
    func `words that are no date with an English month are no time`(_ text: String) throws {
        let rows = ["lat,lon,time", "46,7,\"\(text)\"", "46.1,7,\"\(text)\""]
        let (fixes, report) = try TracksFile(rows.joined(separator: "\n")).decode()
        #expect(fixes.map(\.recordedAt) == [nil, nil])
        #expect(report.diagnostics.map(\.line) == [2, 3])
    }

    @Test func `a full time beside a clock that repeats it is read`() throws {
        #expect(
            try times(
                "lat,lon,date,time",
                "46,7,2026-03-01T12:00:00Z,12:00:00",
                "46.1,7,2026-03-01 12:00:01.500,12:00:01"
            ) == ["2026-03-01T12:00:00.000", "2026-03-01T12:00:01.500"]
        )
        #expect(
            try times(
                "lat,lon,date,time",
                "46,7,2026-03-01T12:00:00Z,12:00:01",
                "46.1,7,2026-03-01T12:00:00Z,13:00:00"
            ) == ["none", "none"]
        )
    }

    @Test func `midnight counts as a clock where the clocks before had six digits`() throws {
        #expect(
            try times("date,time,lat,lon", "20260301,235959,46,7", "20260302,3,46.1,7")
                == ["2026-03-01T23:59:59.000", "2026-03-02T00:00:03.000"]
        )
    }

    @Test(arguments: [
        "126000", "240001", "250000", "1260", "13:00:00 PM", "0:00:00 AM", "1234567",
        "12345678", "7",
    ])
    func `a clock that no clock shows is none`(_ clock: String) throws {
        let (fixes, report) = try TracksFile(
            "date,time,lat,lon\n2026-03-01,\(clock),46,7\n2026-03-01,\(clock),46.1,7\n"
        ).decode()
        #expect(fixes.map(\.recordedAt) == [nil, nil])
        #expect(report.diagnostics.map(\.line) == [2, 3])
        #expect(report.diagnostics.map(\.column) == [12, 12])
    }

    @Test func `fourteen digits that are a date and a clock are that, others an epoch`() throws {
        #expect(
            try times("time,lat,lon", "20260301120000,46,7", "20260301120001.5,46.1,7")
                == ["2026-03-01T12:00:00.000", "2026-03-01T12:00:01.500"]
        )
        #expect(
            try times("time,lat,lon", "20261301120000,46,7", "20261301121000,46.1,7").first
                == "2612-01-21T19:12:00.000"
        )
    }

    @Test func `days of a spreadsheet are counted from 1899, which a note says once`() throws {
        let (fixes, report) = try TracksFile(
            "Time,lat,lon\n46082.5,46,7\n46082.500011574,46.1,7\n46083,46.2,7\n"
        ).decode()
        #expect(
            fixes.map { $0.trackTime.description } == [
                "2026-03-01T12:00:00.000Z", "2026-03-01T12:00:01.000Z", "2026-03-02T00:00:00.000Z",
            ]
        )
        let notes = report.diagnostics.filter { $0.message.contains("1899-12-30") }
        #expect(notes.map(\.line) == [2] && notes.map(\.severity) == [.note])
        #expect(
            try times("Date;Time;lat;lon", "46082;0,5;46;7", "46082;0,75;46,1;7")
                == ["2026-03-01T12:00:00.000", "2026-03-01T18:00:00.000"]
        )
    }

    @Test(arguments: [
        ("time_ms", "1777622400123", "2026-05-01T08:00:00.123"),
        ("timestamp (ms)", "100", "1970-01-01T00:00:00.100"),
        ("time(millisecond)", "0", "1970-01-01T00:00:00.000"),
        ("Time (s)", "1.5E1", "1970-01-01T00:00:15.000"),
        ("time_s", "1777622400.0609", "2026-05-01T08:00:00.060"),
        ("time [us]", "1500", "1970-01-01T00:00:00.001"),
        ("timestamp_ns", "1777622400123456789", "2026-05-01T08:00:00.123"),
    ])
    func `a unit in the name of a time column is honoured`(
        _ name: String,
        _ number: String,
        _ time: String
    ) throws {
        #expect(try times("\(name),lat,lon", "\(number),46,7", "9\(number),46.1,7").first == time)
    }

    @Test(arguments: ["time (min)", "Time [h]", "time (days)"])
    func `a time column in an unknown unit refuses the file`(_ name: String) throws {
        let isRefused = try TracksFile("\(name),lat,lon\n1,46,7\n").refusal() != nil
        #expect(isRefused)
    }

    @Test(arguments: [
        "2026-03-01 12:00:00 UTC", "2026-03-01 12:00:00 GMT", "2026-03-01T12:00:00 Z",
        "2026-03-01 12:00:00 utc", "2026-03-01 13:00:00 GMT+01:00", "2026-03-01 12:00:00 PM UTC",
        "Sun Mar 01 13:00:00 GMT+01:00 2026", "Sun Mar 1 12:00:00 UTC 2026",
    ])
    func `the name of universal time behind a time is its zone`(_ time: String) throws {
        let (fixes, report) = try TracksFile(
            "time,lat,lon\n\(time),46,7\n2026-03-01T12:00:09Z,46,7\n"
        )
        .decode()
        #expect(fixes.first?.recordedAt?.description == "2026-03-01T12:00:00.000Z")
        #expect(report.diagnostics.isEmpty)
    }

    @Test(arguments: [
        ("11/30/2026,12:00:00", 1, "11/30/2026"), ("30.11.2026,12:00:00", 1, "30.11.2026"),
        ("01-03-2026,120000", 1, "01-03-2026"), ("2026-03-01,noon", 12, "noon"),
    ])
    func `of a date and a clock the one at fault is named, and what was expected`(
        _ cells: String,
        _ column: Int,
        _ quoted: String
    ) throws {
        let (_, report) = try TracksFile("date,time,lat,lon\n\(cells),46,7\n").decode()
        let warning = report.diagnostics.first { $0.severity == .warning }
        #expect(warning?.column == column)
        #expect(warning?.message.hasPrefix("\"\(quoted)\" is no ") == true)
        let says = column == 1 ? "year-month-day was expected" : "hh:mm:ss was expected"
        #expect(warning?.message.contains(says) == true)
    }

    @Test func `days and months that cannot be told apart are said to be that`() throws {
        let (_, report) = try TracksFile("time,lat,lon\n03/01/2026 12:00:00,46,7\n").decode()
        #expect(
            report.diagnostics.first?.message.contains("day and month cannot be told apart") == true
        )
    }

    @Test func `numbers that are too large for a time are none`() throws {
        for number in ["9223372036854775", "9223372036854775807", "-9223372036854775807", "1e300"] {
            for name in ["time", "time (s)", "time_ms", "time_ns"] {
                let text = "date,\(name),lat,lon\n2026-03-01,\(number),46,7\n,\(number).999,46,7\n"
                #expect(try TracksFile(text).decode().fixes.count > 0)
            }
        }
    }

    @Test func `a date with a midnight behind it is that day`() throws {
        #expect(
            try times("Date,Time,lat,lon", "2026-03-01T00:00:00,12:00:00,46,7").count == 1
        )
        let (fixes, _) = try TracksFile(
            "Date,Time,lat,lon\n2026-03-01T00:00:00,12:00:00,46,7\n"
                + "2026-03-01 00:00:00,12:00:01,46,7\n"
        ).decode()
        #expect(fixes.last?.recordedAt?.description == "2026-03-01T12:00:01.000Z")
    }
}
