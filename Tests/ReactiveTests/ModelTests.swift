import Dispatch
import Reactive
import Synchronization
import TestSupport
import Testing

@Suite struct ModelTests {
    /// Sequences of random operations, each compared with the model after every step.
    @Test(arguments: 0..<8)
    func `random operations do what the model says`(part: UInt64) {
        for sequence in 0..<250 {
            let seed = part * 1000 + UInt64(sequence)
            if let difference = Self.difference(seed: seed, steps: 60) {
                Issue.record("seed \(seed): \(difference)")
                return
            }
        }
    }

    private static func difference(seed: UInt64, steps: Int) -> String? {
        var random = Random(seed: seed)
        var model = SharedSignalModel(linger: [0, 3, 5][random.below(3)])
        let scheduler = TestScheduler()
        let upstream = TestUpstream()
        let signal = SharedNumbers(
            upstream.producer,
            configuration: .init(
                linger: .seconds(model.linger),
                backOff: BackOff(maximum: .seconds(8), jitter: 0)
            ),
            scheduler: scheduler
        )
        var recorders: [NumberRecorder] = []
        var observations: [Observation] = []
        var log: [String] = []
        for step in 0..<steps {
            switch random.below(12) {
            case 0, 1, 2:
                let recorder = NumberRecorder()
                recorders.append(recorder)
                observations.append(signal.observe(recorder.record))
                model.observe()
                log.append("observe")
            case 3...5 where !observations.isEmpty:
                let index = random.below(observations.count)
                observations[index].dispose()
                model.dispose(index)
                log.append("dispose \(index)")
            case 6, 7:
                upstream.send(step)
                model.send(step)
                log.append("send \(step)")
            case 8:
                upstream.observer()?.sendCompleted()
                model.complete()
                log.append("complete")
            case 9:
                upstream.observer()?.send(error: Failed())
                model.fail()
                log.append("fail")
            case 10:
                let time = random.below(6)
                signal.warmUp(for: .seconds(time))
                model.warmUp(for: time)
                log.append("warm up \(time)")
            default:
                let time = random.below(5)
                scheduler.advance(by: .seconds(time))
                model.advance(by: time)
                log.append("advance \(time)")
            }
            let snapshot = signal.snapshot
            let isSame =
                snapshot.state == model.state && snapshot.subscribers == model.members.count
                && upstream.starts == model.starts
                && upstream.isRunning == [.running, .lingering].contains(model.state)
                && zip(recorders, model.events).allSatisfy { $0.events == $1 }
            guard isSame else {
                return "\(log.joined(separator: ", ")): \(snapshot), not \(model)"
            }
        }
        return nil
    }

    /// Threads that join, leave and feed at random; what they see is checked against what any
    /// order of theirs allows.
    @Test(arguments: 0..<6)
    func `random operations on several threads keep the contract`(seed: UInt64) {
        let churn = Churn(linger: seed % 2 == 0 ? .zero : .milliseconds(1))
        let feeder = onThread { churn.feed(until: { churn.isOver.isDisposed }) }
        let members = (0..<3).map { thread in
            onThread {
                var random = Random(seed: seed * 10 + UInt64(thread))
                for _ in 0..<400 { churn.takePart(&random) }
            }
        }
        for member in members { #expect(member.wait(), "seed \(seed)") }
        churn.isOver.dispose()
        #expect(feeder.wait(), "seed \(seed)")
        #expect(eventually { churn.signal.snapshot.state == .idle }, "seed \(seed)")
        #expect(churn.signal.snapshot.subscribers == 0, "seed \(seed)")
        #expect(churn.faults.withLock { $0 } == [], "seed \(seed)")
        #expect(churn.starts.count == churn.stops.count, "seed \(seed)")
    }
}

/// A shared signal whose upstream counts up, and threads that come and go.
private final class Churn: Sendable {
    /// What the current run is fed by.
    private final class Feed: Sendable {
        let observer = Locked<Observer<Int, Never>?>(nil)
        let running = Atomic(0)
        let overlaps = Calls()
    }

    let signal: SharedSignal<Int, Never>
    let isOver = SimpleDisposable()
    let starts: Calls
    let stops: Calls
    let faults = Locked<[String]>([])
    private let feed: Feed

    init(linger: Duration) {
        let (feed, starts, stops) = (Feed(), Calls(), Calls())
        (self.feed, self.starts, self.stops) = (feed, starts, stops)
        signal = SharedSignal(
            SignalProducer { observer, lifetime in
                starts.note()
                if feed.running.add(1, ordering: .sequentiallyConsistent).newValue != 1 {
                    feed.overlaps.note()
                }
                feed.observer.withLock { $0 = observer }
                lifetime.observeEnded {
                    feed.running.subtract(1, ordering: .sequentiallyConsistent)
                    stops.note()
                }
            },
            // A thread may be kept from running for long, and nothing may be lost.
            configuration: .init(linger: linger, lagLimit: .max),
            scheduler: DispatchScheduler(label: "churn")
        )
    }

    /// Sends 1, 2, 3 … to whatever run there is, from one thread.
    func feed(until isOver: () -> Bool) {
        var number = 0
        while !isOver() {
            number += 1
            feed.observer.withLock { $0 }?.send(value: number)
        }
        if feed.overlaps.count > 0 { fault("two runs at a time") }
        feed.observer.withLock { $0 = nil }
    }

    /// Observes, gets some values or none, and leaves in one of several ways.
    func takePart(_ random: inout Random) {
        let recorder = EventRecorder<Int, Never>()
        let left = Atomic(false)
        let leaving = SerialDisposable()
        let leavesAt = random.below(4) == 0 ? 2 : Int.max
        let observation = signal.observe { event in
            if left.load(ordering: .acquiring) { self.fault("called after it had left") }
            recorder.record(event)
            if recorder.events.count >= leavesAt { leaving.dispose() }
        }
        leaving.inner = observation
        let enough = random.below(3)
        var patience = 2000
        while recorder.events.count < enough, !observation.isDisposed, patience > 0 {
            patience -= 1
        }
        observation.disposeAndWait()
        left.store(true, ordering: .releasing)
        check(recorder.values)
    }

    /// A value may be kept from an earlier run; what follows it is without gap or duplicate.
    private func check(_ values: [Int]) {
        guard values.count > 1 else { return }
        for index in 2..<max(2, values.count) where values[index] != values[index - 1] + 1 {
            fault("\(values[index]) after \(values[index - 1])")
        }
        if values[1] <= values[0] { fault("\(values[1]) after \(values[0])") }
    }

    private func fault(_ text: String) {
        faults.withLock { $0.append(text) }
    }
}
