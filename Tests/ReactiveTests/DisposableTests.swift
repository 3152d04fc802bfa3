import Dispatch
import Reactive
import Synchronization
import TestSupport
import Testing

/// Counts calls from any thread.
final class Calls: Sendable {
    private let number = Atomic(0)
    var count: Int { number.load(ordering: .acquiring) }
    func note() { number.add(1, ordering: .relaxed) }
}

@Suite struct DisposableTests {
    @Test func `a simple disposable is nothing but its flag`() {
        let disposable = SimpleDisposable()
        #expect(!disposable.isDisposed)
        disposable.dispose()
        disposable.dispose()
        #expect(disposable.isDisposed)
    }

    @Test func `a disposable is disposed from the moment its disposal begins`() {
        let composite = CompositeDisposable()
        let serial = SerialDisposable()
        let seen = Locked<[Bool]>([])
        let action = ActionDisposable {
            seen.withLock { $0 += [composite.isDisposed, serial.isDisposed] }
        }
        serial.inner = action
        composite += serial
        composite += { seen.withLock { $0.append(composite.isDisposed) } }
        composite.dispose()
        #expect(seen.withLock { $0 } == [true, true, true])
        #expect(action.isDisposed)
    }

    @Test func `an action runs exactly once, whoever disposes and how often`() {
        for _ in 0..<200 {
            let calls = Calls()
            let disposable = ActionDisposable { calls.note() }
            DispatchQueue.concurrentPerform(iterations: 4) { _ in disposable.dispose() }
            disposable.dispose()
            #expect(calls.count == 1)
        }
    }

    @Test func `an action that disposes its own disposable does not run again`() {
        let calls = Calls()
        let serial = SerialDisposable()
        let disposable = ActionDisposable {
            calls.note()
            serial.inner?.dispose()
        }
        serial.inner = disposable
        disposable.dispose()
        #expect(calls.count == 1)
    }

    @Test func `an action's captures are released after it has run`() {
        let live = LiveCount()
        let member = Locked<LiveCount.Member?>(live.member())
        let disposable = ActionDisposable { [held = member.withLock { $0.take() }] in
            held?.hold()
        }
        #expect(live.alive == 1)
        disposable.dispose()
        #expect(live.alive == 0)
    }

    @Test func `an empty composite is not disposed`() {
        let composite = CompositeDisposable()
        #expect(!composite.isDisposed)
        let member = SimpleDisposable()
        composite += member
        #expect(!member.isDisposed)
    }

    @Test func `a composite disposes its members in reverse order of their addition`() {
        let order = Locked<[Int]>([])
        let composite = CompositeDisposable()
        for number in 1...5 { composite += { order.withLock { $0.append(number) } } }
        composite.dispose()
        #expect(order.withLock { $0 } == [5, 4, 3, 2, 1])
    }

    @Test func `adding to a disposed composite disposes the argument before it returns`() {
        let composite = CompositeDisposable()
        composite.dispose()
        let member = SimpleDisposable()
        #expect(composite.add(member) == nil)
        #expect(member.isDisposed)
    }

    @Test func `a member added while its composite is being disposed is disposed`() {
        for _ in 0..<2000 {
            let composite = CompositeDisposable()
            let members = (0..<8).map { _ in SimpleDisposable() }
            DispatchQueue.concurrentPerform(iterations: 2) { side in
                if side == 0 {
                    composite.dispose()
                } else {
                    for member in members { composite += member }
                }
            }
            let kept = members.count { !$0.isDisposed }
            #expect(kept == 0)
        }
    }

    @Test func `a member added by another's disposal is disposed`() {
        let composite = CompositeDisposable()
        let late = SimpleDisposable()
        composite += { composite += late }
        composite.dispose()
        #expect(late.isDisposed)
    }

    @Test func `a handle detaches its member without disposing it`() {
        let composite = CompositeDisposable()
        let member = SimpleDisposable()
        let handle = composite.add(member)
        handle?.remove()
        composite.dispose()
        #expect(!member.isDisposed)
    }

