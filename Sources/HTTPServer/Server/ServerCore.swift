import Reactive
import Synchronization

/// What the callbacks of the C side reach: the exchanges by id, and what is to be done over time.
final class ServerCore: Sendable {
    /// What the gate is to do with a connection.
    enum Judgement {
        case incomplete
        case accepted(Daemon.Pool)
        case refused([UInt8])
    }

    private struct State {
        var exchanges: [UInt64: Exchange] = [:]
        var isStopping = false
        var housekeeping: (any Disposable)?
        var housekeepingTime: Duration?
        var isDraining = false
        /// What waits for the last exchange to end.
        var drained: [@Sendable () -> Void] = []
        var random = SystemRandomNumberGenerator()
    }

    /// An answer of no more bytes is not counted: it fits into a socket's buffer.
    private static let smallAnswer = 4_096
    /// An answer of more bytes finds less room.
    private static let largeAnswer = 65_536

    let configuration: ServerConfiguration
    let flusher: StreamFlusher
    let scheduler: any Scheduler
    /// How many requests may be in the making, streams among them.
    private let limit: Int
    /// How many more may be for the reserved paths.
    private let reserve: Int
    private let logMessage: @Sendable (String) -> Void
    private let handler: @Sendable (Request, Responder) -> Void
    private let streams = Atomic(0)
    /// The bytes of finite answers that are being sent.
    private let answerBytes = Atomic(0)
    private let state = Mutex(State())

    init(
        configuration: ServerConfiguration,
        limit: Int,
        reserve: Int,
        scheduler: any Scheduler,
        log: @escaping @Sendable (String) -> Void,
        handler: @escaping @Sendable (Request, Responder) -> Void
    ) {
        self.configuration = configuration
        self.limit = limit
        self.reserve = reserve
        self.scheduler = scheduler
        self.flusher = StreamFlusher(scheduler: scheduler)
        self.logMessage = log
        self.handler = handler
    }

    var counters: CounterCells { flusher.counters }

    var streamCount: Int { streams.load(ordering: .relaxed) }

    var connectionCount: Int { state.withLock { $0.exchanges.count } }

    func log(_ message: String) {
        logMessage(message)
    }

    // MARK: The gate's thread

    /// Looks at the start of a connection; one on a spare descriptor is for the reserved paths.
    func judge(id: UInt64, head: [UInt8], isHalfClosed: Bool, isSpare: Bool) -> Judgement {
        switch RequestHead(head) {
        case .incomplete: return .incomplete
        case .refused(let problem, let context): return refuse(problem, context)
        case .request(let request, let memory):
            let isReserved = configuration.reservedPaths.contains(request.path)
            let exchange = Exchange(
                id: id,
                request: request,
                isHalfClosed: isHalfClosed,
                isReserved: isReserved
            )
            guard isReserved || !isSpare else { return turnAway(request) }
            let limit = isReserved ? limit + reserve : limit
            let isAccepted = state.withLock { state in
                guard !state.isStopping, state.exchanges.count < limit else { return false }
                state.exchanges[id] = exchange
                return true
            }
            guard isAccepted else { return turnAway(request) }
            return .accepted(Daemon.Pool(memory: memory, isReserved: isReserved))
        }
    }

    private func refuse(_ problem: Problem, _ context: RequestHead.Context) -> Judgement {
        counters.refused.add(1, ordering: .relaxed)
        let response = problem.response(headers: configuration.commonHeaders(context.origin))
        return .refused(response.closingBytes(date: Daemon.date, withBody: !context.isHead))
    }

    private func turnAway(_ request: Request) -> Judgement {
        counters.refused.add(1, ordering: .relaxed)
        let common = configuration.commonHeaders(request.headers.first("Origin"))
        let response =
            configuration.overload(request)
            ?? Problem(status: 503, detail: "The server has no place left.")
            .response(retryAfter: 5, headers: common)
        let isHead = request.method == "HEAD"
        return .refused(response.closingBytes(date: Daemon.date, withBody: !isHead))
    }

    func peerHalfClosed(id: UInt64) {
        exchange(id)?.peerHalfClosed()
    }

    func peerGone(id: UInt64, reason: CloseReason) {
        exchange(id)?.abort(reason)
    }

    func peerWritable(id: UInt64) {
        exchange(id)?.stream?.becomeWritable()
    }

    func turn() {
        if let time = flusher.flush() { scheduleHousekeeping(at: time) }
    }

    // MARK: The library's threads

