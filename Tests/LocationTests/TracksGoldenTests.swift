import Foundation
import Location
import Testing

/// Each track file in Fixtures gives the fixes of the `.expected.ndjson` beside it.
///
/// Those are what `fixcast decode` prints. A name may hold parameters:
/// `NAME@order=sort&tz=+01:00.EXT`.
@Suite struct TracksGoldenTests {
    @Test(arguments: Fixture.all)
    func `a file gives the fixes that are expected of it`(_ fixture: Fixture) throws {
        let (fixes, report) = try fixture.decode()
        let expected = try fixture.expectedFixes()
        #expect(fixes.count == expected.count)
        for (index, (fix, line)) in zip(fixes, expected).enumerated() {
            #expect(fix.differences(from: line).isEmpty, "line \(index + 1)")
        }
        #expect(report.isBalanced)
        #expect(report.fixes == fixes.count)
    }
}

/// A track file of the tests, with the options that its name holds.
struct Fixture: CustomTestStringConvertible {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Fixtures")
    private static let suffix = ".expected.ndjson"

    let name: String

    static var all: [Fixture] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        return (names ?? []).filter { $0.hasSuffix(suffix) }.sorted()
            .map { Fixture(name: String($0.dropLast(suffix.count))) }
    }

    var testDescription: String { name }

    var path: String { Fixture.folder.appending(path: name).path }

    var options: TrackOptions {
        get throws {
            var options = TrackOptions()
            guard let at = name.firstIndex(of: "@"), let dot = name.firstIndex(of: ".") else {
                return options
            }
            for parameter in name[name.index(after: at)..<dot].split(separator: "&") {
                let parts = parameter.split(separator: "=", maxSplits: 1).map(String.init)
                switch parts[0] {
                case "order": options.order = try #require(.init(rawValue: parts[1]))
                case "split": options.split = try #require(.init(rawValue: parts[1]))
                case "tz":
                    // A slash cannot be in a file name.
                    let zone = parts[1].replacing("_", with: "/")
                    let timeZone: TrackTimeZone = try #require(TrackTimeZone(zone))
                    options.timeZone = timeZone
                case "date": options.date = CivilDate(parts[1])
                case "speed": options.speed = try #require(Double(parts[1]))
                case "maxGap": options.maxGap = .seconds(try #require(Int(parts[1])))
                default: Issue.record("unknown parameter \(parts[0])")
                }
            }
            return options
        }
    }

    func decode() throws -> ([TrackFix], TrackReport) {
        let reader = try TrackReader(path: path, options: try options)
        var fixes: [TrackFix] = []
        while let fix = try reader.next() { fixes.append(fix) }
        return (fixes, reader.report)
    }

    func expectedFixes() throws -> [[String: Any]] {
        try String(contentsOfFile: path + Fixture.suffix, encoding: .utf8)
            .split(separator: "\n")
            .map { line in
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
                return try #require(object as? [String: Any])
            }
    }
}

extension TrackFix {
    /// The keys in which the fix is not what a line of NDJSON says.
    func differences(from line: [String: Any]) -> [String] {
        let numbers: [(String, Double?, Double)] = [
            ("latitude", latitude, 0.6e-7), ("longitude", longitude, 0.6e-7),
            ("altitude", altitude, 0.051), ("ellipsoidalAltitude", ellipsoidalAltitude, 0.051),
            ("horizontalAccuracy", horizontalAccuracy, 0.051),
            ("verticalAccuracy", verticalAccuracy, 0.051), ("speed", speed, 0.0051),
            ("course", course, 0.051),
        ]
        var differences: [String] = []
        for (key, value, tolerance) in numbers {
            let wanted = line[key] as? Double
            guard let value, let wanted else {
                if (value == nil) != (wanted == nil) { differences.append(key) }
                continue
            }
            if abs(value - wanted) > tolerance { differences.append("\(key) \(value)") }
        }
        if trackTime.description != line["timestamp"] as? String { differences.append("timestamp") }
        if recordedAt?.description != line["recordedAt"] as? String {
            differences.append("recordedAt")
        }
        if discontinuity != line["discontinuity"] as? Bool { differences.append("discontinuity") }
        if let device, device != line["device"] as? String { differences.append("device") }
        return differences
    }
}

extension TrackReport {
    /// Whether every position is accounted for.
    var isBalanced: Bool {
        points == fixes + duplicates + outOfOrder + dropped + rejected
    }
}
