import Reactive

/// What a shared signal with a linger, retries and a replay of one has to do, said as simply as
/// possible: one thread, no closures, no generations.
struct SharedSignalModel {
    let linger: Int
    var state = SharedSignalState.idle
    var now = 0
    var starts = 0
    /// What each observer has got, and who is still there.
    var events: [[Event<Int, TestUpstream.Failed>]] = []
    var members: Set<Int> = []
    private var newest: Int?
    private var leaseEnd: Int?
    private var lingerEnd: Int?
    private var backOffEnd: Int?
    private var failures = 0

    init(linger: Int) {
        self.linger = linger
    }

    private var isWanted: Bool { !members.isEmpty || leaseEnd != nil }
    private var isRunning: Bool { state == .running || state == .lingering }

    mutating func observe() {
        events.append(newest.map { [.value($0)] } ?? [])
        members.insert(events.count - 1)
        reconcile()
    }

    mutating func dispose(_ observer: Int) {
        members.remove(observer)
        reconcile()
    }

    mutating func warmUp(for time: Int) {
        guard time > 0 else { return }
        leaseEnd = max(now + time, leaseEnd ?? 0)
        reconcile()
    }

    mutating func send(_ value: Int) {
        guard isRunning else { return }
        newest = value
        failures = 0
        for member in members { events[member].append(.value(value)) }
    }

    mutating func complete() {
        guard isRunning else { return }
        for member in members { events[member].append(.completed) }
        members = []
        leaseEnd = nil
        lingerEnd = nil
        state = .idle
    }

    mutating func fail() {
        guard isRunning else { return }
        failures += 1
        lingerEnd = nil
        backOffEnd = now + min(1 << (failures - 1), 8)
        state = .backoff
    }

    mutating func advance(by time: Int) {
        for _ in 0..<time {
            now += 1
            if leaseEnd == now { leaseEnd = nil }
            if backOffEnd == now {
                backOffEnd = nil
                state = .idle
            }
            if lingerEnd == now {
                lingerEnd = nil
                state = .idle
            }
            reconcile()
        }
    }

    private mutating func reconcile() {
        if state == .idle, isWanted {
            state = .running
            starts += 1
        } else if state == .running, !isWanted {
            state = linger > 0 ? .lingering : .idle
            lingerEnd = linger > 0 ? now + linger : nil
        } else if state == .lingering, isWanted {
            state = .running
            lingerEnd = nil
        }
    }
}
