import Testing

@testable import Location

@Suite struct TracksHeadersTests {
    private func decode(
        _ header: String,
        _ cells: String
    ) throws -> (fix: TrackFix?, report: TrackReport) {
        let (fixes, report) = try TracksFile("\(header)\n\(cells)\n\(cells)\n").decode()
        return (fixes.first, report)
    }

    private let start = "2026-03-01T12:00:0"

    @Test(arguments: [
        "#time,lat,lon", "# time,lat,lon", "# a log\n#time,lat,lon",
        "# lat, lon follow\n#time,lat,lon",
        "# with lat,lon\ntime,lat,lon", "\n# a\n\n## time,lat,lon",
    ])
    func `a header may be a comment`(_ header: String) throws {
        let (fixes, report) = try TracksFile("\(header)\n\(start)0Z,46,7\n\(start)1Z,46.1,7\n")
            .decode()
        #expect(fixes.map(\.latitude) == [46, 46.1])
        #expect(
            fixes.map(\.trackTime.description) == [start + "0.000Z", start + "1.000Z"]
        )
        #expect(report.format == "csv" && report.diagnostics.isEmpty)
    }

    @Test func `a comment that names coordinates makes no CSV of sentences`() throws {
        let text = "# lat,lon of a boat\n$GPRMC,120000,A,4606.0,N,00706.0,E,5.0,90.0,010326,,,A\n"
        #expect(try TracksFile(text).decode().report.format == "nmea")
    }

    @Test(arguments: [
        "BaseDateTime", "datetime", "iso datetime", "Created At", "date_time", "utc", "GPS Time",
        "created_at", "dateTime", "Timestamp UTC", "time(utc)", "UTCTime", "Local Time",
        "gps_timestamp",
        "updatedAt", "Date Time", "positionTime", "fix time", "Time (UTC)", "event_time",
    ])
    func `a column of times is known by its words`(_ name: String) throws {
        let (fixes, _) = try TracksFile("\(name),lat,lon\n\(start)0Z,46,7\n\(start)1Z,46.1,7\n")
            .decode()
        #expect(fixes.last?.recordedAt?.description == start + "1.000Z")
    }

    @Test(arguments: [
        "UTC Date,UTC Time", "Lcl Date,Lcl Time", "date,time", "utc_d,utc_t", "GPS Date,GPS Time",
        "date_utc,time_utc", "DATE,TIME",
    ])
    func `a column of dates and one of clocks are known by their words`(_ names: String) throws {
        let (fixes, _) = try TracksFile(
            "\(names),lat,lon\n2026-03-01,12:00:00,46,7\n2026-03-01,12:00:01,46.1,7\n"
        ).decode()
        #expect(fixes.last?.recordedAt?.description == start + "1.000Z")
    }

    @Test func `without a column of times a note at the header names the unused columns`() throws {
        let (_, report) = try TracksFile("lat,lon,altitude,Zeit,note\n46,7,1,x,y\n").decode()
        #expect(report.diagnostics.map(\.severity) == [.note])
        #expect(report.diagnostics.map(\.line) == [1])
        #expect(
            report.diagnostics.first?.message
                == "no column of times was found; not used: \"Zeit\", \"note\""
        )
    }

    @Test func `a full time goes before one that counts from the start`() throws {
        let (fix, _) =
            try TracksFile(
                "time(millisecond),datetime(utc),lat,lon\n0,\(start)0,46,7\n100,\(start)1,46.1,7\n"
            ).decode().fixes.last.map { ($0, 0) } ?? (nil, 0)
        #expect(fix?.recordedAt?.description == start + "1.000Z")
    }

    @Test(arguments: [
        "height_above_takeoff(m),altitude,altitude_above_seaLevel(m)",
        "height_above_ground(m),altitude_home,AltMSL", "Altitude (m),x1,altitude (m amsl)",
        "relative_altitude,alt_rel,Altitude",
    ])
    func `of several altitudes that above the sea is taken`(_ names: String) throws {
        let (fix, _) = try decode("time,lat,lon,\(names)", "\(start)0Z,46,7,1,2,3")
        #expect(fix?.altitude == 3)
    }

    @Test(arguments: [
        ("acc_x,acc_y", "1,2"), ("lateral_accel,y_accel", "1,2"),
        ("linear_acceleration,account", "1,2"),
        ("LatAc,NormAc", "1,2"), ("accel_x,access", "1,2"),
    ])
    func `an acceleration is no accuracy`(_ names: String, _ cells: String) throws {
        let (fix, _) = try decode("time,lat,lon,\(names)", "\(start)0Z,46,7,\(cells)")
        #expect(fix?.latitude == 46)
        #expect(fix?.horizontalAccuracy == nil && fix?.verticalAccuracy == nil)
    }

    @Test(arguments: [
        "accuracy,vertical_accuracy", "hAcc,vAcc", "horizontalAccuracy,verticalAccuracy", "eph,epv",
        "Horizontal Accuracy (m),Vertical Accuracy (m)", "acc,altitude_accuracy", "h_acc_m,v_acc_m",
        "accuracy_horizontal,accuracy_vertical", "gps_accuracy,altitudeAccuracy",
    ])
    func `accuracies are known by their words`(_ names: String) throws {
        let (fix, _) = try decode("time,lat,lon,\(names)", "\(start)0Z,46,7,3,4")
        #expect(fix?.horizontalAccuracy == 3 && fix?.verticalAccuracy == 4)
    }

    @Test(arguments: [
        ("speedKmh", "36"), ("speedKMH", "36"), ("speedMph", "22.369363"),
        ("speedKnots", "19.438445"),
        ("speed_km_h", "36"), ("speedMps", "10"), ("GndSpd (kt)", "19.438445"), ("gpsSpeed", "10"),
        ("GPS Speed (Meters/second)", "10"), ("ground_speed", "10"), ("SOG (kn)", "19.438445"),
        ("speed_over_ground", "10"), ("Speed km/h", "36"),
    ])
    func `a unit in the name of a speed is honoured`(_ name: String, _ cell: String) throws {
        let (fix, report) = try decode("time,lat,lon,\(name)", "\(start)0Z,46,7,\(cell)")
        #expect(abs((fix?.speed ?? 0) - 10) < 1e-4)
        #expect(report.diagnostics.filter { $0.message.contains("unit") }.isEmpty)
    }

    @Test(arguments: ["altitudeFt", "alt_feet", "Altitude (ft msl)", "elevation [feet]"])
    func `a unit in the name of an altitude is honoured`(_ name: String) throws {
        let (fix, _) = try decode("time,lat,lon,\(name)", "\(start)0Z,46,7,1000")
        #expect(abs((fix?.altitude ?? 0) - 304.8) < 1e-9)
    }

    @Test(arguments: [
        "COG", "TRK", "Direction (°)", "Heading (degrees true)", "course", "bearing", "heading_deg",
        "Track (deg)",
    ])
    func `courses are known by their words`(_ name: String) throws {
        let (fix, report) = try decode("time,lat,lon,speed,\(name)", "\(start)0Z,46,7,5,90")
        #expect(fix?.course == 90)
        #expect(report.diagnostics.allSatisfy { !$0.message.contains("unit") })
    }

    @Test func `the course over ground goes before where the bow points`() throws {
        let (fix, _) = try decode("time,lat,lon,speed,heading,cog", "\(start)0Z,46,7,5,80,90")
        #expect(fix?.course == 90)
    }

    @Test func `the speed of ships is in knots, and elsewhere not known without a unit`() throws {
        let (ship, _) = try decode("mmsi,time,lat,lon,SOG", "219000001,\(start)0Z,46,7,10")
        #expect(abs((ship?.speed ?? 0) - 5.14444) < 1e-4)
        let (other, _) = try decode("time,lat,lon,SOG,GndSpd", "\(start)0Z,46,7,10,10")
        #expect(other?.speed == nil)
    }

    @Test func `an unknown unit beside the position costs only its column`() throws {
        let (fix, report) = try decode(
            "time,lat,lon,speed (warp),Vertical Accuracy (°),ele (m asl)",
            "\(start)0Z,46,7,9,3,500"
        )
        #expect(fix?.speed == nil && fix?.verticalAccuracy == nil && fix?.altitude == 500)
        let warnings = report.diagnostics.filter { $0.message.contains("unit") }
        #expect(warnings.map(\.severity) == [.warning, .warning])
        #expect(warnings.map(\.line) == [1, 1] && warnings.map(\.column) == [14, 27])
    }
}