    func serve(id: UInt64, connection: Connection) -> Bool {
        guard let exchange = exchange(id) else { return false }
        switch exchange.begin() {
        case .handle(let request):
            handler(
                request,
                Responder(
                    answer: { exchange.answer($0) },
                    cancellation: { exchange.onCancel($0) }
                )
            )
            switch exchange.afterHandling(connection) {
            case .answer(let response): return send(response, of: exchange, on: connection)
            case .wait: return true
            case .handle, .close: return false
            }
        case .answer(let response): return send(response, of: exchange, on: connection)
        case .wait: return true
        case .close: return false
        }
    }

    /// The answer, or a refusal in its place when clients leave too much unread.
    ///
    /// Large answers leave a quarter of the room to others.
    private func bounded(_ response: Response, of exchange: Exchange) -> Response {
        let count = response.body.count
        guard count > Self.smallAnswer, !exchange.isReserved else { return response }
        let room = configuration.maximumAnswerBytes
        let held = answerBytes.add(count, ordering: .relaxed).newValue
        guard held <= (count > Self.largeAnswer ? room / 4 * 3 : room) else {
            answerBytes.subtract(count, ordering: .relaxed)
            let detail = "Too many answers wait for their clients to read them."
            return Problem(status: 503, detail: detail).response(
                retryAfter: 1,
                headers: configuration.commonHeaders(exchange.origin)
            )
        }
        exchange.hold(count)
        return response
    }

    private func send(_ response: Response, of exchange: Exchange, on connection: Connection)
        -> Bool
    {
        let response = bounded(response, of: exchange)
        switch response.body {
        case .empty, .bytes, .made:
            return connection.respond(
                status: response.status,
                headers: response.headers,
                bytes: response.body.bytes
            )
        case .stream where exchange.isHead:
            return connection.respondHead(status: response.status, headers: response.headers)
        case .stream(let body):
            let stream = EventStream(
                body: body,
                connection: connection,
                terms: terms(of: body, isChunked: !exchange.isHTTP10),
                flusher: flusher
            )
            guard exchange.start(stream) else { return false }
            streams.add(1, ordering: .relaxed)
            counters.opened.add(1, ordering: .relaxed)
            let isQueued = connection.respond(
                status: response.status,
                headers: response.headers,
                stream: stream
            )
            guard isQueued else {
                stream.abort(.error)
                return false
            }
            stream.attach(body.open(stream))
            scheduleHousekeeping(of: stream)
            // A drain that began meanwhile did not see it.
            if state.withLock({ $0.isDraining }) { stream.end(.drain) }
            return true
        }
    }

    func closed(id: UInt64, reason: CloseReason) {
        let exchange = state.withLock { $0.exchanges.removeValue(forKey: id) }
        if let held = exchange?.heldBytes { answerBytes.subtract(held, ordering: .relaxed) }
        if let stream = exchange?.finish() {
            counters.close(stream.finish(reason))
            let left = streams.subtract(1, ordering: .relaxed).newValue
            if left == 0 { limitDrain() }
        }
        if state.withLock({ $0.isDraining && $0.exchanges.isEmpty }) { callDrained() }
    }

    private func exchange(_ id: UInt64) -> Exchange? {
        state.withLock { $0.exchanges[id] }
    }

    // MARK: Over time

    private func terms(of body: StreamBody, isChunked: Bool) -> StreamState.Terms {
        let hasHeartbeat = configuration.heartbeat > .zero && body.heartbeat != nil
        let hasStallTimeout = configuration.stallTimeout > .zero
        return StreamState.Terms(
            heartbeat: hasHeartbeat ? configuration.heartbeat : nil,
            expiry: expiry(),
            stallTimeout: hasStallTimeout ? configuration.stallTimeout : nil,
            isChunked: isChunked
        )
    }

    private func expiry() -> Duration? {
        guard configuration.maximumStreamAge > .zero else { return nil }
        let share = state.withLock { Double.random(in: 0.8...1, using: &$0.random) }
        return scheduler.now + configuration.maximumStreamAge * share
    }

    private func scheduleHousekeeping(of stream: EventStream) {
        guard let next = stream.keepHouse(now: scheduler.now) else { return }
        scheduleHousekeeping(at: next)
    }

    /// One timer serves all streams: it is set for the earliest that has something to do.
    private func scheduleHousekeeping(at time: Duration) {
        let previous = state.withLock { state -> (any Disposable)? in
            if state.isStopping { return nil }
            if let pending = state.housekeepingTime, pending <= time { return nil }
            state.housekeepingTime = time
            return state.housekeeping.take()
        }
        guard isHousekeepingDue(at: time) else { return }
        previous?.dispose()
        let timer = scheduler.schedule(at: time) { [weak self] in self?.keepHouse(at: time) }
        let unused = state.withLock { state -> (any Disposable)? in
            guard !state.isStopping, state.housekeepingTime == time else { return timer }
            state.housekeeping = timer
            return nil
        }
        unused?.dispose()
    }

