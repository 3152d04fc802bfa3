import Reactive
import TestSupport
import Testing

@Suite struct TeardownTests {
    /// A chain in which every kind of disposable holds the next.
    private func chain(of length: Int, endingIn last: any Disposable) -> any Disposable {
        var next = last
        for index in 0..<length {
            let inner = next
            switch index % 4 {
            case 0: next = CompositeDisposable([inner])
            case 1: next = SerialDisposable(inner)
            case 2: next = ActionDisposable { inner.dispose() }
            default: next = ScopedDisposable(CompositeDisposable([inner]))
            }
        }
        return next
    }

    @Test func `the disposal of a chain of 100,000 disposables does not recurse`() {
        let calls = Calls()
        let end = chain(of: 100_000, endingIn: ActionDisposable { calls.note() })
        // A thread of the pool has a stack of half a megabyte.
        #expect(onThread { end.dispose() }.wait())
        #expect(calls.count == 1)
    }

    @Test func `the release of a chain of 100,000 disposables does not recurse`() {
        let live = LiveCount()
        let calls = Calls()
        let chain = Locked<(any Disposable)?>(nil)
        do {
            let held = live.member()
            var next: any Disposable = ActionDisposable {
                held.hold()
                calls.note()
            }
            for index in 0..<100_000 {
                let inner = next
                switch index % 3 {
                case 0: next = CompositeDisposable([inner])
                case 1: next = SerialDisposable(inner)
                default: next = ActionDisposable { inner.dispose() }
                }
            }
            chain.withLock { $0 = next }
        }
        #expect(live.alive == 1)
        #expect(
            onThread {
                let taken = chain.withLock { $0.take() }
                _ = taken
            }.wait()
        )
        #expect(live.alive == 0)
        #expect(calls.count == 0)
    }

    @Test func `a nested disposal has done its work when it returns`() {
        let order = Locked<[Int]>([])
        let inner = ActionDisposable { order.withLock { $0.append(1) } }
        let outer = ActionDisposable {
            inner.dispose()
            order.withLock { $0.append(2) }
        }
        CompositeDisposable([outer]).dispose()
        #expect(order.withLock { $0 } == [1, 2])
    }

    @Test func `a task started by a disposal can dispose on its own`() async {
        let calls = Calls()
        let ended = await withCheckedContinuation { continuation in
            let outer = ActionDisposable {
                Task {
                    ActionDisposable { calls.note() }.dispose()
                    continuation.resume(returning: true)
                }
            }
            outer.dispose()
        }
        #expect(ended)
        #expect(calls.count == 1)
    }
}
