public import Reactive

/// Opens the SOURCE arguments of the command line.
public enum Sources {
    /// Opens one argument; a folder, or a file whose tracks are devices, gives several sources.
    ///
    /// Files are read once, to find their devices and whether they have a fix at all; what stays is
    /// each file's report. Every source works on a queue of its own when `scheduler` is a
    /// `DispatchScheduler`, so that a slow disk delays nobody else; on any other, virtual time, it
    /// works inside the scheduled actions, and a test decides when. `warn` is told, in one sentence
    /// each, what is left out: the files of a folder that hold no track.
    public static func open(
        _ text: String,
        scheduler: any Scheduler,
        clock: any WallClock,
        warn: @escaping (String) -> Void = { _ in }
    ) throws(SourceError) -> [any FixSource] {
        let specification = try SourceSpecification(parsing: text)
        let opener = SourceOpener(specification, scheduler: scheduler, clock: clock, warn: warn)
        let sources = try opener.open()
        var seen: Set<String> = []
        for device in sources.flatMap(\.devices) where !seen.insert(device).inserted {
            throw .usage(
                "\(text): two devices are called \"\(device)\"; device names must differ"
            )
        }
        return sources
    }
}

/// Opens what one argument names.
struct SourceOpener {
    let specification: SourceSpecification
    let scheduler: any Scheduler
    let clock: any WallClock
    let warn: (String) -> Void

    init(
        _ specification: SourceSpecification,
        scheduler: any Scheduler,
        clock: any WallClock,
        warn: @escaping (String) -> Void = { _ in }
    ) {
        self.specification = specification
        self.scheduler = scheduler
        self.clock = clock
        self.warn = warn
    }

    func open() throws(SourceError) -> [any FixSource] {
        switch specification.locator {
        case .simulator: return [try simulator()]
        case .path(let path): return try TrackOpener(self).open(path)
        case .follow(let path): return [try LiveOpener(self).follow(path)]
        case .standardInput: return [try LiveOpener(self).standardInput()]
        case .gpsd(let host, let port):
            return [try LiveOpener(self).gpsd(host: host, port: port)]
        }
    }

    /// The scheduler a source runs on.
    func runScheduler(_ name: String) -> any Scheduler {
        scheduler is DispatchScheduler
            ? DispatchScheduler(label: "fixcast.source.\(name)") : scheduler
    }

    private func simulator() throws(SourceError) -> SimulatorSource {
        let settings = try SimulatorSettings(specification)
        let device = specification.device ?? "demo"
        return SimulatorSource(
            device: device,
            settings: settings,
            scheduler: runScheduler(device),
            clock: clock
        )
    }
}
