import Dispatch
import Reactive
import Synchronization

/// Threads that join and leave at random while one thread feeds the upstream.
///
/// The source counts up, so an observer can tell a lost value from a doubled one. A part of the
/// observers stays for a few values only, others for thousands; the upstream is stopped and
/// started all the time.
final class ChurnStress: Sendable {
    /// What the current run is fed by.
    private final class Feed: Sendable {
        let observer = Mutex<Observer<Int, Never>?>(nil)
        let running = Atomic(0)
        let overlaps = Atomic(0)
        let starts = Atomic(0)
        let stops = Atomic(0)
    }

    private let feed = Feed()
    private let signal: SharedSignal<Int, Never>
    private let isOver = SimpleDisposable()
    private let joins = Atomic(0)
    private let values = Atomic(0)
    private let faults = Mutex<[String]>([])

    init() {
        let feed = feed
        signal = SharedSignal(
            SignalProducer { observer, lifetime in
                feed.starts.add(1, ordering: .relaxed)
                let running = feed.running.add(1, ordering: .sequentiallyConsistent).newValue
                if running != 1 { feed.overlaps.add(1, ordering: .relaxed) }
                feed.observer.withLock { $0 = observer }
                lifetime.observeEnded {
                    feed.running.subtract(1, ordering: .sequentiallyConsistent)
                    feed.stops.add(1, ordering: .relaxed)
                }
            },
            // A thread may be kept from running for long, and nothing may be lost.
            configuration: .init(lagLimit: .max),
            scheduler: DispatchScheduler(label: "churn")
        )
    }

    var summary: String {
        "\(joins.load(ordering: .relaxed)) observers, \(values.load(ordering: .relaxed)) values,"
            + " \(feed.starts.load(ordering: .relaxed)) runs"
    }

    /// Returns what went wrong.
    func run(threads: Int, for time: Duration) -> [String] {
        let group = DispatchGroup()
        DispatchQueue(label: "feed").async(group: group) { self.send() }
        for thread in 0..<threads {
            DispatchQueue(label: "member").async(group: group) { self.takePart(seed: thread) }
        }
        let end = DispatchSemaphore(value: 0)
        _ = end.wait(timeout: .now() + .seconds(Int(time.components.seconds)))
        isOver.dispose()
        if group.wait(timeout: .now() + .seconds(20)) != .success { fault("a thread is stuck") }
        let snapshot = signal.snapshot
        if snapshot.state != .idle { fault("the state at the end is \(snapshot.state)") }
        if snapshot.subscribers != 0 { fault("the count at the end is \(snapshot.subscribers)") }
        if snapshot.drops != 0 { fault("\(snapshot.drops) values were dropped") }
        if feed.overlaps.load(ordering: .relaxed) != 0 { fault("two runs at a time") }
        if feed.starts.load(ordering: .relaxed) != feed.stops.load(ordering: .relaxed) {
            fault("a run has not been stopped")
        }
        return faults.withLock { $0 }
    }

    private func send() {
        var number = 0
        while !isOver.isDisposed {
            number += 1
            feed.observer.withLock { $0 }?.send(value: number)
        }
        feed.observer.withLock { $0 = nil }
    }

    private func takePart(seed: Int) {
        var random = SystemRandomNumberGenerator()
        while !isOver.isDisposed {
            let member = Member(fault)
            let observation = signal.observe { member.receive($0) }
            joins.add(1, ordering: .relaxed)
            let enough = [0, 1, 3, 2000][Int.random(in: 0..<4, using: &random)]
            while member.count < enough, !isOver.isDisposed {}
            observation.disposeAndWait()
            member.leave()
            values.add(member.count, ordering: .relaxed)
        }
    }

    private func fault(_ text: String) {
        faults.withLock { $0.append(text) }
    }
}

/// One observer: after the first value, which may be kept from an earlier run, and the second,
/// every value is the one before plus one.
private final class Member: Sendable {
    private let received = Atomic(0)
    private let last = Atomic(0)
    private let hasLeft = Atomic(false)
    private let fault: @Sendable (String) -> Void

    init(_ fault: @escaping @Sendable (String) -> Void) {
        self.fault = fault
    }

    var count: Int { received.load(ordering: .acquiring) }

    func leave() { hasLeft.store(true, ordering: .releasing) }

    func receive(_ event: Event<Int, Never>) {
        guard case .value(let value) = event else { return fault("it ended") }
        if hasLeft.load(ordering: .acquiring) { fault("called after it had left") }
        let previous = last.load(ordering: .relaxed)
        if count > 1, value != previous + 1 { fault("\(value) after \(previous)") }
        if count == 1, value <= previous { fault("\(value) after \(previous)") }
        last.store(value, ordering: .relaxed)
        received.store(count + 1, ordering: .releasing)
    }
}
