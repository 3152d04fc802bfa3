import Reactive

/// Turns the bytes of a live feed into events.
struct LiveDecoder {
    /// A feed that is quiet for so long will not complete what it has begun.
    static let quietTime = Duration.seconds(1)

    private let settings: LiveSettings
    private let progress: LiveProgress
    private var parser: LiveTrackParser
    private var fixes: LiveFixes
    /// Whether bytes have come since the last time the feed was quiet.
    private(set) var isBusy = false

    /// A decoder of a feed that begins now.
    init(_ settings: LiveSettings, progress: LiveProgress) {
        self.settings = settings
        self.progress = progress
        fixes = progress.begin(settings)
        parser = LiveTrackParser(options: settings.options, headerLines: progress.headerLines)
    }

    /// Takes the next bytes.
    mutating func feed(_ bytes: ArraySlice<UInt8>) throws(SourceFailure) -> [SourceEvent] {
        isBusy = true
        let tracks = parse(bytes)
        var events = self.events(tracks)
        if tracks.isEmpty, let news = fixes.didReceiveNoPosition(now: settings.scheduler.now) {
            events.append(news)
        }
        if events.isEmpty, let failure = parser.failure {
            throw SourceFailure(message: failure.message)
        }
        return events
    }

    /// Takes bytes that were there before the run began: they are not news.
    mutating func feedOld(_ bytes: ArraySlice<UInt8>) -> [TrackFix] {
        isBusy = true
        return parse(bytes)
    }

    /// Nothing has come for the quiet time.
    mutating func pause() -> [SourceEvent] {
        isBusy = false
        return events(parser.flush())
    }

    /// Nothing has come for the quiet time after old bytes.
    mutating func pauseOld() -> [TrackFix] {
        isBusy = false
        return parser.flush()
    }

    /// The feed has ended; what comes next is another one of the same devices.
    mutating func finish() -> [SourceEvent] {
        isBusy = false
        let events = self.events(parser.finish())
        parser = LiveTrackParser(options: settings.options, headerLines: progress.headerLines)
        return events
    }

    /// The newest fix of each device from before the run, in a file last written at `written`.
    mutating func events(old tracks: [TrackFix], written: Timestamp) -> [SourceEvent] {
        fixes.oldFixes(tracks, written: written).map(settings.lastKnown)
    }

    private mutating func parse(_ bytes: ArraySlice<UInt8>) -> [TrackFix] {
        let fixes = parser.feed(Array(bytes))
        progress.headerLines = parser.headerLines
        return fixes
    }

    private mutating func events(_ tracks: [TrackFix]) -> [SourceEvent] {
        if !tracks.isEmpty { fixes.didReceivePosition(now: settings.scheduler.now) }
        return tracks.compactMap { fixes.fix($0).map(SourceEvent.fix) }
    }
}

/// The newest fix of each device, in the order in which the devices first came.
struct NewestFixes {
    private var newest: [String?: TrackFix] = [:]
    private var order: [String?] = []

    init() {}

    /// Takes fixes in the order of their coming.
    mutating func take(_ fixes: [TrackFix]) {
        for fix in fixes where newest.updateValue(fix, forKey: fix.device) == nil {
            order.append(fix.device)
        }
    }

    /// What was kept.
    var fixes: [TrackFix] { order.compactMap { newest[$0] } }
}
