import Testing

@testable import Location

@Suite struct TracksLimitsTests {
    private func time(_ second: Int) -> String {
        "\(Timestamp(milliseconds: 1_777_622_400_000 + Int64(second) * 1000))"
    }

    @Test func `positions of one device too many are rejected in every format`() throws {
        let count = TrackSink.mostDevices + 2
        let points = (0..<count).map { index in
            "{\"type\":\"Feature\",\"id\":\"d\(index)\",\"geometry\":{\"type\":\"Point\","
                + "\"coordinates\":[7,46]},\"properties\":{\"time\":\"\(time(index))\"}}"
        }
        let lines = (0..<count).map { index in
            "{\"type\":\"Feature\",\"id\":\"d\(index)\",\"geometry\":{\"type\":\"LineString\","
                + "\"coordinates\":[[7,46]]},\"properties\":{\"times\":[\"\(time(index))\"]}}"
        }
        for features in [points, lines] {
            let text =
                "{\"type\":\"FeatureCollection\",\"features\":[\(features.joined(separator: ","))]}"
            let (fixes, report) = try TracksFile(text).decode()
            #expect(fixes.count == TrackSink.mostDevices)
            #expect(report.rejected == 2)
            #expect(report.isBalanced)
        }
        var options = TrackOptions()
        options.split = .track
        let tracks = (0..<count).map { index in
            "<trk><name>d\(index)</name><trkseg>\(point(0, at: index))</trkseg></trk>"
        }
        let gpx = try TracksFile("<gpx>\(tracks.joined())</gpx>").decode(options)
        #expect(gpx.fixes.count == TrackSink.mostDevices)
        #expect(gpx.report.rejected == 2)
        let placemarks = (0..<count).map { index in
            "<Placemark><name>d\(index)</name><Track><when>\(time(index))</when>"
                + "<coord>7 46 0</coord></Track></Placemark>"
        }
        let kml = try TracksFile("<kml>\(placemarks.joined())</kml>").decode(options)
        #expect(kml.fixes.count == TrackSink.mostDevices)
        #expect(kml.report.rejected == 2)
    }

    @Test(arguments: [1000, 1500, 70_000])
    func `a time that is far off before a long hole is rejected`(_ length: Int) throws {
        var text = point(0, at: 0) + point(1, at: 63_072_000)
        for index in 0..<length { text += point(2 + index % 100) }
        text += point(3, at: 2000) + point(4, at: 2010)
        let (fixes, report) = try TracksFile(gpx(text)).decode()
        #expect(report.rejected == 1)
        #expect(report.outOfOrder == 0)
        #expect(fixes.count == length + 3)
    }

    @Test func `a long hole between two days leaves both times`() throws {
        var text = point(0, at: 0) + point(1, at: 200_000)
        for index in 0..<1500 { text += point(2 + index) }
        text += point(1600, at: 210_000)
        let (_, report) = try TracksFile(gpx(text)).decode()
        #expect(report.rejected == 0)
    }

    @Test(arguments: [false, true])
    func `a hole of more than 65,536 positions is filled only where the file can be read again`(
        _ isRewindable: Bool
    ) throws {
        let length = 65_538
        let sink = TrackSink()
        for index in 0...length + 1 {
            var point = TrackPoint()
            point.latitude = 40 + Double(index) / 100_000
            point.longitude = 7
            // The segment has times by its first two positions.
            if index < 2 { point.time = Int64(index) * 1000 }
            if index == length + 1 { point.time = 100_000_000 }
            sink.append(point)
        }
        var last = TrackPoint()
        last.latitude = 41
        last.longitude = 7
        last.time = 100_001_000
        sink.append(last)
        let points = sink.points
        var scout = Scout(options: TrackOptions())
        for point in points { scout.accept(point) }
        scout.finish()
        let foresight = scout.foresight
        var normaliser = Normaliser(
            options: TrackOptions(),
            foresight: isRewindable ? { foresight } : nil
        )
        var log = DiagnosticLog()
        for point in points { normaliser.accept(point, sink.devices, &log) }
        while !normaliser.finish(&log) {}
        #expect(normaliser.output.interpolated == (isRewindable ? length - 1 : 0))
        #expect(normaliser.output.dropped == (isRewindable ? 0 : length - 1))
        let message =
            "no time, in a hole of more than 65,536 positions, beyond which standard "
            + "input cannot be looked ahead; dropped"
        #expect(log.kept.allSatisfy { $0.message == message })
        #expect(log.kept.isEmpty == isRewindable)
    }
}
