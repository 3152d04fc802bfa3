import Reactive

/// What a read of a stream brings.
enum StreamRead {
    case pieces([ArraySlice<UInt8>])
    /// Nothing for now; the connection has been suspended.
    case suspended
    case end
    case abort
}

/// The part of an ``EventStream`` that its lock guards.
struct StreamState {
    enum Step {
        case done(StreamRead, events: Int)
        case gap(Int)
    }

    enum Chore {
        case none(next: Duration?)
        case heartbeat(next: Duration?)
        case expired
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
    private var queue: StreamQueue
    private var phase = Phase.open
    private var isSuspended = false
    private var disposable: (any Disposable)?
    private let heartbeat: Duration?
    private let expiry: Duration?
    private var lastTraffic: Duration
    private(set) var reason: CloseReason?

    init(
        connection: Connection,
        queue: StreamQueue,
        heartbeat: Duration?,
        expiry: Duration?,
        lastTraffic: Duration
    ) {
        self.connection = connection
        self.queue = queue
        self.heartbeat = heartbeat
        self.expiry = expiry
        self.lastTraffic = lastTraffic
    }

    mutating func send(_ item: StreamItem) -> StreamQueue.Outcome {
        guard phase == .open else { return .queued }
        let outcome = queue.append(item)
        resume()
        return outcome
    }

    mutating func sendControl(_ bytes: SharedBytes) {
        guard phase == .open else { return }
        queue.appendLast(StreamItem(bytes: bytes))
        resume()
    }

    mutating func beginEnding(
        _ reason: CloseReason
    ) -> (isFirst: Bool, disposable: (any Disposable)?) {
        guard phase == .open else { return (false, nil) }
        phase = .ending
        self.reason = reason
        if reason == .slow { queue.removeUnsent() }
        return (true, disposable.take())
    }

    mutating func finishEnding(farewell: SharedBytes?) {
        guard phase == .ending else { return }
        phase = .ended
        if let farewell { queue.appendLast(StreamItem(bytes: farewell)) }
        resume()
    }

    mutating func abort(_ reason: CloseReason) -> (any Disposable)? {
        guard phase != .aborted, phase != .finished else { return nil }
        phase = .aborted
        if self.reason == nil { self.reason = reason }
        queue.removeAll()
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

    mutating func replaceGap(_ count: Int, by bytes: SharedBytes) {
        // More may have been skipped since the reader saw the gap; then it looks again.
        guard case .gap(count) = queue.front else { return }
        queue.replaceGap(by: bytes)
    }

    mutating func read(maximum: Int, now: Duration) -> Step {
        if phase == .aborted || phase == .finished { return .done(.abort, events: 0) }
        var pieces: [ArraySlice<UInt8>] = []
        var room = maximum
        var events = 0
        while room > 0, case .bytes(let bytes, let offset) = queue.front {
            let piece = bytes.bytes[offset..<min(bytes.count, offset + room)]
            pieces.append(piece)
            room -= piece.count
            if queue.advance(by: piece.count) { events += 1 }
        }
        if !pieces.isEmpty {
            lastTraffic = now
            return .done(.pieces(pieces), events: events)
        }
        if case .gap(let count) = queue.front { return .gap(count) }
        if phase == .ended { return .done(.end, events: 0) }
        isSuspended = true
        connection.suspend()
        return .done(.suspended, events: 0)
    }

    mutating func chore(now: Duration) -> Chore {
        guard phase == .open else { return .none(next: nil) }
        if let expiry, expiry <= now { return .expired }
        guard let heartbeat else { return .none(next: expiry) }
        let due = lastTraffic + heartbeat
        if due <= now {
            // Behind unsent bytes a heartbeat tells the client nothing.
            let next = min(now + heartbeat, expiry ?? now + heartbeat)
            guard queue.isEmpty else { return .none(next: next) }
            lastTraffic = now
            return .heartbeat(next: next)
        }
        return .none(next: min(due, expiry ?? due))
    }

    private mutating func resume() {
        guard isSuspended else { return }
        isSuspended = false
        connection.resume()
    }
}

extension Optional where Wrapped == any Disposable {
    /// The value, leaving nil behind.
    mutating func take() -> (any Disposable)? {
        defer { self = nil }
        return self
    }
}
