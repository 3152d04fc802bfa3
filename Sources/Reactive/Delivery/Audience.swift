extension Fanout {
    /// The members of a signal at one time, in order, immutable.
    ///
    /// They lie inline in objects whose fields never change, from which the compiler borrows: to
    /// visit a member takes no reference count, which out of an array it would take four times.
    @usableFromInline
    final class Audience: Sendable {
        /// How many members lie in one object.
        @inlinable
        static var chunkSize: Int { 8 }

        @usableFromInline
        let count: Int
        /// The first `count` are in use, the others repeat the first.
        @usableFromInline
        let members: InlineArray<8, Member>
        /// The first member again, for the case that it is the only one.
        @usableFromInline
        let first: Member
        /// The objects with the members beyond the first ones.
        @usableFromInline
        let others: [Audience]

        /// Creates an audience of at least one member.
        @inlinable
        convenience init?(_ members: [Member]) {
            guard !members.isEmpty else { return nil }
            var others: [Audience] = []
            others.reserveCapacity(members.count / Self.chunkSize)
            for start in stride(from: Self.chunkSize, to: members.count, by: Self.chunkSize) {
                others.append(Audience(members, from: start, others: []))
            }
            self.init(members, from: 0, others: others)
        }

        @inlinable
        init(_ members: [Member], from start: Int, others: [Audience]) {
            count = min(Self.chunkSize, members.count - start)
            self.members = InlineArray { offset in
                members[start + offset < members.count ? start + offset : start]
            }
            first = members[start]
            self.others = others
        }

        /// Tries to get inside the first member.
        @inlinable
        @inline(__always)
        func enterFirst(_ thread: UInt) -> Bool { first.observation.tryEnter(thread) }

        /// Calls the first member.
        @inlinable
        @inline(__always)
        func callFirst(_ event: Event<Value, Failure>) { first.action(event) }

        /// Leaves the first member.
        @inlinable
        @inline(__always)
        func leaveFirst(_ thread: UInt) -> Observation.Exit { first.observation.leave(thread) }

        /// Says how far the first member, which the thread is inside, has come.
        @inlinable
        @inline(__always)
        func setFirstPosition(_ position: Int) {
            first.observation.position = position
        }

        @inlinable
        @inline(__always)
        var firstIdentity: ObjectIdentifier { ObjectIdentifier(first.observation) }
    }
}
