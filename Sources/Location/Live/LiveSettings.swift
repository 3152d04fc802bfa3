import Reactive
import Synchronization

/// What all live sources are made of.
struct LiveSettings: Sendable {
    /// The device for each id in the feed; one entry: every id is that device.
    var names: [(id: String?, device: String)]
    /// How the feed is read.
    var options: TrackOptions
    let scheduler: any Scheduler
    let clock: any WallClock

    var devices: [String] { names.map(\.device) }

    /// What a run begins with: a fix from before it, with its age by the machine's clock.
    func lastKnown(_ fix: Fix) -> SourceEvent {
        let age = clock.now.milliseconds - fix.timestamp.milliseconds
        return .lastKnown(fix, age: .milliseconds(max(0, age)))
    }
}

/// What a live source remembers from run to run.
final class LiveProgress: Sendable {
    private let hasRun = Atomic<Bool>(false)
    private let devices: [String: DeviceProgress]
    private let header = Mutex<[[UInt8]]>([])

    /// Nothing has run yet.
    init(devices: [String]) {
        self.devices = Dictionary(devices.map { ($0, DeviceProgress()) }) { first, _ in first }
    }

    /// The maker of the fixes of a run that begins now.
    func begin(_ settings: LiveSettings) -> LiveFixes {
        LiveFixes(
            names: settings.names,
            clock: settings.clock,
            progress: devices,
            isContinued: hasRun.exchange(true, ordering: .acquiringAndReleasing)
        )
    }

    /// The header of the newest rows, which the next file may go on without.
    var headerLines: [[UInt8]] {
        get { header.withLock { $0 } }
        set { header.withLock { $0 = newValue } }
    }
}

/// What a live source remembers of one device.
final class DeviceProgress: Sendable {
    /// The times at which its fixes were presented.
    let presented = PresentedTime()
    private let newest = Mutex<(track: TrackFix, fix: Fix)?>(nil)

    /// There was no fix yet.
    init() {}

    /// Keeps the fix that was made of the feed's newest.
    func made(_ fix: Fix, of track: TrackFix) {
        newest.withLock { $0 = (track, fix) }
    }

    /// The newest fix, where it was made of `track`, which stands in a file last written at
    /// `written`.
    func fix(madeOf track: TrackFix, written: Timestamp) -> Fix? {
        guard let newest = newest.withLock({ $0 }), newest.track.isAtSamePlace(as: track),
            newest.track.recordedAt == track.recordedAt, newest.track.device == track.device
        else { return nil }
        // Without a time it may be another one, if the file was written since.
        return track.recordedAt == nil && written > newest.fix.timestamp ? nil : newest.fix
    }
}

extension TrackFix {
    fileprivate func isAtSamePlace(as other: TrackFix) -> Bool {
        latitude == other.latitude && longitude == other.longitude && altitude == other.altitude
    }
}
