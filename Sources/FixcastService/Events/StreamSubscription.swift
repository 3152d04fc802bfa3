internal import HTTPServer
internal import Location
internal import Reactive
private import Synchronization

/// One client's view of the sources: what it has selected, what it has been sent, and how it ends.
///
/// Everything here happens inside the service's `OrderedStep`, so that joining all sources and
/// sending what was missed is one step, and events keep their order.
///
/// ## Ownership The sources hold this object through their observations until `disposables` is
/// disposed, which the end of the connection always does: that breaks the cycle.
final class StreamSubscription: Sendable {
    private let query: StreamQuery
    private let stream: EventStream
    private let hub: EventHub
    private let disposables = CompositeDisposable()
    /// The timer of the filter's open window.
    private let window: SerialDisposable?
    private let state: Mutex<State>

    private struct State {
        var isJoining = true
        /// What the shared signals replay while the stream joins them.
        var replayed: [StreamEvent] = []
        var filter: StreamFilter
        /// Sources that may still send something.
        var openChannels = 0
        var isOver = false
    }

    /// Makes a subscription and hands its joining to the ordered step.
    init(_ query: StreamQuery, to stream: EventStream, hub: EventHub) {
        self.query = query
        self.stream = stream
        self.hub = hub
        self.state = Mutex(State(filter: StreamFilter(query)))
        self.window = query.minimumInterval == nil ? nil : SerialDisposable()
        if let window { disposables += window }
        hub.step.perform { self.join() }
    }

    /// Ends the subscription: every source it looked at loses one subscriber.
    var disposable: any Disposable {
        disposables
    }

    private func join() {
        guard !disposables.isDisposed else { return }
        let resumption = query.lastEventID.map { hub.log.events(after: $0) }
        let missed: [StreamEvent]? =
            if case .events(let events)? = resumption { events } else { nil }
        // A client that has seen the end of a track is not sent round again; one without a cursor
        // is.
        let channels = hub.channels(of: query.devices)
        let ended = missed == nil ? [] : channels.filter(\.hasEnded)
        let live = channels.filter { channel in !ended.contains { $0 === channel } }
        state.withLock { $0.openChannels = live.count }
        disposables += hub.countSubscriber(of: query.devices)
        for channel in live { observe(channel) }
        let replayed = state.withLock { state in
            state.isJoining = false
            return state.replayed
        }
        if let missed {
            begin(with: missed.filter { query.devices.contains($0.device) }, after: nil)
        } else {
            begin(
                with: replayed.filter(hub.isCurrent).sorted { $0.id.sequence < $1.id.sequence },
                after: resumption.flatMap(reset(because:))
            )
        }
        for channel in live { explainSilence(of: channel) }
        for channel in ended { announceEnd(of: channel) }
        finishIfAllEnded()
    }

    /// Tells what those who were there have been told of a source, and will not be again.
    private func explainSilence(of channel: SourceChannel) {
        guard query.format.isEventStream else { return }
        for device in channel.devices where query.devices.contains(device) {
            guard let news = channel.news(of: device) else { continue }
            announce(news.state, of: device..<device + 1, message: news.message)
        }
    }

    private func observe(_ channel: SourceChannel) {
        disposables += channel.signal.observe { event in
            switch event {
            case .value(.fix(let event)):
                guard self.query.devices.contains(event.device) else { return }
                if !self.keepReplay(event) { self.receive(event) }
            case .value(.status(let device, let status, let message)):
                let devices = device.map { $0..<$0 + 1 } ?? channel.devices
                self.announce(status, of: devices, message: message)
            case .completed:
                // A source that completes while streams still join has completed for them too.
                self.hub.step.perform { self.sourceEnded(channel) }
            case .failed, .interrupted:
                break
            }
        }
    }

    private func keepReplay(_ event: StreamEvent) -> Bool {
        state.withLock { state in
            if state.isJoining { state.replayed.append(event) }
            return state.isJoining
        }
    }

    /// Sends what the client starts with in one piece, which no queue is too short for: what it has
    /// missed is bounded by the history, the newest fixes by the number of devices.
    private func begin(with events: [StreamEvent], after control: SharedBytes?) {
        var items = control.map { [StreamItem(bytes: $0, key: -1)] } ?? []
        var last = StreamFilter.Output()
        for event in events where !last.isLast {
            let output = filter(event)
            items += output.items.map(item)
            last.isLast = output.isLast
            last.window = output.window ?? last.window
        }
        stream.send(burst: items)
        deliver(last)
    }

    private func receive(_ event: StreamEvent) {
        deliver(filter(event))
    }

    private func filter(_ event: StreamEvent) -> StreamFilter.Output {
        let now = hub.scheduler.now
        return state.withLock { state in
            state.isOver ? StreamFilter.Output() : state.filter.receive(event, now: now)
        }
    }

    private func item(_ item: StreamFilter.Item) -> StreamItem {
        StreamItem(
            bytes: item.event.bytes(query.format, isDiscontinuous: item.isDiscontinuous),
            key: item.event.device,
            begins: item.isDiscontinuous
        )
    }

    private func deliver(_ output: StreamFilter.Output) {
        for item in output.items { stream.send(self.item(item)) }
        if output.isLast { return end() }
        if let window = output.window { openWindow(until: window) }
    }

    private func openWindow(until deadline: Duration) {
        window?.inner = hub.scheduler.schedule(at: deadline) {
            self.hub.step.perform {
                let output = self.state.withLock { state in
                    state.isOver ? StreamFilter.Output() : state.filter.closeWindow(at: deadline)
                }
                self.deliver(output)
            }
        }
    }

    private func sourceEnded(_ channel: SourceChannel) {
        let output = state.withLock { state in
            state.openChannels -= 1
            return state.isOver ? StreamFilter.Output() : state.filter.flush()
        }
        deliver(output)
        announceEnd(of: channel)
        finishIfAllEnded()
    }

    private func finishIfAllEnded() {
        if state.withLock({ $0.openChannels == 0 && !$0.isOver }) { end() }
    }

    private func end() {
        state.withLock { $0.isOver = true }
        stream.end()
        disposables.dispose()
    }

    private func reset(because resumption: EventLog.Resumption) -> SharedBytes? {
        guard query.format.isEventStream, let requested = query.lastEventID else { return nil }
        let reason = if case .expired = resumption { "expired" } else { "unknown" }
        return ControlEvent.reset(reason: reason, requested: requested)
    }

    private func announceEnd(of channel: SourceChannel) {
        guard query.format.isEventStream else { return }
        for device in channel.devices where query.devices.contains(device) {
            send(ControlEvent.end(device: hub.catalogue.names[device]))
        }
    }

    private func announce(_ status: String, of devices: Range<Int>, message: String?) {
        guard query.format.isEventStream, !state.withLock({ $0.isJoining }) else {
            return
        }
        for device in devices where query.devices.contains(device) {
            let name = hub.catalogue.names[device]
            send(ControlEvent.status(device: name, state: status, message: message))
        }
    }

    private func send(_ control: SharedBytes) {
        guard !state.withLock({ $0.isOver }) else { return }
        stream.send(StreamItem(bytes: control, key: -1))
    }
}
