extension SharedCore {
    @usableFromInline
    struct State {
        @usableFromInline
        var machine: SharedSignalMachine
        @usableFromInline
        var replay: ReplayBuffer<Value>
        @usableFromInline
        var fanout: Fanout<Value, Failure>
        @usableFromInline
        var run: Run?
        @usableFromInline
        var replays = 0
        @usableFromInline
        var drops = 0
        @usableFromInline
        var alarmVersion = 0
        @usableFromInline
        var alarmDeadline: Duration?
        /// Changes that the observers of the state have not been told yet.
        @usableFromInline
        var news: [News] = []
        /// Whether there have been such observers.
        @usableFromInline
        var hasReaders = false
        /// Whether a thread is telling them.
        @usableFromInline
        var isTelling = false

        @inlinable
        init(_ configuration: SharedSignal<Value, Failure>.Configuration) {
            machine = SharedSignalMachine(
                linger: configuration.linger,
                backOff: configuration.backOff,
                retriesOnFailure: configuration.retriesOnFailure
            )
            replay = ReplayBuffer(
                capacity: configuration.replayCount,
                isKeyed: configuration.replayKey != nil,
                maximumAge: configuration.replayMaximumAge,
                atStop: configuration.replayAtStop
            )
            fanout = Fanout(lagLimit: configuration.lagLimit)
        }

        @inlinable
        var snapshot: SharedSignalSnapshot {
            SharedSignalSnapshot(
                state: machine.state,
                subscribers: machine.observers,
                runs: machine.generation,
                starts: machine.starts,
                replays: replays,
                lingers: machine.lingers,
                drops: drops,
                failure: machine.failure
            )
        }

        /// A new setting for the alarm, if it would ring too late as it is.
        @inlinable
        mutating func nextAlarm() -> (version: Int, deadline: Duration)? {
            guard let earliest = Duration.earlier(machine.nextDeadline, replay.expiry)
            else { return nil }
            if let alarmDeadline, alarmDeadline <= earliest { return nil }
            alarmDeadline = earliest
            alarmVersion += 1
            return (alarmVersion, earliest)
        }
    }

    /// A run's number and what its end disposes.
    @usableFromInline
    struct Run: Sendable {
        @usableFromInline
        let generation: Int
        @usableFromInline
        let resources = CompositeDisposable()

        @inlinable
        init(generation: Int) {
            self.generation = generation
        }
    }

    /// Something to be done after unlocking.
    @usableFromInline
    enum Work: Sendable {
        case start(Run)
        case stop(Run)
    }

    /// What a change of the state leaves to be done.
    @usableFromInline
    struct Effects: Sendable {
        @usableFromInline
        var work: Work?
        @usableFromInline
        var alarm: (version: Int, deadline: Duration)?
        @usableFromInline
        var hasNews = false
        /// Values that have been forgotten, to be released.
        @usableFromInline
        var forgotten: [ReplayBuffer<Value>.Entry] = []

        @inlinable
        init() {}
    }
}

/// A change of a shared signal's state, and how many there were before.
@usableFromInline
struct News: Sendable {
    @usableFromInline
    let revision: Int
    @usableFromInline
    let snapshot: SharedSignalSnapshot

    @usableFromInline
    init(revision: Int, snapshot: SharedSignalSnapshot) {
        self.revision = revision
        self.snapshot = snapshot
    }
}

extension Duration {
    /// The smaller one; nil is later than everything.
    @usableFromInline
    static func earlier(_ left: Duration?, _ right: Duration?) -> Duration? {
        guard let left else { return right }
        guard let right else { return left }
        return min(left, right)
    }
}
