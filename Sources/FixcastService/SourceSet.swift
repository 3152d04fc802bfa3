internal import Location
internal import Reactive

/// Why a service cannot be started, in one sentence.
public struct StartFailure: Error, Equatable, Sendable {
    /// The sentence.
    public let message: String
    /// Whether it was asked for wrongly, rather than impossible.
    public let isUsage: Bool
}

/// The sources of a service, opened from the command line's words, and the time they run on.
public struct SourceSet: Sendable {
    let sources: [any FixSource]
    let scheduler: any Scheduler

    /// Opens every source; files are looked through, which takes its time with large ones.
    ///
    /// - Parameters:
    ///   - texts: The words, a SOURCE each.
    ///   - warn: Told in one sentence each what is left out.
    /// - Throws: When one cannot be opened, or two devices have the same name.
    public init(
        opening texts: [String],
        warn: @escaping (String) -> Void = { _ in }
    ) throws(StartFailure) {
        let scheduler = DispatchScheduler(label: "fixcast.time")
        let clock = SystemWallClock()
        var sources: [any FixSource] = []
        for text in texts {
            do throws(SourceError) {
                sources += try Sources.open(
                    text,
                    scheduler: scheduler,
                    clock: clock,
                    warn: warn
                )
            } catch {
                throw StartFailure(message: error.message, isUsage: error.isUsage)
            }
        }
        var seen: Set<String> = []
        for device in sources.flatMap(\.devices) where !seen.insert(device).inserted {
            throw StartFailure(
                message: "the device name '\(device)' occurs twice; name one of the sources, as in "
                    + "other=FILE",
                isUsage: true
            )
        }
        self.sources = sources
        self.scheduler = scheduler
    }
}
