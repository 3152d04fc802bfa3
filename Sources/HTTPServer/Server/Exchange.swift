import Reactive
import Synchronization

/// One connection from its accepted head to its close.
///
/// ## Thread safety
/// One lock; suspending and resuming happen under it, for the reason given at ``EventStream``.
final class Exchange: Sendable {
    /// What the library's thread is to do with a connection.
    enum Turn {
        case handle(Request)
        case answer(Response)
        /// It has been suspended.
        case wait
        case close
    }

    private enum Phase {
        case accepted(Request)
        case handling
        case waiting(Connection)
        case answered(Response)
        case streaming(EventStream)
        case responded
        case over
    }

    private struct State {
        var phase: Phase
        var isHalfClosed: Bool
        var isCancelled = false
        var cancellations: [any Disposable] = []

        mutating func takeCancellations() -> [any Disposable] {
            defer { cancellations = [] }
            return cancellations
        }
    }

    let id: UInt64
    let isHead: Bool
    let isHTTP10: Bool
    /// Whether it is for one of the reserved paths.
    let isReserved: Bool
    let origin: String?
    private let held = Atomic(0)
    private let state: Mutex<State>

    init(id: UInt64, request: Request, isHalfClosed: Bool, isReserved: Bool) {
        self.id = id
        self.isReserved = isReserved
        self.origin = request.headers.first("Origin")
        self.isHead = request.method == "HEAD"
        self.isHTTP10 = request.isHTTP10
        self.state = Mutex(State(phase: .accepted(request), isHalfClosed: isHalfClosed))
    }

    /// How many bytes of a finite answer the client has yet to read, at most.
    var heldBytes: Int { held.load(ordering: .relaxed) }

    /// Notes the length of the answer.
    func hold(_ count: Int) {
        held.store(count, ordering: .relaxed)
    }

    /// The library's thread asks what to do, for the first time or after a resume.
    func begin() -> Turn {
        state.withLock { state in
            switch state.phase {
            case .accepted(let request) where !state.isCancelled:
                state.phase = .handling
                return .handle(request)
            case .answered(let response) where !state.isCancelled:
                state.phase = .responded
                return .answer(response)
            default: return .close
            }
        }
    }

    /// The handler has returned: there is an answer, or the connection waits for one.
    func afterHandling(_ connection: Connection) -> Turn {
        state.withLock { state in
            switch state.phase {
            case .answered(let response) where !state.isCancelled:
                state.phase = .responded
                return .answer(response)
            case .handling where !state.isCancelled:
                state.phase = .waiting(connection)
                connection.suspend()
                return .wait
            default: return .close
            }
        }
    }

    func answer(_ response: Response) {
        let disposables = state.withLock { state in
            switch state.phase {
            case .handling: state.phase = .answered(response)
            case .waiting(let connection):
                state.phase = .answered(response)
                connection.resume()
            default: break
            }
            return state.takeCancellations()
        }
        for disposable in disposables { disposable.dispose() }
    }

    func onCancel(_ disposable: any Disposable) {
        let isTooLate = state.withLock { state in
            guard !state.isCancelled else { return true }
            switch state.phase {
            case .accepted, .handling, .waiting:
                state.cancellations.append(disposable)
                return false
            default: return true
            }
        }
        if isTooLate { disposable.dispose() }
    }

    /// Notes the stream that answers.
    ///
    /// False if the client has closed its end already.
    func start(_ stream: EventStream) -> Bool {
        state.withLock { state in
            guard !state.isCancelled, !state.isHalfClosed else { return false }
            state.phase = .streaming(stream)
            return true
        }
    }

    var stream: EventStream? {
        state.withLock { state in
            if case .streaming(let stream) = state.phase { return stream }
            return nil
        }
    }

    /// The client has sent FIN, which ends a stream but not a wait for a finite answer.
    func peerHalfClosed() {
        let stream = state.withLock { state -> EventStream? in
            state.isHalfClosed = true
            if case .streaming(let stream) = state.phase { return stream }
            return nil
        }
        stream?.abort(.clientClosed)
    }

    /// Breaks the exchange off; nothing suspends any more.
    func abort(_ reason: CloseReason) {
        let (stream, disposables) = state.withLock { state -> (EventStream?, [any Disposable]) in
            state.isCancelled = true
            if case .streaming(let stream) = state.phase { return (stream, []) }
            if case .waiting(let connection) = state.phase {
                state.phase = .handling
                connection.resume()
            }
            return (nil, state.takeCancellations())
        }
        stream?.abort(reason)
        for disposable in disposables { disposable.dispose() }
    }

    /// The connection is no longer there.
    ///
    /// Returns the stream it carried.
    func finish() -> EventStream? {
        let (stream, disposables) = state.withLock { state -> (EventStream?, [any Disposable]) in
            state.isCancelled = true
            var stream: EventStream?
            if case .streaming(let current) = state.phase { stream = current }
            state.phase = .over
            return (stream, state.takeCancellations())
        }
        for disposable in disposables { disposable.dispose() }
        return stream
    }
}
