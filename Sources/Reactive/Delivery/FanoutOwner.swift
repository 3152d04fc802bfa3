public import Dispatch

/// A signal: it owns a ``Fanout`` behind its lock and lends threads to it.
///
/// Everything here runs outside of the lock, which is taken for each step by `withFanout`.
@usableFromInline
protocol FanoutOwner<Value, Failure>: AnyObject, Sendable {
    associatedtype Value: Sendable
    associatedtype Failure: Error

    /// Runs `body` under the lock. `body` calls nothing foreign and releases nothing foreign.
    func withFanout<Result: ~Copyable>(
        _ body: (inout Fanout<Value, Failure>) -> sending Result
    ) -> sending Result

    /// Takes an observation out of the members, with all that follows.
    func remove(_ observation: Observation)

    /// Notes that a slow observer lost events to the limit.
    func didLose(_ count: Int)
}

extension FanoutOwner {
    @usableFromInline
    typealias Member = Fanout<Value, Failure>.Member
    @usableFromInline
    typealias Pass = Fanout<Value, Failure>.Pass

    /// Makes a pass, and all that have become due meanwhile.
    @inlinable
    @inline(__always)
    func deliver(_ first: consuming Pass?, thread: UInt) {
        guard let pass = consume first else { return }
        if pass.isDirect {
            pass.audience.callFirst(pass.event)
            let exit = pass.audience.leaveFirst(thread)
            if exit != .left { leaveDirect(pass.audience.first, exit, thread: thread) }
        } else {
            visit(pass, thread: thread)
            finishPass(thread: thread)
        }
    }

    @inlinable
    @inline(__always)
    func finishPass(thread: UInt) {
        var remains = Fanout<Value, Failure>.Remains()
        let next = withFanout { $0.nextPass(thread: thread, remains: &remains) }
        if let next { deliverMore(next, thread: thread) }
    }

    @inlinable
    @inline(never)
    func deliverMore(_ first: consuming Pass, thread: UInt) {
        var next = Optional(first)
        while let pass = next.take() {
            visit(pass, thread: thread)
            var remains = Fanout<Value, Failure>.Remains()
            next = withFanout { $0.nextPass(thread: thread, remains: &remains) }
        }
    }

    @inlinable
    @inline(never)
    func leaveDirect(_ member: Member, _ exit: Observation.Exit, thread: UInt) {
        leaveSlowly(member, exit, thread: thread)
        var remains = Fanout<Value, Failure>.Remains()
        let next = withFanout { $0.endDirect(thread: thread, remains: &remains) }
        if let next { deliverMore(next, thread: thread) }
    }

    @inlinable
    @inline(__always)
    func visit(_ pass: borrowing Pass, thread: UInt) {
        for index in 0..<pass.audience.count {
            deliver(pass, to: pass.audience.members[index], thread: thread)
        }
        for chunk in pass.audience.others {
            for index in 0..<chunk.count {
                deliver(pass, to: chunk.members[index], thread: thread)
            }
        }
    }

    /// Ends what a new member's own thread has delivered to it, and what has become due meanwhile.
    @inlinable
    func finishJoin(_ member: Member, thread: UInt) {
        leave(member, thread: thread)
        var remains = Fanout<Value, Failure>.Remains()
        let pass = withFanout { $0.endJoin(thread: thread, remains: &remains) }
        deliver(pass, thread: thread)
    }

    @inlinable
    @inline(__always)
    func deliver(_ pass: borrowing Pass, to member: borrowing Member, thread: UInt) {
        guard member.observation.enter(thread) else { return }
        let position = member.observation.position
        if position == pass.sequence {
            member.observation.position = position + 1
            member.action(pass.event)
            if pass.event.isTerminating {
                finish(member.observation, member.observation.close())
                return
            }
        } else if position < pass.sequence {
            catchUp(member)
        }
        leave(member, thread: thread)
    }

    /// Leaves a member, after having delivered what others have left for it.
    @inlinable
    @inline(__always)
    func leave(_ member: borrowing Member, thread: UInt) {
        let exit = member.observation.leave(thread)
        if exit != .left { leaveSlowly(copy member, exit, thread: thread) }
    }

    @inlinable
    @inline(never)
    func leaveSlowly(_ member: Member, _ first: Observation.Exit, thread: UInt) {
        var exit = first
        while exit == .more {
            catchUp(member)
            exit = member.observation.leave(thread)
        }
        finish(member.observation, exit)
    }

    @inlinable
    @inline(never)
    func catchUp(_ member: Member) {
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
    @inlinable
    func finish(_ observation: Observation, _ exit: Observation.Exit) {
        guard exit == .awaited else { return }
        let waiters = withFanout { $0.takeWaiters(for: observation) }
        for waiter in waiters { waiter.wakeUp.signal() }
    }

    /// Does what an observation asks for.
    @inlinable
    func answer(_ observation: Observation, _ request: ObservationRequest) {
        switch request {
        case .remove:
            remove(observation)
        case .addWaiter(let wakeUp):
            withFanout { $0.waiters.append(.init(observation: observation, wakeUp: wakeUp)) }
        case .removeWaiter(let wakeUp):
            withFanout { $0.waiters.removeAll { $0.wakeUp === wakeUp } }
        }
    }
}
