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
    /// - Throws: When one cannot be opened, two are standard input, or two devices have the same
    ///   name.
    public init(
        opening texts: [String],
        warn: @escaping (String) -> Void = { _ in }
    ) throws(StartFailure) {
        try Self.requireOneStandardInput(texts)
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

    /// Standard input is not read twice: each reader would get some of the lines.
    private static func requireOneStandardInput(_ texts: [String]) throws(StartFailure) {
        let readers = texts.filter { text in
            (try? SourceSpecification(parsing: text))?.locator == .standardInput
        }
        guard readers.count > 1 else { return }
        throw StartFailure(
            message: "'\(readers[0])' and '\(readers[1])' are both standard input, which can be "
                + "read only once; name it once",
            isUsage: true
        )
    }
}