    private func isHousekeepingDue(at time: Duration) -> Bool {
        state.withLock { !$0.isStopping && $0.housekeepingTime == time && $0.housekeeping == nil }
    }

    private func keepHouse(at time: Duration) {
        let exchanges = state.withLock { state -> [Exchange] in
            guard state.housekeepingTime == time else { return [] }
            state.housekeepingTime = nil
            state.housekeeping = nil
            return Array(state.exchanges.values)
        }
        let now = scheduler.now
        let next = exchanges.compactMap { $0.stream?.keepHouse(now: now) }.min()
        // Streams that are due within a moment of each other share a turn.
        if let next { scheduleHousekeeping(at: max(next, now + .milliseconds(20))) }
    }

    /// Ends all streams, spread evenly over `duration`, and calls `done` when nothing is being
    /// answered any more, at the latest a second after the last stream has gone.
    ///
    /// Asked again for no time at all, it ends all at once and soon breaks off what is left.
    func drain(over duration: Duration, _ done: @escaping @Sendable () -> Void) {
        let (exchanges, isAgain) = state.withLock { state in
            defer { state.isDraining = true }
            state.drained.append(done)
            return (Array(state.exchanges.values), state.isDraining)
        }
        guard !exchanges.isEmpty else {
            callDrained()
            return
        }
        let streams = exchanges.compactMap(\.stream)
        if isAgain, duration <= .zero {
            for stream in streams { stream.end(.drain) }
            // Who reads has taken the farewell by then.
            scheduler.schedule(at: scheduler.now + .milliseconds(100)) {
                for exchange in exchanges { exchange.abort(.drain) }
            }
            return
        }
        guard !streams.isEmpty else {
            limitDrain()
            return
        }
        endSome(of: streams.shuffled()[...], start: scheduler.now, duration: duration)
    }

    /// Finite answers get a second more than the streams.
    private func limitDrain() {
        guard state.withLock({ $0.isDraining && !$0.isStopping }) else { return }
        scheduler.schedule(at: scheduler.now + .seconds(1)) { [weak self] in self?.callDrained() }
    }

    private func callDrained() {
        let drained = state.withLock { state in
            defer { state.drained = [] }
            return state.drained
        }
        for done in drained { done() }
    }

    /// Ends the streams whose turn has come: the first at once, so that a lone client does not
    /// wait, and the others at equal steps after it.
    private func endSome(of streams: ArraySlice<EventStream>, start: Duration, duration: Duration) {
        let elapsed = scheduler.now - start
        let share = duration > .zero ? min(1, elapsed / duration) : 1
        let total = streams.endIndex
        let due = share >= 1 ? total : max(streams.startIndex, Int(Double(total) * share) + 1)
        for stream in streams[streams.startIndex..<due] { stream.end(.drain) }
        let rest = streams[due...]
        if rest.isEmpty {
            // A client that does not read must not hold up the end, nor one that has not read the
            // last chunk for longer.
            scheduler.schedule(at: scheduler.now + .seconds(1)) { [weak self] in
                self?.abortStreams { !$0.isFlushed }
            }
            scheduler.schedule(at: scheduler.now + .seconds(3)) { [weak self] in
                self?.abortStreams { _ in true }
            }
        } else {
            let step = max(.milliseconds(10), duration / Double(max(total, 1)))
            scheduler.schedule(at: scheduler.now + step) { [weak self] in
                self?.endSome(of: rest, start: start, duration: duration)
            }
        }
    }

    private func abortStreams(where isStuck: (EventStream) -> Bool) {
        let exchanges = state.withLock { Array($0.exchanges.values) }
        for exchange in exchanges {
            if let stream = exchange.stream, isStuck(stream) { exchange.abort(.drain) }
        }
    }

    /// Breaks everything off; nothing suspends any more.
    ///
    /// To be called once the gate has ended.
    func stop() {
        let (exchanges, timer) = state.withLock { state in
            state.isStopping = true
            return (Array(state.exchanges.values), state.housekeeping.take())
        }
        timer?.dispose()
        for exchange in exchanges { exchange.abort(.drain) }
    }

    /// Forgets what the library no longer knows, after it has stopped.
    func clear() {
        let ids = state.withLock { Array($0.exchanges.keys) }
        for id in ids { closed(id: id, reason: .drain) }
    }
}
