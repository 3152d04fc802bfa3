/// Makes fixes of what a live feed says: names, times, and news when positions stay away.
struct LiveFixes {
    /// How far a receiver's clock may be off this machine's for its times to be taken as they are.
    private static let tolerance: Int64 = 60_000
    /// After this long with data but without a position, that is said; so long without data is a
    /// silence, which is no lack of positions.
    private static let patience = Duration.seconds(10)

    private let names: [String?: String]
    private let clock: any WallClock
    private let progress: [String: DeviceProgress]
    private var interrupted: Set<String>
    /// The id last seen of each device: two receivers under one name do not continue each other.
    private var ids: [String: String?] = [:]
    /// When data last came.
    private var newestData: Duration?
    /// Since when data has come without a position.
    private var lackBegin: Duration?
    private var hasSaidLack = false

    /// `names` gives the device for each id in the feed; with one device, every id is that one.
    init(
        names: [(id: String?, device: String)],
        clock: any WallClock,
        progress: [String: DeviceProgress],
        isContinued: Bool
    ) {
        self.names = Dictionary(names.map { ($0.id, $0.device) }) { first, _ in first }
        self.clock = clock
        self.progress = progress
        interrupted = isContinued ? Set(names.map(\.device)) : []
    }

    /// A fix as it has just come in.
    ///
    /// The receiver's own time stands when it is about now. Otherwise the fix is presented now, and
    /// its own time kept as the time recorded.
    mutating func fix(_ track: TrackFix) -> Fix? {
        let now = clock.now
        guard let recorded = track.recordedAt,
            abs(now.milliseconds - recorded.milliseconds) <= Self.tolerance
        else { return fix(track, at: now, recordedAt: track.recordedAt) }
        return fix(track, at: recorded, recordedAt: nil)
    }

    /// Fixes that were there already when the run began, in a file last written at `written`.
    ///
    /// The newest came in when the file was written. Where its own time says about the same, all
    /// are presented at their own times, however long ago that was. Otherwise the file's clock is
    /// another than this machine's, and its times are kept as the times recorded. One that was the
    /// newest of an earlier run is that fix, as it was made then.
    mutating func oldFixes(_ tracks: [TrackFix], written: Timestamp) -> [Fix] {
        let now = clock.now
        let arrival = min(written, now)
        let newest = tracks.compactMap(\.recordedAt).max() ?? arrival
        let shift = arrival.milliseconds - newest.milliseconds
        let isOwnClock = abs(shift) <= Self.tolerance
        return tracks.compactMap { track in
            if let known = knownFix(track, written: written) { return known }
            guard var time = track.recordedAt else {
                return fix(track, at: arrival, recordedAt: nil)
            }
            if !isOwnClock { time.milliseconds += shift }
            return fix(
                track,
                at: min(time, now),
                recordedAt: isOwnClock ? nil : track.recordedAt
            )
        }
    }

    /// Takes note that a position has come.
    mutating func didReceivePosition(now: Duration) {
        newestData = now
        lackBegin = nil
        hasSaidLack = false
    }

    /// Takes note that data has come without a position; news when that has been so for long.
    mutating func didReceiveNoPosition(now: Duration) -> SourceEvent? {
        let wasSilent = newestData.map { now - $0 > Self.patience } ?? true
        newestData = now
        guard !wasSilent, let begin = lackBegin else {
            lackBegin = now
            return nil
        }
        guard !hasSaidLack, now - begin >= Self.patience else { return nil }
        hasSaidLack = true
        return .status(
            device: nil,
            state: "nofix",
            message: "data but no position for \(Int(Self.patience.seconds)) s"
        )
    }

    private mutating func fix(
        _ track: TrackFix,
        at time: Timestamp,
        recordedAt: Timestamp?
    ) -> Fix? {
        guard let device = device(of: track) else { return nil }
        var fix = Fix(
            track,
            device: device,
            timestamp: progress[device]?.presented.advance(to: time) ?? time,
            origin: .live
        )
        fix.recordedAt = recordedAt
        let isOther = ids.updateValue(track.device, forKey: device).map { $0 != track.device }
        fix.discontinuity =
            interrupted.remove(device) != nil || track.discontinuity || isOther == true
        progress[device]?.made(fix, of: track)
        return fix
    }

    /// The newest fix of the device's earlier runs, where that is what `track` is.
    ///
    /// Whether it continues what was sent is not known, for it may not have been sent itself; what
    /// comes next continues it.
    private mutating func knownFix(_ track: TrackFix, written: Timestamp) -> Fix? {
        guard let device = device(of: track),
            var fix = progress[device]?.fix(madeOf: track, written: written)
        else { return nil }
        ids[device] = track.device
        interrupted.remove(device)
        fix.discontinuity = true
        return fix
    }

    private func device(of track: TrackFix) -> String? {
        names.count == 1 ? names.values.first : names[track.device]
    }
}
