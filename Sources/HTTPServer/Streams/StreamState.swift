import Reactive

/// What a read of a stream by the library brings.
enum StreamRead {
    case pieces([ArraySlice<UInt8>])
    /// Nothing for now; the connection has been suspended.
    case suspended
    case end
}

/// What is left to do for a stream after a flush.
enum StreamFlush {
    case done
    /// The client does not read; it is to be looked at again at this time.
    case blocked(until: Duration?)
    /// To be replaced by the bytes that are made of it.
    case pending(StreamQueue.Pending)
    /// The connection is broken.
    case broken
}

/// What has been sent, for the counters.
struct StreamProgress {
    var events = 0
    var bytes = 0
}

/// The part of an ``EventStream`` that its lock guards.
///
/// The library sends the head and one chunk of what is queued then. After that it suspends the
/// connection, and from then on the gate's thread writes chunks to the socket by itself: the
/// library walks all its suspended connections to resume one of them. It is resumed for the end
/// only, when no chunk has been sent in part.
struct StreamState {
    enum Step {
        case done(StreamRead, StreamProgress)
        /// Suspended although there is more to send: the stream needs a flush.
        case handedOver
        case pending(StreamQueue.Pending)
    }

    enum Chore {
        case none(next: Duration?)
        case heartbeat(next: Duration?)
        case expired
        case stalled
    }

    /// What does not change during a stream's life.
    struct Terms {
        let heartbeat: Duration?
        let expiry: Duration?
        let stallTimeout: Duration?
        let isChunked: Bool
    }

    private enum Phase {
        case open
        /// No more items are taken; the farewell is being made.
        case ending
        /// Ends when the queue is empty.
        case ended
        case aborted
        case finished
    }

    private let connection: Connection
    private let terms: Terms
    private var queue: StreamQueue
    private var phase = Phase.open
    /// Whether the library has sent something of the body.
    private var hasBegun = false
    private var isSuspended = false
    private var isQueuedForFlush = false
    private var isBlocked = false
    private var disposable: (any Disposable)?
    private var lastTraffic: Duration
    /// While the socket is full: how much of what it holds the client had yet to acknowledge when
    /// that was looked at last.
    private var unacknowledged = 0
    private(set) var reason: CloseReason?

    init(connection: Connection, terms: Terms, queue: StreamQueue, now: Duration) {
        self.connection = connection
        self.terms = terms
        self.queue = queue
        self.lastTraffic = now
    }

    // MARK: Senders

    mutating func send(_ item: StreamItem) -> (outcome: StreamQueue.Outcome, needsFlush: Bool) {
        guard phase == .open else { return (.queued, false) }
        return (queue.append(item), needsFlush())
    }

    /// Queues items that belong together; returns whether the stream needs a flush.
    mutating func send(burst items: [StreamItem]) -> Bool {
        guard phase == .open else { return false }
        queue.append(burst: items)
        return needsFlush()
    }

    /// Queues what the server itself says; returns whether the stream needs a flush.
    mutating func sendControl(_ bytes: SharedBytes) -> Bool {
        guard phase == .open else { return false }
        queue.appendLast(StreamItem(bytes: bytes))
        return needsFlush()
    }

    /// Whether the caller must have the stream flushed; true once until that has happened.
    private mutating func needsFlush() -> Bool {
        guard isSuspended, !isBlocked, !isQueuedForFlush else { return false }
        isQueuedForFlush = true
        return true
    }

    // MARK: The end

    /// Whether everything but the end itself has been sent.
    var isFlushed: Bool { phase == .ended && queue.isEmpty && !isSuspended }

    mutating func beginEnding(
        _ reason: CloseReason
    ) -> (isFirst: Bool, disposable: (any Disposable)?) {
        guard phase == .open else { return (false, nil) }
        phase = .ending
        self.reason = reason
        if reason == .slow { queue.removeUnsent() }
        return (true, disposable.take())
    }

    /// Queues the last bytes; returns whether the stream needs a flush.
    mutating func finishEnding(farewell: SharedBytes?) -> Bool {
        guard phase == .ending else { return false }
        phase = .ended
        if let farewell { queue.appendLast(StreamItem(bytes: farewell)) }
        return needsFlush()
    }

    mutating func abort(_ reason: CloseReason) -> (any Disposable)? {
        guard phase != .aborted, phase != .finished else { return nil }
        phase = .aborted
        if self.reason == nil { self.reason = reason }
        queue.removeAll()
        // The library may be waiting for a client that does not read.
        connection.shutDown(reset: reason != .clientClosed)
        resume()
        return disposable.take()
    }

    mutating func finish(
        _ reason: CloseReason
    ) -> (reason: CloseReason, disposable: (any Disposable)?) {
        phase = .finished
        isSuspended = false
        queue.removeAll()
        let final = self.reason ?? reason
        self.reason = final
        return (final, disposable.take())
    }

    /// Whether the stream is over, so that the caller must dispose it.
    mutating func attach(_ disposable: any Disposable) -> Bool {
        guard phase == .open else { return true }
        self.disposable = disposable
        return false
    }

    // MARK: The library's thread

