import Reactive
import Synchronization

/// A recorded track, played as if it happened now.
final class ReplaySource: FixSource {
    let kind = SourceKind.replay
    let devices: [String]
    var isLooping: Bool { settings.isLooping }

    private let path: String
    private let names: [String?: String]
    private let reports: [String: TrackReport]
    private let notice: String?
    private let settings: ReplaySettings
    private let opening: TrackOpening
    private let scheduler: any Scheduler
    private let clock: any WallClock
    private let progress = ReplayProgress()

    /// A source over a track that `opening` opens anew for every run and lap; each run begins with
    /// the notice.
    ///
    /// `names` gives the device for each id in the track, nil for fixes without one; fixes of ids
    /// it does not know are left out.
    init(
        path: String,
        names: [(id: String?, device: String)],
        report: TrackReport?,
        notice: String? = nil,
        settings: ReplaySettings,
        scheduler: any Scheduler,
        clock: any WallClock,
        opening: @escaping TrackOpening
    ) {
        self.path = path
        devices = names.map(\.device)
        self.names = Dictionary(names.map { ($0.id, $0.device) }) { first, _ in first }
        reports =
            report.map { report in
                Dictionary(names.map { ($0.device, report) }) { first, _ in first }
            } ?? [:]
        self.notice = notice
        self.settings = settings
        self.opening = opening
        self.scheduler = scheduler
        self.clock = clock
    }

    var fixes: SignalProducer<SourceEvent, SourceFailure> {
        .timed(on: scheduler) { [self] in
            ReplayEngine(
                path: path,
                names: names,
                notice: notice,
                settings: settings,
                clock: clock,
                progress: progress,
                opening: opening
            )
        }
    }

    func report(for device: String) -> TrackReport? { reports[device] }
}

/// What a replay remembers from run to run.
final class ReplayProgress: Sendable {
    /// A place in a track that is played over and over.
    struct Place: Equatable {
        var lap = 0
        /// How many fixes of the lap have been sent.
        var sent = 0
    }

    struct State {
        var hasRun = false
        /// Where the last run stopped.
        var place = Place()
        /// When the first lap of the first run began.
        var origin: Duration?
        /// The length of a lap, once one has been played or searched to its end.
        var lapLength: Duration?
    }

    private let state = Mutex(State())
    let presented = PresentedTime()

    init() {}

    /// Reads and changes what is remembered.
    func update<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
        state.withLock { state in change(&state) }
    }
}
