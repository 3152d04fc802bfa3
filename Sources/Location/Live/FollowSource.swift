import Reactive

/// A file that another program is still writing.
///
/// A run begins with the newest fix of each device that is there already, and goes on with each
/// that is written. A file that was cut short or written over is read from its beginning, and one
/// that was renamed away to its end, before the new one under its name is read from its beginning;
/// what has been read before is not sent again.
final class FollowSource: FixSource {
    let kind = SourceKind.live
    let isLooping = true
    var devices: [String] { settings.devices }

    private let path: String
    private let settings: LiveSettings
    private let progress: LiveProgress

    /// A source over the file at `path`, which is opened by each run.
    init(path: String, settings: LiveSettings) {
        self.path = path
        self.settings = settings
        progress = LiveProgress(devices: settings.devices)
    }

    var fixes: SignalProducer<SourceEvent, SourceFailure> {
        LiveRun.producer(label: "fixcast.follow.\(devices.first ?? "")") {
            [path, settings, progress] (run) throws(SourceFailure) in
            var follower = try Follower.open(
                path: path,
                settings: settings,
                progress: progress
            )
            try follower.follow(run)
        }
    }

    func report(for device: String) -> TrackReport? { nil }
}

/// The work of one run.
private struct Follower: ~Copyable {
    /// How long a file may be missing, between being renamed away and being made anew.
    private static let patience = Duration.seconds(5)
    /// How often the file is looked at where changes are not told.
    private static let interval = Duration.seconds(1)
    /// How many bytes tell whether a file is still what was read of it.
    private static let tailLength = 4_096
    /// How long a file that has begun anew may repeat what was read before without being quiet.
    private static let repeatTime = Duration.seconds(5)

    private let path: String
    private let settings: LiveSettings
    private let watch: ChangeWatch
    private var file: Descriptor
    private var identity: FileStatus.Identity
    private var offset: Int64 = 0
    private var decoder: LiveDecoder
    private var missingSince: Duration?
    /// When the file began anew, as long as it may repeat what was read before.
    private var anewSince: Duration?
    /// The first bytes of the file.
    private var head: [UInt8] = []
    /// The last bytes that were read, which the file holds in front of `offset` unless it was cut
    /// short or written over.
    private var tail: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    init(
        path: String,
        settings: LiveSettings,
        decoder: LiveDecoder,
        watch: consuming ChangeWatch,
        file: consuming Descriptor,
        identity: FileStatus.Identity
    ) {
        self.path = path
        self.settings = settings
        self.decoder = decoder
        self.watch = watch
        self.file = file
        self.identity = identity
    }

    /// Opens the file and begins to watch it.
    static func open(
        path: String,
        settings: LiveSettings,
        progress: LiveProgress
    ) throws(SourceFailure) -> Follower {
        try refuseNonFile(path)
        do throws(SystemCall.Failure) {
            let watch = try ChangeWatch()
            // Watched before it is opened, so that no change goes unseen; its folder, for a file
            // that takes its place.
            watch.add(folder(of: path))
            watch.add(path)
            let file = try Descriptor.reading(path)
            let identity = try file.status().identity
            return Follower(
                path: path,
                settings: settings,
                decoder: LiveDecoder(settings, progress: progress, hasPast: true),
                watch: watch,
                file: file,
                identity: identity
            )
        } catch {
            throw SourceFailure(message: "\(path): \(error.reason)")
        }
    }

    /// Catches up with the file and follows it until the run is disposed.
    mutating func follow(_ run: LiveRun) throws(SourceFailure) {
        _ = try readNews(run)
        let written = try status().modified
        for event in decoder.endPast(written: written) { run.send(event) }
        while true {
            let patience = decoder.isBusy ? LiveDecoder.quietTime : Self.interval
            let waiting = try run.wait(for: watch.number, timeout: patience)
            if waiting == .disposed { return }
            watch.drain()
            let hasGrown = try readNews(run)
            if waiting == .timeout, !hasGrown, decoder.isBusy {
                for event in decoder.pause() { run.send(event) }
                anewSince = nil
            } else if let since = anewSince, settings.scheduler.now - since > Self.repeatTime {
                decoder.endCatchingUp()
                anewSince = nil
            }
            if run.isDisposed { return }
            try checkForRotation(run)
        }
    }

    /// Sends what was written since the last time; whether there was anything.
    private mutating func readNews(_ run: LiveRun) throws(SourceFailure) -> Bool {
        var hasGrown = false
        while !run.isDisposed {
            // Read together with what is new, so that nothing can be written over in between.
            let count = try read(at: offset - Int64(tail.count))
            let bytes = buffer[..<count]
            guard bytes.starts(with: tail) else {
                beginAnew(run)
                continue
            }
            let news = bytes.dropFirst(tail.count)
            if news.isEmpty { break }
            hasGrown = true
            try checkKind(news)
            do throws(SourceFailure) {
                for event in try decoder.feed(news) { run.send(event) }
            } catch {
                throw SourceFailure(message: "\(path): \(error.message)")
            }
            offset += Int64(news.count)
            tail = Array(bytes.suffix(Self.tailLength))
        }
        return hasGrown
    }

    /// Goes to the beginning, of another file or of another content.
    private mutating func beginAnew(_ run: LiveRun) {
        for event in decoder.beginAnew() { run.send(event) }
        anewSince = anewSince ?? settings.scheduler.now
        offset = 0
        head = []
        tail = []
    }

    /// Refuses a file that begins as none that can be read while it is written.
    private mutating func checkKind(_ news: ArraySlice<UInt8>) throws(SourceFailure) {
        guard head.count < ForeignFile.headLength else { return }
        head += news.prefix(ForeignFile.headLength - head.count)
        if let reason = ForeignFile.refusal(of: head) {
            throw SourceFailure(message: "\(path): \(reason)")
        }
    }

    /// Goes over to the file that has taken the place of this one.
    private mutating func checkForRotation(_ run: LiveRun) throws(SourceFailure) {
        guard let status = FileStatus(path: path), status.isRegular else { return try missFile() }
        missingSince = nil
        guard status.identity != identity else { return }
        // What was written before the file was renamed away, but after it was last read.
        _ = try readNews(run)
        beginAnew(run)
        do throws(SystemCall.Failure) {
            file = try Descriptor.reading(path)
            identity = try file.status().identity
        } catch {
            throw SourceFailure(message: "\(path): \(error.reason)")
        }
        watch.add(path)
        _ = try readNews(run)
    }

    /// Fails when there has been no file under the path for long.
    private mutating func missFile() throws(SourceFailure) {
        let now = settings.scheduler.now
        let since = missingSince ?? now
        missingSince = since
        guard now - since > Self.patience else { return }
        try Self.refuseNonFile(path)
        throw SourceFailure(message: "\(path): the file has gone")
    }

    /// Fails with what the path names where that is something, but no file.
    private static func refuseNonFile(_ path: String) throws(SourceFailure) {
        guard FileStatus(path: path)?.isRegular == false else { return }
        do {
            try PathCheck.requireFile(path)
        } catch {
            throw SourceFailure(message: error.message)
        }
    }

    private func status() throws(SourceFailure) -> FileStatus {
        do throws(SystemCall.Failure) {
            return try file.status()
        } catch {
            throw SourceFailure(message: "\(path): \(error.reason)")
        }
    }

    private mutating func read(at offset: Int64) throws(SourceFailure) -> Int {
        do throws(SystemCall.Failure) {
            return try file.read(into: &buffer, at: offset)
        } catch {
            throw SourceFailure(message: "\(path): \(error.reason)")
        }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
