import Testing

@testable import Location

@Suite struct TracksCellsTests {
    private func decode(_ lines: String...) throws -> (fixes: [TrackFix], report: TrackReport) {
        try TracksFile(lines.joined(separator: "\n") + "\n").decode()
    }

    private let time = "2026-03-01T12:00:0"

    @Test(arguments: [
        "lat,N/S,lon,E/W", "LATITUDE,n/s,LONGITUDE,e/w", "lat,ns,lon,ew", "lat,lat_dir,lon,lon_dir",
        "latitude,latitude hemisphere,longitude,longitude hemisphere", "Lat,N_S,Lon,E_W",
        "latitude,LatitudeRef,longitude,LongitudeRef", "Lat,,Lon,",
    ])
    func `a column with the letter of a hemisphere is honoured`(_ header: String) throws {
        let (fixes, report) = try decode(
            "time,\(header)",
            "\(time)0Z,33.5,S,70.5,W",
            "\(time)1Z,33.5,N,70.5,E",
            "\(time)2Z,-33.5,s,-70.5,w",
            "\(time)3Z,-33.5,,-70.5,",
            "\(time)4Z,33.5,X,70.5,E",
            "\(time)5Z,-33.5,N,70.5,E"
        )
        let isNamed = header != "Lat,,Lon,"
        let expected: [Double] = [-33.5, 33.5, -33.5, -33.5] + (isNamed ? [] : [33.5])
        #expect(fixes.map(\.latitude) == expected)
        #expect(fixes.prefix(3).map(\.longitude) == [-70.5, 70.5, -70.5])
        #expect(report.rejected == (isNamed ? 2 : 1))
    }

    @Test(arguments: [
        ("31.5N", "035.25E", 31.5, 35.25), ("S46.5", "W7.25", -46.5, -7.25),
        ("46.5 s", "7.25 w", -46.5, -7.25),
        ("N 46.5", "E 7.25", 46.5, 7.25), ("46.5°S", "7.25° E", -46.5, 7.25),
        ("46.5°", "-7.25°", 46.5, -7.25),
    ])
    func `a hemisphere's letter before or after a coordinate is honoured`(
        _ latitude: String,
        _ longitude: String,
        _ north: Double,
        _ east: Double
    ) throws {
        let (fixes, report) = try decode(
            "time,LATITUDE N/S,LONGITUDE E/W",
            "\(time)0Z,\(latitude),\(longitude)"
        )
        #expect(fixes.map(\.latitude) == [north] && fixes.map(\.longitude) == [east])
        #expect(report.diagnostics.isEmpty)
    }

    @Test(arguments: ["46.5E", "N46.5N", "-46.5N", "46.5NS", "N", "4630.0N x", "°"])
    func `letters that are no hemisphere of the coordinate reject it`(_ latitude: String) throws {
        let (fixes, report) = try decode("time,lat,lon", "\(time)0Z,\(latitude),7")
        #expect(fixes.isEmpty && report.rejected == 1)
        #expect(report.diagnostics.map(\.column) == [22])
    }

    @Test(arguments: [
        ("98.5 m", "36 km/h", 98.5, 10), ("1000ft", "22.369363 mph", 304.8, 10),
        ("10 m", "19.438445 kn", 10, 10),
        ("10 M", "19.438445knots", 10, 10), ("10 m", "10 m/s", 10, 10),
        ("1,5 m", "36,0 km/h", 1.5, 10),
    ])
    func `a known unit behind a number is honoured`(
        _ altitude: String,
        _ speed: String,
        _ metres: Double,
        _ metresPerSecond: Double
    ) throws {
        let (fixes, report) = try decode(
            "time;lat;lon;HEIGHT;SPEED",
            "\(time)0Z;46;7;\(altitude);\(speed)"
        )
        #expect(abs((fixes.first?.altitude ?? 0) - metres) < 1e-9)
        #expect(abs((fixes.first?.speed ?? 0) - metresPerSecond) < 1e-4)
        #expect(report.diagnostics.isEmpty)
    }

    @Test func `zeros and blanks that fill up a cell are no part of it`() throws {
        let (fixes, report) = try decode("time,lat,lon,ele", "\(time)0Z,46\0\0,7 \0,787 \0 \0\0")
        #expect(fixes.map(\.altitude) == [787])
        #expect(report.diagnostics.isEmpty)
    }

    @Test func `an unknown unit behind a number leaves the value unknown`() throws {
        let (fixes, report) = try decode("time,lat,lon,speed", "\(time)0Z,46,7,9 warp")
        #expect(fixes.map(\.speed) == [nil])
        #expect(report.diagnostics.map(\.column) == [27])
    }

    @Test func `a coordinate out of range is placed at its cell`() throws {
        let (_, report) = try decode("time,lat,lon", "\(time)0Z,91,7", "\(time)1Z,46,200000")
        #expect(report.diagnostics.map(\.line) == [2, 3])
        #expect(report.diagnostics.map(\.column) == [22, 25])
    }

    @Test(arguments: [["300", "299", "298"], ["300", "303", "304"], ["5", "9", "12"]])
    func `numbers of which none comes again are no devices`(_ ids: [String]) throws {
        let rows = ids.enumerated().map { "\($1),\(time)\($0)Z,46.\($0),7" }
        let (fixes, report) = try TracksFile("id,time,lat,lon\n" + rows.joined(separator: "\n"))
            .decode()
        #expect(fixes.map(\.device) == [nil, nil, nil])
        #expect(report.tracks == 1)
    }

    @Test func `many rows that are numbered downwards are one track`() throws {
        let rows = (0..<3000).map { "\(300_000 - $0),\(1_777_622_400 + $0),46,7" }
        let (fixes, report) = try TracksFile("id,time,lat,lon\n" + rows.joined(separator: "\n"))
            .decode()
        #expect(fixes.count == 3000 && report.rejected == 0)
    }

    @Test func `numbers that come again, and names, are devices`() throws {
        for ids in [
            ["7", "9", "8", "7"], ["1", "2", "1", "2"], ["a", "b", "c", "d"], ["7", "x", "8", "9"],
        ] {
            let rows = ids.enumerated().map { "\($1),\(time)\($0)Z,46.\($0),7" }
            let (fixes, _) = try TracksFile("id,time,lat,lon\n" + rows.joined(separator: "\n"))
                .decode()
            #expect(fixes.compactMap(\.device).sorted() == ids.sorted())
        }
    }

    @Test(arguments: [
        "device", "device_id", "deviceid", "mmsi", "MMSI", "imei", "user_id", "vehicle",
        "vehicle_id",
        "tracker_id", "userId",
    ])
    func `columns that name devices hold them whatever their numbers`(_ name: String) throws {
        let (fixes, _) = try decode(
            "id,\(name),time,lat,lon",
            "1,5,\(time)0Z,46,7",
            "2,6,\(time)1Z,46.1,7"
        )
        #expect(fixes.map(\.device) == ["5", "6"])
    }

    @Test func `a live table with numbered rows comes out after a few of them`() {
        let parser = LiveTrackParser()
        var count = parser.feed(Array("id,time,lat,lon\n".utf8)).count
        for second in 0..<9 {
            count += parser.feed(Array("\(second),\(time)\(second)Z,46.\(second),7\n".utf8)).count
        }
        #expect(count == 9)
        let quiet = LiveTrackParser()
        #expect(quiet.feed(Array("id,time,lat,lon\n4,\(time)0Z,46,7\n".utf8)).isEmpty)
        #expect(quiet.flush().map(\.device) == [nil])
    }
}
