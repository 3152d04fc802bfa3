import Foundation

@testable import Location

/// A file of a test that is gone with it.
final class TracksFile {
    let path: String

    init(_ bytes: [UInt8], name: String = "track") throws {
        let folder = FileManager.default.temporaryDirectory
        path = folder.appending(path: "\(name)-\(UUID().uuidString)").path
        try Data(bytes).write(to: URL(filePath: path))
    }

    convenience init(_ text: String) throws {
        try self.init(Array(text.utf8))
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// All fixes of the file and its report.
    func decode(
        _ options: TrackOptions = TrackOptions(),
        chunkLength: Int = TrackPipeline.chunkLength
    ) throws -> (fixes: [TrackFix], report: TrackReport) {
        let reader = try TrackReader(.file(path), options: options, chunkLength: chunkLength)
        var fixes: [TrackFix] = []
        while let fix = try reader.next() { fixes.append(fix) }
        return (fixes, reader.report)
    }

    /// The error with which the file is refused, as a sentence.
    func refusal(_ options: TrackOptions = TrackOptions()) -> String? {
        do {
            _ = try decode(options)
            return nil
        } catch {
            return "\(error)".replacing(path, with: "FILE")
        }
    }
}

/// GPX around some points.
func gpx(_ points: String, before: String = "") -> String {
    "<?xml version=\"1.0\"?>\(before)<gpx version=\"1.1\"><trk><trkseg>\(points)"
        + "</trkseg></trk></gpx>"
}

/// A point of GPX `index` times eleven metres north, so many seconds after 2026-05-01T08:00:00Z.
func point(_ index: Int, at second: Int? = nil) -> String {
    let time = second.map {
        "<time>\(Timestamp(milliseconds: 1_777_622_400_000 + Int64($0) * 1000))</time>"
    }
    let latitude = 40 + Double(index) / 10_000
    return "<trkpt lat=\"\(latitude)\" lon=\"7\">\(time ?? "")</trkpt>\n"
}
