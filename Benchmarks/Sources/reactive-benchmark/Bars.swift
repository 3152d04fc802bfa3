import CAllocations
import Reactive
import Synchronization

/// A shared signal with an upstream that the benchmark feeds by hand.
struct Fed {
    let signal: SharedSignal<Int, Never>
    private let input: FedInput

    init(replayCount: Int = 1) {
        let input = FedInput()
        self.input = input
        signal = SharedSignal(
            SignalProducer { observer, _ in input.observer.withLock { $0 = observer } },
            configuration: .init(replayCount: replayCount),
            scheduler: DispatchScheduler(label: "benchmark")
        )
    }

    /// The observer of the current run.
    var observer: Observer<Int, Never> {
        input.observer.withLock { $0 } ?? Observer { _ in }
    }
}

private final class FedInput: Sendable {
    let observer = Mutex<Observer<Int, Never>?>(nil)
}

/// Counts what it is called with, as cheaply as an observer can do anything.
final class Tally: Sendable {
    private let sum = Atomic(0)

    var total: Int { sum.load(ordering: .relaxed) }

    func add(_ event: Event<Int, Never>) {
        if case .value(let value) = event {
            sum.store(sum.load(ordering: .relaxed) &+ value, ordering: .relaxed)
        }
    }
}

/// The operations whose cost is promised.
enum Bars {
    static func measureAll(only: String?) -> [Bar] {
        let all: [(String, () -> Bar)] = [
            ("emit-1", { emit(to: 1, limit: 90) }), ("emit-10000", { emit(to: 10_000, limit: 40) }),
            ("observe", observeAndDispose), ("join", joins),
            ("signal-1", { signal(to: 1) }), ("signal-10000", { signal(to: 10_000) }),
        ]
        return all.filter { only == nil || $0.0 == only }.map { $0.1() }
    }

    private static func emit(to observers: Int, limit: Double) -> Bar {
        let fed = Fed()
        let tallies = (0..<observers).map { _ in Tally() }
        let observations = tallies.map { tally in fed.signal.observe { tally.add($0) } }
        let observer = fed.observer
        let sends = max(20, 200_000 / observers)
        let measurement = Measurement.of(count: sends * observers) {
            for value in 0..<sends { observer.send(value: value) }
        }
        for observation in observations { observation.dispose() }
        return Bar(
            name: "SharedSignal: emit to \(observers), each",
            limit: limit,
            maximumAllocations: 0,
            measurement: measurement
        )
    }

    private static func observeAndDispose() -> Bar {
        let fed = Fed()
        let kept = fed.signal.observe { _ in }
        fed.observer.send(value: 1)
        let tally = Tally()
        let count = 100_000
        let measurement = Measurement.of(count: count) {
            for _ in 0..<count { fed.signal.observe { tally.add($0) }.dispose() }
        }
        kept.dispose()
        return Bar(
            name: "SharedSignal: observe with replay, dispose",
            limit: 650,
            maximumAllocations: 4,
            measurement: measurement
        )
    }

    private static func joins() -> Bar {
        let fed = Fed()
        let kept = fed.signal.observe { _ in }
        fed.observer.send(value: 1)
        let count = 10_000
        let tally = Tally()
        var observations: [Observation] = []
        observations.reserveCapacity(count)
        var best = Measurement(nanoseconds: .infinity, allocations: .infinity)
        for _ in 0..<16 {
            let allocations = callocations_count()
            let start = Measurement.threadTime()
            for _ in 0..<count { observations.append(fed.signal.observe { tally.add($0) }) }
            let time = Measurement.threadTime() - start
            let allocated = callocations_count() - allocations
            best.nanoseconds = min(best.nanoseconds, time / Double(count))
            best.allocations = min(best.allocations, Double(allocated) / Double(count))
            for observation in observations { observation.dispose() }
            observations.removeAll(keepingCapacity: true)
        }
        kept.dispose()
        return Bar(
            name: "SharedSignal: 10000 joins with replay, each",
            limit: 1000,
            maximumAllocations: 4,
            measurement: best
        )
    }

    private static func signal(to observers: Int) -> Bar {
        let (output, input) = Signal<Int, Never>.pipe()
        let tallies = (0..<observers).map { _ in Tally() }
        for tally in tallies { output.observe { tally.add($0) } }
        let sends = max(20, 200_000 / observers)
        let measurement = Measurement.of(count: sends * observers) {
            for value in 0..<sends { input.send(value: value) }
        }
        return Bar(
            name: "Signal: emit to \(observers), each",
            limit: observers == 1 ? 178 : 40,
            maximumAllocations: 0,
            measurement: measurement
        )
    }
}
