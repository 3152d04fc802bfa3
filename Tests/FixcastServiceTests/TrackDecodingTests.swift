import Foundation
import Location
import Testing

@testable import FixcastService

@Suite struct TrackDecodingTests {
    /// The times that are shown and those of the file, of each line that a track gives.
    private func times(_ text: String, _ parameters: String = "") throws -> [[String?]] {
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).ndjson")
        try Data(text.utf8).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        var decoding = try TrackDecoding(NamedTrack(parsing: url.path() + parameters))
        var lines: [UInt8] = []
        while let block = try decoding.nextBlock() { lines += block }
        return try String(decoding: lines, as: UTF8.self).split(separator: "\n").map { line in
            let fix = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return ["timestamp", "recordedAt"].map { key in
                (fix?[key] as? String).map { String($0.dropFirst(17).prefix(2)) }
            }
        }
    }

    private static let gpx = """
        <gpx><trk><trkseg>
        <trkpt lat="46" lon="7"><time>2026-05-01T00:00:00Z</time></trkpt>
        <trkpt lat="46.0001" lon="7"><time>2026-05-01T00:00:10Z</time></trkpt>
        </trkseg><trkseg>
        <trkpt lat="46.0002" lon="7"/><trkpt lat="46.0003" lon="7"/>
        </trkseg><trkseg>
        <trkpt lat="46.0005" lon="7"><time>2026-05-01T00:00:12Z</time></trkpt>
        <trkpt lat="46.0006" lon="7"><time>2026-05-01T00:00:30Z</time></trkpt>
        </trkseg></trk></gpx>
        """

    @Test func `the times that decode shows do not go back after a stretch without times`() throws {
        #expect(
            try times(Self.gpx) == [
                ["00", "00"], ["10", "10"], ["11", nil], ["18", nil], ["18", "12"], ["30", "30"],
            ]
        )
    }

    @Test func `each device has times of its own and order=file those of the file`() throws {
        let lines = [("a", 20), ("b", 10), ("a", 15), ("b", 11)].map { device, second in
            """
            {"device":"\(device)","timestamp":"2026-05-01T00:00:\(second)Z",\
            "latitude":1,"longitude":2}
            """
        }
        let text = lines.joined(separator: "\n") + "\n"
        #expect(Set(try times(text).map(\.[0])) == ["20", "10", "11"])
        #expect(Set(try times(text, "?order=file").map(\.[0])) == ["20", "10", "15", "11"])
    }
}