    mutating func read(maximum: Int, now: Duration) -> Step {
        if phase == .aborted || phase == .finished { return .done(.end, StreamProgress()) }
        // An item that the library has sent in part is framed otherwise than the gate would.
        if hasBegun, !queue.isEmpty, !queue.isPartial {
            isSuspended = true
            connection.suspend()
            return needsFlush() ? .handedOver : .done(.suspended, StreamProgress())
        }
        var pieces: [ArraySlice<UInt8>] = []
        var progress = StreamProgress()
        while progress.bytes < maximum, case .bytes(let item, let offset) = queue.front {
            let piece = item.bytes.dropFirst(offset).prefix(maximum - progress.bytes)
            pieces.append(piece)
            progress.bytes += piece.count
            if queue.advance(by: piece.count, of: item.count) { progress.events += 1 }
        }
        if !pieces.isEmpty {
            hasBegun = true
            lastTraffic = now
            return .done(.pieces(pieces), progress)
        }
        if case .pending(let pending) = queue.front { return .pending(pending) }
        if phase == .ended { return .done(.end, progress) }
        isSuspended = true
        connection.suspend()
        return .done(.suspended, progress)
    }

    mutating func replace(_ pending: StreamQueue.Pending, by bytes: SharedBytes) {
        queue.replace(pending, by: bytes)
    }

    private mutating func resume() {
        guard isSuspended else { return }
        isSuspended = false
        connection.resume()
    }

    // MARK: The gate's thread

    /// The client reads again; returns whether the stream needs a flush.
    mutating func unblock() -> Bool {
        guard isBlocked else { return false }
        isBlocked = false
        return needsFlush()
    }

    /// Writes what is queued, as far as the socket takes it.
    ///
    /// The connection stays suspended, and so its socket open, while the lock is held.
    mutating func flush(now: Duration, progress: inout StreamProgress) -> StreamFlush {
        isQueuedForFlush = false
        guard isSuspended, !isBlocked else { return .done }
        while case .bytes(let first, let offset) = queue.front {
            let bytes = wireBytes(first: first, offset: offset)
            switch connection.send(bytes) {
            case .sent(let count):
                lastTraffic = now
                progress.bytes += count
                advance(by: count, progress: &progress)
            case .wouldBlock:
                isBlocked = true
                unacknowledged = connection.unacknowledgedCount
                return .blocked(until: nextLook(now: now))
            case .broken: return .broken
            }
        }
        if case .pending(let pending) = queue.front { return .pending(pending) }
        if phase == .ended { resume() }
        return .done
    }

    private func wire(_ item: SharedBytes) -> ArraySlice<UInt8> {
        terms.isChunked ? item.chunk[...] : item.bytes
    }

    /// The rest of the first item; with the next ones in one piece, if there are some.
    private func wireBytes(first: SharedBytes, offset: Int) -> ArraySlice<UInt8> {
        let rest = wire(first).dropFirst(offset)
        guard var next = queue.item(at: 1) else { return rest }
        var joined = Array(rest)
        var index = 1
        while joined.count < 32_768 {
            joined += wire(next)
            index += 1
            guard let following = queue.item(at: index) else { break }
            next = following
        }
        return joined[...]
    }

    private mutating func advance(by count: Int, progress: inout StreamProgress) {
        var left = count
        while left > 0, case .bytes(let item, let offset) = queue.front {
            let length = wire(item).count
            let step = min(left, length - offset)
            if queue.advance(by: step, of: length) { progress.events += 1 }
            left -= step
        }
    }

    // MARK: Time

    /// The socket tells of room only once much of it is free; a client that reads slowly is no
    /// stalled one, and what it acknowledges is what it has taken.
    private mutating func noticeAcknowledgements(now: Duration) {
        let count = connection.unacknowledgedCount
        if count < unacknowledged { lastTraffic = now }
        unacknowledged = count
    }

    /// When a client that does not read is to be looked at again: often enough to tell when it
    /// took its last byte.
    private func nextLook(now: Duration) -> Duration? {
        terms.stallTimeout.map { min(lastTraffic + $0, now + max($0 / 10, .milliseconds(50))) }
    }

    mutating func chore(now: Duration) -> Chore {
        if isBlocked, isSuspended, let stall = terms.stallTimeout {
            noticeAcknowledgements(now: now)
            if lastTraffic + stall <= now { return .stalled }
        }
        let stallTime = isBlocked ? nextLook(now: now) : nil
        guard phase == .open else { return .none(next: stallTime) }
        if let expiry = terms.expiry, expiry <= now { return .expired }
        let others = [stallTime, terms.expiry].compactMap { $0 }
        guard let heartbeat = terms.heartbeat else { return .none(next: others.min()) }
        let due = lastTraffic + heartbeat
        // Behind unsent bytes a heartbeat tells the client nothing.
        guard queue.isEmpty else {
            return .none(next: (others + [max(due, now + heartbeat)]).min())
        }
        guard due <= now else { return .none(next: (others + [due]).min()) }
        lastTraffic = now
        return .heartbeat(next: (others + [now + heartbeat]).min())
    }
}

extension Optional where Wrapped == any Disposable {
    /// The value, leaving nil behind.
    mutating func take() -> (any Disposable)? {
        defer { self = nil }
        return self
    }
}
