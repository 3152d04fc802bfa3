import Testing

@testable import Location

@Suite struct TracksColumnsTests {
    private func csv(_ lines: String...) throws -> TracksFile {
        try TracksFile(lines.joined(separator: "\n") + "\n")
    }

    private func row(_ second: Int, _ rest: String = "") -> String {
        "2026-05-01T08:00:0\(second)Z,46.\(second),7\(rest)"
    }

    @Test func `a quote inside a cell opens nothing`() throws {
        let (fixes, report) = try csv(
            "time,lat,lon,note",
            row(0, ",\"ok\""),
            row(1, ",19\" rack"),
            row(2, ",x"),
            row(3, ",20\" rack"),
            row(4, ", \"a, \"\"b\"\"\" ")
        ).decode()
        #expect(fixes.map(\.latitude) == [46, 46.1, 46.2, 46.3, 46.4])
        #expect(report.diagnostics.isEmpty)
    }

    @Test func `a quote that does not close costs no rows`() throws {
        var lines = ["time,lat,lon,note", row(0, ",\"open")]
        for second in 1...9 { lines.append(row(second, ",x")) }
        let short = try TracksFile(lines.joined(separator: "\n")).decode()
        #expect(short.fixes.count == 10)
        #expect(short.report.diagnostics.map(\.line) == [2])
        for minute in 1...20 {
            for second in 0...9 {
                lines.append("2026-05-01T08:\(minute + 10):0\(second)Z,46,7,x")
            }
        }
        lines.append("2026-05-01T09:00:00Z,46,7,\"closed\"")
        let long = try TracksFile(lines.joined(separator: "\n")).decode()
        #expect(long.fixes.count == 211)
        #expect(long.report.diagnostics.map(\.line) == [2])
    }

    @Test func `doubled quotes in a quoted cell are one`() throws {
        let (fixes, _) = try csv(
            "device,time,lat,lon",
            "\"a\"\"b\"," + row(0),
            "\"two\nlines\"," + row(1)
        ).decode()
        #expect(fixes.map(\.device) == ["a-b", "two-lines"])
    }

    @Test(arguments: ["vehicle_speed", "deviceTime", "device_battery", "vehicle type"])
    func `a column that only begins like a device is none`(_ name: String) throws {
        let (fixes, _) = try csv("time,lat,lon,\(name)", row(0, ",1"), row(1, ",2")).decode()
        #expect(fixes.map(\.device) == [nil, nil])
    }

    @Test(arguments: ["device", "vehicle", "deviceId", "device_name", "Vehicle ID"])
    func `a device's column is known by its whole name`(_ name: String) throws {
        let (fixes, _) = try csv("time,lat,lon,\(name)", row(0, ",a"), row(1, ",b")).decode()
        #expect(fixes.map(\.device) == ["a", "b"])
    }

    @Test(arguments: [
        "time,latency_ms,lat,lon", "time,longest_gap,latitude,longitude",
        "fixTime,x,lat_deg,lon.deg",
        "gpsTime,altar,lat (N),lng", "recorded_at,lon_std,lat,lon", "deviceTime,lat_std,lat,lon",
    ])
    func `columns are known by whole words, exact names first`(_ header: String) throws {
        let (fixes, _) = try csv(header, "2026-05-01T08:00:00Z,12,46,7").decode()
        #expect(fixes.map(\.latitude) == [46])
        #expect(fixes.map(\.longitude) == [7])
        #expect(fixes.map(\.altitude) == [nil])
        let (pair, _) = try csv(
            header,
            "2026-05-01T08:00:00Z,12,46,7",
            "2026-05-01T08:00:10Z,12,46,7"
        ).decode()
        #expect(pair.last?.recordedAt?.description == "2026-05-01T08:00:10.000Z")
    }

    @Test func `the time of the fix goes before other times`() throws {
        let (fixes, _) = try csv(
            "deviceTime,fixTime,lat,lon",
            "2026-05-01T09:00:00Z," + row(0),
            "2026-05-01T09:00:00Z," + row(1)
        ).decode()
        #expect(fixes.first?.recordedAt?.description == "2026-05-01T08:00:00.000Z")
    }

    @Test func `parentheses that hold no unit are passed over`() throws {
        let (fixes, _) = try csv(
            "time,Latitude (N),Longitude (E),altitude (GPS)",
            row(0, ",500")
        ).decode()
        #expect(fixes.map(\.altitude) == [500])
    }

    @Test func `a spreadsheet's line that names the separator is followed`() throws {
        let (fixes, _) = try csv(
            "sep=;",
            "lat;lon;time",
            "46,5;7,1;2026-05-01T08:00:10Z"
        ).decode()
        #expect(fixes.map(\.latitude) == [46.5])
    }

    @Test(arguments: [
        (["46082", "46082.000116", "46082.000231"], ["00:00:00.000", "00:00:10.022"]),
        (["46082", "", "46082", "46083.5"], ["00:00:00.000", "12:00:00.000"]),
    ])
    func `a whole day is one where a later time is a day with a fraction`(
        _ times: [String],
        _ wanted: [String]
    ) throws {
        for header in ["lat,lon,time", "lat,lon,date", "id,lat,lon,time"] {
            let start = header.hasPrefix("id") ? "1," : ""
            let rows = times.enumerated().map { "\(start)46.\($0.offset),7,\($0.element)" }
            let (fixes, report) = try TracksFile(([header] + rows).joined(separator: "\n")).decode()
            let clocks = fixes.compactMap { $0.recordedAt?.description.dropFirst(11).dropLast() }
            #expect(clocks.first.map(String.init) == wanted[0])
            #expect(clocks.contains { $0 == wanted[1] })
            #expect(report.first?.description.hasPrefix("2026-03-01") == true)
            #expect(
                report.diagnostics.contains { $0.message.contains("a spreadsheet's days since") }
            )
        }
    }

    @Test func `whole times that may be days are taken for seconds and named`() throws {
        let (fixes, report) = try csv("lat,lon,time", "46,7,46082", "46.1,7,46083").decode()
        #expect(fixes.first?.recordedAt?.description == "1970-01-01T12:48:02.000Z")
        #expect(report.diagnostics.map(\.severity) == [.warning])
        #expect(report.diagnostics.map(\.line) == [2])
        let seconds = try csv("lat,lon,time (s)", "46,7,46082", "46.1,7,46083.5").decode()
        #expect(seconds.fixes.last?.recordedAt?.description == "1970-01-01T12:48:03.500Z")
        #expect(seconds.report.diagnostics.isEmpty)
    }
}
