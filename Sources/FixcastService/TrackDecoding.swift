public import Location

/// Writes a track's fixes as the service would send them, one JSON object a line, as fast as they
/// can be read.
///
/// `timestamp` is the file's own time, counted from 1970-01-01T00:00:00Z where it has none,
/// `recordedAt` the file's time or null, and the ids are `0-1`, `0-2` and so on. But `timestamp`
/// does not go back: a time that lies before what was counted for the positions before it, which
/// have none, is shown as the last of those. With `order=file` it is the file's whatever it is.
public struct TrackDecoding {
    private var reader: NamedTrackReader
    private let track: NamedTrack
    private var sequence: UInt64 = 0
    /// The device of the fix before, which is mostly that of the next.
    private var device: Device
    private var others: [String?: Device] = [:]

    private struct Device {
        let id: String?
        let name: String
        var newest: Timestamp?
    }

    private static let blockSize = 1 << 16

    /// Opens the track.
    public init(_ track: NamedTrack) throws(TrackError) {
        self.track = track
        self.reader = try NamedTrackReader(track)
        self.device = Device(id: nil, name: track.deviceName(for: nil))
    }

    /// What was found; complete once `nextBlock()` has returned nil.
    public var report: TrackReport {
        reader.report
    }

    /// The next lines, about 64 KiB of them; nil after the last.
    public mutating func nextBlock() throws(TrackError) -> [UInt8]? {
        var writer = JSONWriter(capacity: Self.blockSize + 1024)
        while writer.count < Self.blockSize, let fix = try reader.next() {
            sequence += 1
            let id = EventID(epoch: "0", sequence: sequence)
            FixEncoding.json(self.fix(fix), id: id, into: &writer)
            writer.raw(UInt8(ascii: "\n"))
        }
        return writer.count == 0 ? nil : writer.take()
    }

    private mutating func fix(_ trackFix: TrackFix) -> Fix {
        if trackFix.device != device.id {
            others[device.id] = device
            device =
                others[trackFix.device]
                ?? Device(id: trackFix.device, name: track.deviceName(for: trackFix.device))
        }
        var timestamp = trackFix.trackTime
        if track.options.order != .file {
            timestamp = max(timestamp, device.newest ?? timestamp)
            device.newest = timestamp
        }
        var fix = Fix(
            trackFix,
            device: device.name,
            timestamp: timestamp,
            origin: .replayed
        )
        fix.recordedAt = trackFix.recordedAt
        return fix
    }
}
