import Reactive

/// Turns the bytes of a live feed into events.
struct LiveDecoder {
    /// A feed that is quiet for so long will not complete what it has begun.
    static let quietTime = Duration.seconds(1)

    private let settings: LiveSettings
    private let progress: LiveProgress
    private var parser: LiveTrackParser
    private var fixes: LiveFixes
    /// What was there before the run began, as long as that is read.
    private var past: NewestFixes?
    /// Whether bytes have come since the last time the feed was quiet.
    private(set) var isBusy = false

    /// A decoder of a feed that begins now, or, with a past, of one whose first bytes are no news.
    init(_ settings: LiveSettings, progress: LiveProgress, hasPast: Bool = false) {
        past = hasPast ? NewestFixes() : nil
        self.settings = settings
        self.progress = progress
        fixes = progress.begin(settings)
        parser = LiveTrackParser(options: settings.options, headerLines: progress.headerLines)
    }

    /// Takes the next bytes.
    mutating func feed(_ bytes: ArraySlice<UInt8>) throws(SourceFailure) -> [SourceEvent] {
        isBusy = true
        let tracks = parser.feed(Array(bytes))
        progress.headerLines = parser.headerLines
        var events = self.events(tracks)
        guard past == nil else { return [] }
        if tracks.isEmpty, let news = fixes.didReceiveNoPosition(now: settings.scheduler.now) {
            events.append(news)
        }
        if events.isEmpty, let failure = parser.failure {
            throw SourceFailure(message: failure.message)
        }
        return events
    }

    /// Nothing has come for the quiet time.
    mutating func pause() -> [SourceEvent] {
        isBusy = false
        return events(parser.flush())
    }

    /// All that was there before the run has been read, from a file last written at `written`: the
    /// newest fix of each device.
    mutating func endPast(written: Timestamp) -> [SourceEvent] {
        _ = pause()
        return fixes.oldFixes(past.take()?.fixes ?? [], written: written).map(settings.lastKnown)
    }

    /// The feed begins anew, perhaps with what it has given before.
    mutating func beginAnew() -> [SourceEvent] {
        isBusy = false
        return events(parser.beginAnew())
    }

    /// What the feed held when it began anew has had its time.
    func endCatchingUp() {
        parser.endCatchingUp()
    }

    /// The feed has ended.
    mutating func finish() -> [SourceEvent] {
        isBusy = false
        return events(parser.finish())
    }

    private mutating func events(_ tracks: [TrackFix]) -> [SourceEvent] {
        guard past == nil else {
            past?.take(tracks)
            return []
        }
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
