import Dispatch

/// A signal: it owns a ``Fanout`` behind its lock and lends threads to it.
///
/// Everything here runs outside of the lock, which is taken for each step by `withFanout`.
protocol FanoutOwner<Value, Failure>: ObservationOwner {
    associatedtype Value: Sendable
    associatedtype Failure: Error

    /// Runs `body` under the lock. `body` calls nothing foreign and releases nothing foreign.
    func withFanout<Result>(_ body: (inout Fanout<Value, Failure>) -> sending Result) -> Result

    /// Notes that a slow observer lost events to the limit.
    func didLose(_ count: Int)
}

extension FanoutOwner {
    typealias Member = Fanout<Value, Failure>.Member
    typealias Pass = Fanout<Value, Failure>.Pass

    /// Makes a pass and all that have become due meanwhile.
    @inline(__always)
    func deliver(_ first: consuming Pass?, thread: UInt) {
        var next = first
        while let pass = next {
            for member in pass.posting.audience {
                deliver(pass, to: member, thread: thread)
            }
            var delivered = Fanout<Value, Failure>.Remains()
            next = withFanout { $0.nextPass(thread: thread, delivered: &delivered) }
        }
    }

    @inline(__always)
    private func deliver(_ pass: borrowing Pass, to member: Member, thread: UInt) {
        let observation = member.observation
        guard observation.enter(thread) else { return }
        let position = observation.position
        if position == pass.sequence {
            observation.position = position + 1
            member.action(pass.posting.event)
            if pass.posting.event.isTerminating {
                finish(observation, observation.close())
                return
            }
        } else if position < pass.sequence {
            catchUp(member)
        }
        leave(member, thread: thread)
    }

    /// Leaves a member, after having delivered what others have left for it.
    @inline(__always)
    func leave(_ member: Member, thread: UInt) {
        let exit = member.observation.leave(thread)
        if exit != .left { leaveSlowly(member, exit, thread: thread) }
    }

    @inline(never)
    private func leaveSlowly(_ member: Member, _ first: Observation.Exit, thread: UInt) {
        var exit = first
        while exit == .more {
            catchUp(member)
            exit = member.observation.leave(thread)
        }
        finish(member.observation, exit)
    }

    @inline(never)
    private func catchUp(_ member: Member) {
        let observation = member.observation
        let backlog = withFanout { $0.backlog(of: observation) }
        if backlog.lost > 0 { didLose(backlog.lost) }
        for (sequence, event) in backlog.events {
            guard !observation.isDisposed else { return }
            observation.position = sequence + 1
            member.action(event)
            if event.isTerminating {
                observation.markDisposed()
                return
            }
        }
        observation.position = max(observation.position, backlog.end)
    }

    /// Wakes those who wait for the thread to have left.
    private func finish(_ observation: Observation, _ exit: Observation.Exit) {
        guard exit == .awaited else { return }
        let waiters = withFanout { $0.takeWaiters(for: observation) }
        for waiter in waiters { waiter.signal() }
    }

    func addWaiter(_ wakeUp: DispatchSemaphore, for observation: Observation) {
        withFanout { $0.addWaiter(wakeUp, for: observation) }
    }

    func removeWaiter(_ wakeUp: DispatchSemaphore, for observation: Observation) {
        withFanout { $0.removeWaiter(wakeUp) }
    }
}
