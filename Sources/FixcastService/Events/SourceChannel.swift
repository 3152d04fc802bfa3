internal import Location
internal import Reactive
private import Synchronization

/// What a source's shared signal carries to the streams.
enum ChannelEvent: Sendable {
    case fix(StreamEvent)
    /// Something to know about the source or one of its devices (its index; nil: all of them).
    case status(device: Int?, state: String, message: String?)
}

/// One source on its way to the streams: its fixes get their ids here, and its shared signal starts
/// it with the first subscriber and stops it with the last.
final class SourceChannel: Sendable {
    let source: any FixSource
    /// The indices of its devices among all of the service's.
    let devices: Range<Int>
    let signal: SharedSignal<ChannelEvent, SourceFailure>
    private let progress: Progress

    init(
        source: any FixSource,
        devices: Range<Int>,
        log: EventLog,
        step: OrderedStep,
        configuration: Configuration,
        scheduler: any Scheduler
    ) {
        self.source = source
        self.devices = devices
        let progress = Progress()
        self.progress = progress
        let recorder = FixRecorder(
            source: source,
            devices: devices,
            log: log,
            maximumFixAge: configuration.maximumFixAge,
            scheduler: scheduler,
            progress: progress
        )
        self.signal = SharedSignal(
            recorder.producer(in: step),
            configuration: SharedSignal.Configuration(
                linger: configuration.linger,
                replayCount: 1,
                replayKey: { event in
                    guard case .fix(let event) = event else { return -1 }
                    return event.device
                },
                replayMaximumAge: configuration.maximumFixAge,
                endsFailures: { event in
                    switch event {
                    case .fix: true
                    // Said for a fix that is not sent: it is too old, or the newest already.
                    case .status(_, let state, _): state == "running"
                    }
                }
            ),
            scheduler: scheduler
        )
    }

    /// Whether the source has ended by itself and has not been started since.
    ///
    /// Read inside the ordered step, where runs begin and end.
    var hasEnded: Bool {
        progress.state.withLock { $0.phase == .ended }
    }

    /// What was said of a device since its newest fix: by its newest run, else why that failed.
    ///
    /// Read inside the ordered step, where it is said and fixes come.
    func news(of device: Int) -> SourceNews? {
        progress.state.withLock { state in
            state.news[device]
                ?? state.failure.map { SourceNews(state: "backoff", message: $0) }
        }
    }
}

/// Something to know about a device from which no fix comes.
struct SourceNews: Sendable {
    var state: String
    var message: String?
}

/// How far the newest run of a source has come.
private final class Progress: Sendable {
    enum Phase: Sendable {
        case none
        case underWay
        case ended
    }

    struct State: Sendable {
        var phase = Phase.none
        /// Why the last run failed, until a fix comes.
        var failure: String?
        /// What the run says, by device.
        var news: [Int: SourceNews] = [:]
    }

    let state = Mutex(State())
}

/// Makes a source's events the service's: each in one ordered step, with an id, in the log.
private struct FixRecorder: Sendable {
    let source: any FixSource
    let devices: Range<Int>
    let log: EventLog
    let maximumFixAge: Duration
    let scheduler: any Scheduler
    let progress: Progress

    typealias Output = Observer<ChannelEvent, SourceFailure>

    func producer(in step: OrderedStep) -> SignalProducer<ChannelEvent, SourceFailure> {
        SignalProducer { output, lifetime in
            progress.state.withLock { state in
                state.phase = .underWay
                state.news = [:]
            }
            lifetime += source.fixes.start { event in
                step.perform {
                    // A run that was stopped in the meantime has nothing more to say.
                    guard !lifetime.hasEnded else { return }
                    record(event, to: output)
                }
            }
        }
    }

    private func record(_ event: Event<SourceEvent, SourceFailure>, to output: Output) {
        switch event {
        case .value(.fix(let fix)):
            append(fix, age: .zero, to: output)
        case .value(.lastKnown(let fix, let age)):
            append(fix, age: age, isOld: true, to: output)
        case .value(.status(let device, let state, let message)):
            let index = device.flatMap(index(of:))
            announce(state, message: message, of: index, to: output)
        case .failed(let failure):
            let message = failure.message
            let isNews = progress.state.withLock { state in
                defer { state.failure = message }
                state.news = [:]
                return state.failure != message
            }
            if isNews {
                output.send(value: .status(device: nil, state: "backoff", message: message))
            }
            output.send(error: failure)
        case .completed:
            progress.state.withLock { $0.phase = .ended }
            output.sendCompleted()
        case .interrupted:
            output.sendInterrupted()
        }
    }

    private func append(_ fix: Fix, age: Duration, isOld: Bool = false, to output: Output) {
        guard let index = index(of: fix.device) else { return }
        let isYoung = age <= maximumFixAge
        let hasRecovered = progress.state.withLock { state in
            defer { state.failure = nil }
            if isYoung { state.news[index] = nil }
            return state.failure != nil
        }
        if hasRecovered {
            output.send(value: .status(device: nil, state: "running", message: nil))
        }
        guard isYoung else {
            let message = "no position since \(fix.timestamp)"
            return announce("nofix", message: message, of: index, to: output)
        }
        if isOld, isNewest(fix, of: index) { return }
        let event = log.append(fix, device: index, received: scheduler.now - age)
        output.send(value: .fix(event))
    }

    /// Tells those who are there, and keeps it for those who come.
    private func announce(
        _ state: String,
        message: String?,
        of device: Int?,
        to output: Output
    ) {
        let news = SourceNews(state: state, message: message)
        progress.state.withLock { state in
            for index in device.map({ $0..<$0 + 1 }) ?? devices { state.news[index] = news }
        }
        output.send(value: .status(device: device, state: state, message: message))
    }

    /// Whether the newest event of a device is this very fix, whatever came before it.
    private func isNewest(_ fix: Fix, of device: Int) -> Bool {
        guard var newest = log.latest(of: device)?.fix else { return false }
        newest.discontinuity = fix.discontinuity
        return newest == fix
    }

    private func index(of device: String) -> Int? {
        source.devices.firstIndex(of: device).map { devices.lowerBound + $0 }
    }
}
