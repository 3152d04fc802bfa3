import Reactive
import Synchronization

/// One client's stream: a bounded queue of shared bytes between any number of senders and the
/// connection.
///
/// ## Thread safety
/// Everything may be called from any thread and nothing blocks. One lock guards the queue and the
/// note whether the connection is suspended. Suspending and resuming happen under that lock, since
/// resuming a connection that is not suspended is undefined; nothing else that is not the stream's
/// own runs under it.
public final class EventStream: Sendable {
    private let state: Mutex<StreamState>
    private let body: StreamBody
    private let counters: CounterCells
    private let scheduler: any Scheduler

    init(
        body: StreamBody,
        connection: Connection,
        counters: CounterCells,
        scheduler: any Scheduler,
        heartbeat: Duration,
        expiry: Duration?
    ) {
        self.body = body
        self.counters = counters
        self.scheduler = scheduler
        var skips = false
        if case .skip = body.overflow { skips = true }
        var queue = StreamQueue(capacity: body.capacity, skips: skips)
        queue.appendLast(StreamItem(bytes: body.preamble))
        let hasHeartbeat = heartbeat > .zero && body.heartbeat != nil
        self.state = Mutex(
            StreamState(
                connection: connection,
                queue: queue,
                heartbeat: hasHeartbeat ? heartbeat : nil,
                expiry: expiry,
                lastTraffic: scheduler.now
            )
        )
    }

    /// Queues an item; dropped without a word when the stream has ended.
    public func send(_ item: StreamItem) {
        let outcome = state.withLock { $0.send(item) }
        switch outcome {
        case .queued: break
        case .skipped(let count): counters.skipped.add(count, ordering: .relaxed)
        case .full: end(.slow)
        }
    }

    /// Ends the stream in order, after what is queued.
    public func end() {
        end(.ended)
    }

    /// Why the stream ended, or nil while it goes on.
    public var closeReason: CloseReason? {
        state.withLock { $0.reason }
    }

    /// Ends the stream in order, for a reason of the server's with its farewell.
    func end(_ reason: CloseReason) {
        let (isFirst, disposable) = state.withLock { $0.beginEnding(reason) }
        guard isFirst else { return }
        let farewell = reason == .ended ? nil : body.farewell(reason)
        state.withLock { $0.finishEnding(farewell: farewell) }
        disposable?.dispose()
    }

    /// Breaks the stream off: nothing more is sent.
    func abort(_ reason: CloseReason) {
        state.withLock { $0.abort(reason) }?.dispose()
    }

    /// Takes what `open` returned; disposes it at once if the stream is over already.
    func attach(_ disposable: any Disposable) {
        let isOver = state.withLock { $0.attach(disposable) }
        if isOver { disposable.dispose() }
    }

    /// The connection is no longer there.
    ///
    /// Returns the reason that counts.
    func finish(_ reason: CloseReason) -> CloseReason {
        let (final, disposable) = state.withLock { $0.finish(reason) }
        disposable?.dispose()
        return final
    }

    /// Does what is due at `now`.
    ///
    /// Returns when there will be something to do again.
    func keepHouse(now: Duration) -> Duration? {
        switch state.withLock({ $0.chore(now: now) }) {
        case .none(let next): return next
        case .heartbeat(let next):
            if let heartbeat = body.heartbeat {
                state.withLock { $0.sendControl(heartbeat) }
                counters.heartbeats.add(1, ordering: .relaxed)
            }
            return next
        case .expired:
            end(.maximumAge)
            return nil
        }
    }

    /// The next bytes for the library, which calls this on its own thread, one call at a time.
    func read(maximum: Int) -> StreamRead {
        let now = scheduler.now
        while true {
            let step = state.withLock { $0.read(maximum: maximum, now: now) }
            switch step {
            case .gap(let count):
                var bytes = SharedBytes([])
                if case .skip(let gap) = body.overflow { bytes = gap(count) }
                state.withLock { $0.replaceGap(count, by: bytes) }
            case .done(let read, let events):
                if case .pieces(let pieces) = read {
                    counters.events.add(events, ordering: .relaxed)
                    counters.bytes.add(pieces.reduce(0) { $0 + $1.count }, ordering: .relaxed)
                }
                return read
            }
        }
    }
}
