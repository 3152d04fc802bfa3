import Synchronization
import TestSupport
import Testing

@testable import FixcastService

@Suite struct OrderedStepTests {
    /// Numbers in the order in which they were recorded.
    private final class Recorder: Sendable {
        private let numbers = Mutex<[Int]>([])

        func record(_ number: Int) { numbers.withLock { $0.append(number) } }
        var all: [Int] { numbers.withLock { $0 } }
    }

    @Test func `an action runs before its hand-over returns when nothing else runs`() {
        let recorder = Recorder()
        let step = OrderedStep(relief: TestScheduler())
        step.perform { recorder.record(1) }
        #expect(recorder.all == [1])
    }

    @Test func `an action that hands over another has it run after itself`() {
        let recorder = Recorder()
        let step = OrderedStep(relief: TestScheduler())
        step.perform {
            step.perform { recorder.record(2) }
            recorder.record(1)
        }
        #expect(recorder.all == [1, 2])
    }

    @Test func `a thread that finds another running leaves its action to it`() {
        let recorder = Recorder()
        let step = OrderedStep(relief: TestScheduler())
        let gate = Gate()
        let other = onThread {
            step.perform {
                gate.pass()
                recorder.record(1)
            }
        }
        #expect(gate.waitForArrival())
        step.perform { recorder.record(2) }
        #expect(recorder.all == [])
        gate.open()
        #expect(other.wait())
        #expect(recorder.all == [1, 2])
    }

    @Test func `a thread passes on what is left after a batch`() {
        let recorder = Recorder()
        let relief = TestScheduler()
        let step = OrderedStep(relief: relief)
        let total = OrderedStep.batch + 10
        step.perform {
            // Each action hands over the next, so that every batch is one action long.
            @Sendable func next(_ number: Int) {
                recorder.record(number)
                if number < total { step.perform { next(number + 1) } }
            }
            next(1)
        }
        #expect(recorder.all.count == OrderedStep.batch)
        relief.advance()
        #expect(recorder.all == Array(1...total))
    }

    @Test func `a thread that finds a full backlog waits until a batch has ended`() {
        let recorder = Recorder()
        let step = OrderedStep(relief: TestScheduler())
        let gate = Gate()
        let running = onThread { step.perform { gate.pass() } }
        #expect(gate.waitForArrival())
        for number in 0..<OrderedStep.backlogLimit { step.perform { recorder.record(number) } }
        let isThrough = Atomic<Bool>(false)
        let blocked = onThread {
            step.perform { recorder.record(OrderedStep.backlogLimit) }
            isThrough.store(true, ordering: .releasing)
        }
        #expect(eventually { step.blockedCount == 1 })
        let wasThrough = isThrough.load(ordering: .acquiring)
        #expect(!wasThrough)
        gate.open()
        #expect(running.wait())
        #expect(blocked.wait())
        #expect(recorder.all == Array(0...OrderedStep.backlogLimit))
    }

    @Test func `the thread that runs never waits for itself`() {
        let recorder = Recorder()
        let relief = TestScheduler()
        let step = OrderedStep(relief: relief)
        let total = OrderedStep.backlogLimit + 100
        step.perform {
            for number in 0..<total { step.perform { recorder.record(number) } }
        }
        relief.advance()
        #expect(recorder.all == Array(0..<total))
    }

    @Test func `actions of many threads run one at a time and each thread's in its order`() {
        let recorder = Recorder()
        let relief = TestScheduler()
        let step = OrderedStep(relief: relief)
        let isBusy = Atomic<Bool>(false)
        let overlaps = Atomic<Int>(0)
        let threads = (0..<4).map { thread in
            onThread {
                for number in 0..<500 {
                    step.perform {
                        if isBusy.exchange(true, ordering: .acquiringAndReleasing) {
                            overlaps.add(1, ordering: .relaxed)
                        }
                        recorder.record(thread * 1000 + number)
                        isBusy.store(false, ordering: .releasing)
                    }
                }
            }
        }
        for thread in threads { #expect(thread.wait()) }
        relief.advance()
        let overlapCount = overlaps.load(ordering: .relaxed)
        #expect(overlapCount == 0)
        #expect(recorder.all.count == 2000)
        for thread in 0..<4 {
            let own = recorder.all.filter { $0 / 1000 == thread }
            #expect(own == own.sorted())
        }
    }
}
