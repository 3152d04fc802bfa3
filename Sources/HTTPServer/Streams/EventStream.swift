import Reactive
import Synchronization

/// One client's stream: a bounded queue of shared bytes between any number of senders and the
/// connection.
///
/// ## Thread safety
/// Everything may be called from any thread and nothing blocks. One lock guards the queue and the
/// note whether the connection is suspended. Suspending, resuming and writing to the suspended
/// connection's socket happen under that lock, since a connection that has been resumed may be
/// closed at any moment; nothing else that is not the stream's own runs under it.
public final class EventStream: Sendable {
    private let state: Mutex<StreamState>
    private let body: StreamBody
    private let flusher: StreamFlusher

    init(
        body: StreamBody,
        connection: Connection,
        terms: StreamState.Terms,
        flusher: StreamFlusher
    ) {
        self.body = body
        self.flusher = flusher
        var skips = false
        if case .skip = body.overflow { skips = true }
        var queue = StreamQueue(capacity: body.capacity, skips: skips)
        queue.appendLast(StreamItem(bytes: body.preamble))
        self.state = Mutex(
            StreamState(connection: connection, terms: terms, queue: queue, now: flusher.now)
        )
    }

    /// Queues an item; dropped without a word when the stream has ended.
    public func send(_ item: StreamItem) {
        let (outcome, needsFlush) = state.withLock { $0.send(item) }
        if needsFlush { flusher.add(self) }
        switch outcome {
        case .queued: break
        case .skipped(let count): flusher.counters.skipped.add(count, ordering: .relaxed)
        case .full: end(.slow)
        }
    }

    /// Queues items that belong together, such as what a client has missed: all of them, whatever
    /// the queue's capacity, and nothing supersedes them.
    ///
    /// Their number is for the caller to bound.
    public func send(burst items: [StreamItem]) {
        let needsFlush = state.withLock { $0.send(burst: items) }
        if needsFlush { flusher.add(self) }
    }

    /// Ends the stream in order, after what is queued.
    public func end() {
        end(.ended)
    }

    /// Why the stream ended, or nil while it goes on.
    public var closeReason: CloseReason? {
        state.withLock { $0.reason }
    }

    /// Whether it has ended and only its last chunk is left to send, which is up to the library.
    var isFlushed: Bool {
        state.withLock { $0.isFlushed }
    }

    /// Ends the stream in order, for a reason of the server's with its farewell.
    func end(_ reason: CloseReason) {
        let (isFirst, disposable) = state.withLock { $0.beginEnding(reason) }
        guard isFirst else { return }
        let farewell = reason == .ended ? nil : body.farewell(reason)
        let needsFlush = state.withLock { $0.finishEnding(farewell: farewell) }
        if needsFlush { flusher.add(self) }
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
                let needsFlush = state.withLock { $0.sendControl(heartbeat) }
                if needsFlush { flusher.add(self) }
                flusher.counters.heartbeats.add(1, ordering: .relaxed)
            }
            return next
        case .expired:
            end(.maximumAge)
            return nil
        case .stalled:
            abort(.stalled)
            return nil
        }
    }

    /// The next bytes for the library, which calls this on its own thread, one call at a time.
    func read(maximum: Int) -> StreamRead {
        let now = flusher.now
        while true {
            switch state.withLock({ $0.read(maximum: maximum, now: now) }) {
            case .pending(let pending): replace(pending)
            case .handedOver:
                flusher.add(self)
                return .suspended
            case .done(let read, let progress):
                flusher.counters.count(progress)
                return read
            }
        }
    }

    /// The client takes bytes again; for the gate's thread.
    func becomeWritable() {
        let needsFlush = state.withLock { $0.unblock() }
        if needsFlush { flusher.add(self) }
    }

    /// Writes what is queued; for the gate's thread.
    ///
    /// Returns when the client is to be looked at again, if it does not read.
    func flush(now: Duration, progress: inout StreamProgress) -> Duration? {
        while true {
            switch state.withLock({ $0.flush(now: now, progress: &progress) }) {
            case .done: return nil
            case .blocked(let time): return time
            case .pending(let pending): replace(pending)
            case .broken:
                abort(.clientClosed)
                return nil
            }
        }
    }

    private func replace(_ pending: StreamQueue.Pending) {
        guard case .skip(let gap, let beginning) = body.overflow else { return }
        let bytes =
            switch pending {
            case .gap(let count): gap(count)
            case .beginning(let item): beginning(item)
            }
        state.withLock { $0.replace(pending, by: bytes) }
    }
}
