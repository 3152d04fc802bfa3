import Dispatch
import Reactive
import Synchronization

/// Standard input, or another pipe: read on while nobody listens, keeping only the newest fix; it
/// ends with the pipe.
final class StandardInputSource: FixSource {
    let kind = SourceKind.live
    let isLooping = false
    var devices: [String] { settings.devices }

    private let settings: LiveSettings
    private let feed: PipeFeed

    /// Begins to read at once, until the source is released.
    init(_ input: consuming Descriptor, settings: LiveSettings) throws(SystemCall.Failure) {
        try input.requireNoFolder()
        self.settings = settings
        feed = PipeFeed(settings: settings, wakeUp: try WakeUp())
        feed.read(input)
    }

    deinit {
        feed.stop()
    }

    var fixes: SignalProducer<SourceEvent, SourceFailure> {
        SignalProducer { [feed] observer, lifetime in
            lifetime += feed.add(observer)
        }
    }

    func report(for device: String) -> TrackReport? { nil }
}

/// Reads a pipe and hands what it says to the runs that are going on.
///
/// ## Thread safety
/// Reading blocks a queue of its own. All sending happens on `delivery`, one event after another;
/// the reader waits for it, so that a pipe is not read faster than its fixes are taken.
private final class PipeFeed: Sendable {
    private struct State {
        var observers: [Int: Observer<SourceEvent, SourceFailure>] = [:]
        /// Runs that have not been admitted yet, and not been disposed.
        var waiting: Set<Int> = []
        var nextKey = 0
        /// The newest fix while it has not been sent to anybody.
        var newest: Fix?
        var hasSent = false
        var end: Event<SourceEvent, SourceFailure>?

        /// Keeps a fix that nobody listens for; the one it replaces is lost, and so what is sent
        /// next does not continue what was sent last.
        mutating func keep(_ fix: Fix) {
            let isGap = newest != nil && hasSent
            let wasGap = newest?.discontinuity ?? false
            newest = fix
            newest?.discontinuity = fix.discontinuity || isGap || wasGap
        }

        /// Lets a run in and gives what it is to be sent first; nil when it is disposed.
        mutating func admit(
            _ observer: Observer<SourceEvent, SourceFailure>,
            _ key: Int
        ) -> (newest: Fix?, end: Event<SourceEvent, SourceFailure>?)? {
            guard waiting.remove(key) != nil else { return nil }
            if end == nil { observers[key] = observer }
            hasSent = hasSent || newest != nil
            return (newest.take(), end)
        }
    }

    private let state = Mutex(State())
    private let settings: LiveSettings
    private let wakeUp: WakeUp
    private let isStopped = Atomic<Bool>(false)
    private let progress: LiveProgress
    private let reading = DispatchQueue(label: "fixcast.input")
    private let delivery = DispatchQueue(label: "fixcast.input.delivery")

    init(settings: LiveSettings, wakeUp: WakeUp) {
        self.settings = settings
        self.wakeUp = wakeUp
        progress = LiveProgress(devices: settings.devices)
    }

    func stop() {
        isStopped.store(true, ordering: .releasing)
        wakeUp.signal()
    }

    /// Adds a run, which gets the newest fix and then each as it comes.
    ///
    /// Disposing the result takes it away.
    func add(_ observer: Observer<SourceEvent, SourceFailure>) -> any Disposable {
        let key = state.withLock { state in
            state.nextKey += 1
            state.waiting.insert(state.nextKey)
            return state.nextKey
        }
        delivery.async { [self] in
            let greeting = state.withLock { $0.admit(observer, key) }
            guard let greeting else { return }
            if let newest = greeting.newest { observer.send(value: settings.lastKnown(newest)) }
            if let end = greeting.end { observer.send(end) }
        }
        return ActionDisposable { [self] in
            let observer = state.withLock { state in
                state.waiting.remove(key)
                return state.observers.removeValue(forKey: key)
            }
            // Released outside the lock.
            _ = observer
        }
    }

    /// Reads until the end of the pipe or until stopped.
    func read(_ input: consuming Descriptor) {
        let box = DescriptorBox(input)
        reading.async { [self] in
            let last: Event<SourceEvent, SourceFailure>
            do {
                try readToEnd(box)
                last = .completed
            } catch let failure as SystemCall.Failure {
                last = .failed(SourceFailure(message: "standard input: \(failure.reason)"))
            } catch {
                last = .failed(SourceFailure(message: "standard input: \(error)"))
            }
            if !isStopped.load(ordering: .acquiring) { end(last) }
        }
    }

    private func readToEnd(_ input: DescriptorBox) throws {
        var decoder = LiveDecoder(settings, progress: progress)
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let patience = decoder.isBusy ? LiveDecoder.quietTime : nil
            let reason = try wakeUp.wait(for: input.descriptor.number, timeout: patience)
            if isStopped.load(ordering: .acquiring) { return }
            if reason == .timeout {
                deliver(decoder.pause())
            } else if let count = try input.descriptor.read(into: &buffer) {
                guard count > 0 else { return deliver(decoder.finish()) }
                deliver(try decoder.feed(buffer[..<count]))
            }
        }
    }

    private func deliver(_ events: [SourceEvent]) {
        for event in events { deliver(event) }
    }

    private func deliver(_ event: SourceEvent) {
        delivery.sync {
            let observers = state.withLock { state in
                if state.observers.isEmpty {
                    if case .fix(let fix) = event { state.keep(fix) }
                } else {
                    state.hasSent = true
                }
                return state.observers.sorted { $0.key < $1.key }.map(\.value)
            }
            for observer in observers { observer.send(value: event) }
        }
    }

    private func end(_ event: Event<SourceEvent, SourceFailure>) {
        delivery.sync {
            let observers = state.withLock { state in
                state.end = event
                defer { state.observers = [:] }
                return state.observers.sorted { $0.key < $1.key }.map(\.value)
            }
            for observer in observers { observer.send(event) }
        }
    }
}

/// Carries a descriptor to the queue that reads it.
private final class DescriptorBox: Sendable {
    let descriptor: Descriptor

    init(_ descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }
}
