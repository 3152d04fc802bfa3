/// Reads a track as its argument asks, from its start to its end: the fixes of all devices in the
/// order of the file, re-sampled for each device where `interval=` says so.
///
/// Not `Sendable`: use it from one thread at a time.
public struct NamedTrackReader {
    private let reader: TrackReader
    private let interval: Duration?
    private var resamplers: [String?: Resampler] = [:]
    private var current: (device: String?, resampler: Resampler)?

    /// Opens the file.
    ///
    /// - Throws: Where it cannot be opened, is empty or in no known format.
    public init(_ track: NamedTrack) throws(TrackError) {
        reader = try TrackReader(path: track.path, options: track.options)
        interval = track.interval
    }

    /// The next fix, nil after the last.
    ///
    /// - Throws: Where the file as a whole is refused, or cannot be read any longer.
    public mutating func next() throws(TrackError) -> TrackFix? {
        guard let interval else { return try reader.next() }
        while true {
            if let fix = current?.resampler.next() { return fix }
            guard let recorded = try reader.next() else { return nil }
            if current == nil || current?.device != recorded.device {
                if let current { resamplers[current.device] = current.resampler }
                let resampler = resamplers[recorded.device] ?? Resampler(interval: interval)
                current = (recorded.device, resampler)
            }
            current?.resampler.add(recorded)
        }
    }

    /// What was found in the file so far; complete after `next` has returned nil.
    public var report: TrackReport { reader.report }
}
