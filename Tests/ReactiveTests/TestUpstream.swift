import Reactive
import TestSupport

/// An upstream whose runs are counted and fed by the test.
final class TestUpstream: Sendable {
    struct Failed: Error, Equatable, CustomStringConvertible {
        var description: String { "out of order" }
    }

    struct State {
        var starts = 0
        var stops = 0
        var observers: [Observer<Int, Failed>] = []
    }

    private let state = Locked(State())

    var starts: Int { state.withLock { $0.starts } }
    var stops: Int { state.withLock { $0.stops } }
    var isRunning: Bool { state.withLock { $0.starts > $0.stops } }

    var producer: SignalProducer<Int, Failed> {
        SignalProducer { observer, lifetime in
            self.state.withLock { state in
                state.starts += 1
                state.observers.append(observer)
            }
            lifetime.observeEnded { self.state.withLock { $0.stops += 1 } }
        }
    }

    /// The observer of a run, by default the last.
    func observer(_ run: Int? = nil) -> Observer<Int, Failed>? {
        state.withLock { state in
            let index = run.map { $0 - 1 } ?? state.observers.count - 1
            return state.observers.indices.contains(index) ? state.observers[index] : nil
        }
    }

    /// Gives up the observers, which hold the signal.
    func forget() { state.withLock { $0.observers = [] } }

    func send(_ value: Int) { observer()?.send(value: value) }
}

typealias Failed = TestUpstream.Failed
typealias SharedNumbers = SharedSignal<Int, TestUpstream.Failed>
typealias NumberRecorder = EventRecorder<Int, TestUpstream.Failed>