    @Test func `a handle can dispose its member as it detaches it`() {
        let composite = CompositeDisposable()
        let member = SimpleDisposable()
        let handle = composite.add(member)
        handle?.dispose()
        #expect(member.isDisposed)
        #expect(!composite.isDisposed)
    }

    @Test func `a handle does nothing after its member has left`() {
        let composite = CompositeDisposable()
        let first = composite.add(SimpleDisposable())
        first?.remove()
        let second = SimpleDisposable()
        composite += second
        first?.remove()
        first?.dispose()
        #expect(!second.isDisposed)
        composite.dispose()
        #expect(second.isDisposed)
        first?.remove()
    }

    @Test func `a composite does not keep what is disposed already or what its handle has taken`() {
        let live = LiveCount()
        let composite = CompositeDisposable()
        for _ in 0..<100 {
            let held = live.member()
            composite.add { held.hold() }?.remove()
        }
        #expect(live.alive == 0)
        let disposed = SimpleDisposable()
        disposed.dispose()
        #expect(composite.add(disposed) == nil)
        #expect(composite.add(nil) == nil)
    }

    @Test func `a scoped disposable disposes its inner one when it is released`() {
        let inner = SimpleDisposable()
        do {
            let scoped = ScopedDisposable(inner)
            withExtendedLifetime(scoped) { #expect(!scoped.isDisposed) }
        }
        #expect(inner.isDisposed)
        let other = ScopedDisposable(SimpleDisposable())
        other.dispose()
        #expect(other.isDisposed)
        #expect(other.inner.isDisposed)
    }

    @Test func `setting a serial disposable's content disposes the previous one`() {
        let first = SimpleDisposable()
        let second = SimpleDisposable()
        let serial = SerialDisposable(first)
        serial.inner = first
        #expect(!first.isDisposed)
        serial.inner = second
        #expect(first.isDisposed)
        #expect(!second.isDisposed)
        serial.dispose()
        #expect(second.isDisposed)
    }

    @Test func `a serial disposable can hand its content back undisposed`() {
        let first = SimpleDisposable()
        let serial = SerialDisposable(first)
        #expect(serial.replaceInner(nil) === first)
        serial.dispose()
        #expect(!first.isDisposed)
    }

    @Test func `a content set on a disposed serial disposable is disposed at once and not kept`() {
        let serial = SerialDisposable()
        serial.dispose()
        let late = SimpleDisposable()
        serial.inner = late
        #expect(late.isDisposed)
        #expect(serial.inner == nil)
        let later = SimpleDisposable()
        #expect(serial.replaceInner(later) == nil)
        #expect(later.isDisposed)
    }

    @Test func `a content set while its serial disposable is being disposed is disposed`() {
        for _ in 0..<2000 {
            let serial = SerialDisposable(SimpleDisposable())
            let contents = (0..<4).map { _ in SimpleDisposable() }
            DispatchQueue.concurrentPerform(iterations: 2) { side in
                if side == 0 {
                    serial.dispose()
                } else {
                    for content in contents { serial.inner = content }
                }
            }
            let kept = contents.count { !$0.isDisposed }
            #expect(kept == 0)
        }
    }

    @Test func `a lifetime that has ended runs what is added to it at once`() {
        let composite = CompositeDisposable()
        let lifetime = Lifetime(composite)
        let calls = Calls()
        lifetime.observeEnded { calls.note() }
        let withdrawn = lifetime.observeEnded { calls.note() }
        withdrawn?.dispose()
        #expect(!lifetime.hasEnded)
        composite.dispose()
        #expect(lifetime.hasEnded)
        #expect(calls.count == 1)
        #expect(lifetime.observeEnded { calls.note() } == nil)
        #expect(calls.count == 2)
        let late = SimpleDisposable()
        lifetime += late
        #expect(late.isDisposed)
    }
}
