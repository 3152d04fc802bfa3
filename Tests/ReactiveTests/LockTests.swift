import TestSupport
import Testing

@testable import Reactive

/// A scheduler that checks, at each call, that nobody holds the lock of what it is watching.
private final class WatchingScheduler: Scheduler {
    private let base = TestScheduler()
    private let check: @Sendable () -> Void

    init(_ check: @escaping @Sendable () -> Void) {
        self.check = check
    }

    var now: Duration {
        check()
        return base.now
    }

    func schedule(
        at deadline: Duration,
        _ action: @escaping @Sendable () -> Void
    ) -> any Disposable {
        check()
        let inner = base.schedule(at: deadline, action)
        return ActionDisposable { [check] in
            check()
            inner.dispose()
        }
    }

    func advance(by duration: Duration) { base.advance(by: duration) }
}

/// An error whose description is foreign code too.
private struct Described: Error, CustomStringConvertible {
    let check: @Sendable () -> Void
    var description: String {
        check()
        return "described"
    }
}

@Suite struct LockTests {
    @Test func `no foreign code runs while a lock is held`() {
        typealias Shared = SharedSignal<LiveCount.Member, Described>
        let watched = Locked<Shared?>(nil)
        let calls = Calls()
        let violations = Calls()
        let echoes = Calls()
        let check: @Sendable () -> Void = {
            guard let signal = watched.withLock({ $0 }) else { return }
            calls.note()
            if !signal.core.isUnlocked || !signal.core.news.isUnlocked { violations.note() }
        }
        let live = LiveCount()
        let feed = Locked<Observer<LiveCount.Member, Described>?>(nil)
        let scheduler = WatchingScheduler(check)
        let signal = Shared(
            SignalProducer { observer, lifetime in
                check()
                feed.withLock { $0 = observer }
                lifetime.observeEnded(check)
            },
            configuration: .init(
                linger: .seconds(5),
                replayCount: 2,
                replayKey: { _ in
                    check()
                    return 0
                },
                replayMaximumAge: .seconds(60),
                replayAtStop: .expire(after: .seconds(20)),
                onFailure: { _ in check() },
                lagLimit: 2
            ),
            scheduler: scheduler
        )
        watched.withLock { $0 = signal }
        // Values and closures that check when they are released.
        @Sendable func send() { feed.withLock { $0 }?.send(value: live.member(onRelease: check)) }
        func observe() -> Observation {
            let held = live.member(onRelease: check)
            return signal.observe { _ in
                held.hold()
                check()
            }
        }
        signal.observeState(sendsCurrent: true) { _ in check() }
        signal.observeWithoutCounting { _ in check() }
        for _ in 0..<3 {
            let first = observe()
            for _ in 0..<5 { send() }
            let second = observe()
            signal.observe { event in
                check()
                if case .value = event, echoes.count < 9 {
                    echoes.note()
                    send()
                }
            }.dispose()
            first.dispose()
            feed.withLock { $0 }?.send(error: Described(check: check))
            scheduler.advance(by: .seconds(60))
            send()
            second.disposeAndWait()
            scheduler.advance(by: .seconds(5))
            scheduler.advance(by: .seconds(20))
            signal.warmUp(for: .seconds(1))
            send()
            signal.resetReplay()
            let third = observe()
            send()
            feed.withLock { $0 }?.sendCompleted()
            third.dispose()
        }
        let last = observe()
        signal.drain()
        last.dispose()
        #expect(violations.count == 0)
        #expect(calls.count > 200)
        watched.withLock { $0 = nil }
        feed.withLock { $0 = nil }
    }

    @Test func `the hook sees a lock that is held`() {
        let signal = SharedSignal<Int, Never>(.never, scheduler: TestScheduler())
        let seen = signal.core.state.withLock { _ in signal.core.isUnlocked }
        #expect(!seen)
        #expect(signal.core.isUnlocked)
    }
}
