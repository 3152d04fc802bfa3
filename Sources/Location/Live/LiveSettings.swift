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
    private let presented: [String: PresentedTime]
    private let header = Mutex<[[UInt8]]>([])

    /// Nothing has run yet.
    init(devices: [String]) {
        presented = Dictionary(devices.map { ($0, PresentedTime()) }) { first, _ in first }
    }

    /// The maker of the fixes of a run that begins now.
    func begin(_ settings: LiveSettings) -> LiveFixes {
        LiveFixes(
            names: settings.names,
            clock: settings.clock,
            presented: presented,
            isContinued: hasRun.exchange(true, ordering: .acquiringAndReleasing)
        )
    }

    /// The header of the newest rows, which the next file may go on without.
    var headerLines: [[UInt8]] {
        get { header.withLock { $0 } }
        set { header.withLock { $0 = newValue } }
    }
}
