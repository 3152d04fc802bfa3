import Testing

@testable import Location

@Suite struct TracksValuesTests {
    /// Files with a value of each kind in two positions, in each format that has all of them.
    private func files(speed: String, course: String, accuracy: String) -> [String] {
        let time = "2026-05-01T08:00:0"
        let members =
            "\"speed\":\(speed),\"course\":\(course),\"horizontalAccuracy\":\(accuracy),"
            + "\"verticalAccuracy\":\(accuracy)"
        let elements =
            "<speed>\(speed)</speed><course>\(course)</course><hAcc>\(accuracy)</hAcc>"
            + "<vAcc>\(accuracy)</vAcc>"
        let rows = (0...1).map {
            "46.\($0),7,\(time)\($0)Z,\(speed),\(course),\(accuracy),\(accuracy)"
        }
        let objects = (0...1).map {
            "{\"latitude\":46.\($0),\"longitude\":7,\"timestamp\":\"\(time)\($0)Z\",\(members)}"
        }
        let features = (0...1).map {
            "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[7,46.\($0)]},"
                + "\"properties\":{\"time\":\"\(time)\($0)Z\",\(members)}}"
        }
        let points = (0...1).map {
            "<trkpt lat=\"46.\($0)\" lon=\"7\"><time>\(time)\($0)Z</time>\(elements)</trkpt>"
        }
        return [
            "lat,lon,time,speed (km/h),course,hacc,vacc\n" + rows.joined(separator: "\n"),
            objects.joined(separator: "\n"), features.joined(separator: "\n"),
            gpx(points.joined(separator: "\n")),
        ]
    }

    @Test(arguments: [("-5", "400", "-3"), ("-0.5", "-90", "-0.1")])
    func `a speed, a course or an accuracy that is none is unknown and named`(
        _ speed: String,
        _ course: String,
        _ accuracy: String
    ) throws {
        for text in files(speed: speed, course: course, accuracy: accuracy) {
            let (fixes, report) = try TracksFile(text).decode()
            #expect(fixes.map(\.horizontalAccuracy) == [nil, nil])
            #expect(fixes.map(\.verticalAccuracy) == [nil, nil])
            #expect(fixes.last.flatMap(\.speed).map { $0 > 10_000 } == true)
            #expect(fixes.last?.course == 0)
            #expect(report.diagnostics.map(\.severity) == Array(repeating: .warning, count: 8))
            #expect(Set(report.diagnostics.compactMap(\.line)).count == 2)
            let course = "course \(Double(course) ?? 0) is none and not used, 0 to 360 was expected"
            #expect(report.diagnostics.contains { $0.message == course })
        }
    }

    @Test func `the number -1 stands for what is unknown and is not named`() throws {
        let coordinates = (0...1).map {
            "{\"coords\":{\"latitude\":46.\($0),\"longitude\":7,\"accuracy\":-1,"
                + "\"altitudeAccuracy\":-1,\"heading\":-1,\"speed\":-1},"
                + "\"timestamp\":177762240\($0)}"
        }
        let phones = (0...1).map {
            "{\"_type\":\"location\",\"lat\":46.\($0),\"lon\":7,\"tst\":177762240\($0),"
                + "\"vel\":-1,\"cog\":-1,\"acc\":-1,\"vac\":-1}"
        }
        let all =
            files(speed: "-1", course: "-1", accuracy: "-1")
            + [coordinates, phones].map { $0.joined(separator: "\n") }
        for text in all {
            let (fixes, report) = try TracksFile(text).decode()
            #expect(fixes.map(\.horizontalAccuracy) == [nil, nil])
            #expect(fixes.last?.course == 0)
            #expect(report.diagnostics.isEmpty)
        }
    }
}
