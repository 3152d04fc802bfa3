import Reactive
import Synchronization

/// The streams that have something to send, collected for one thread that sends it.
///
/// However many streams an event goes to, the thread is woken once for all that come before it gets
/// to work.
final class StreamFlusher: Sendable {
    let counters = CounterCells()
    private let scheduler: any Scheduler
    private let waiting = Mutex<[EventStream]>([])
    private let daemon = Mutex<Daemon?>(nil)

    init(scheduler: any Scheduler) {
        self.scheduler = scheduler
    }

    /// The time on the server's clock.
    var now: Duration { scheduler.now }

    /// Says whose gate flushes; nil, which waits for a wake-up on its way: nobody any more.
    func setDaemon(_ daemon: Daemon?) {
        self.daemon.withLock { $0 = daemon }
    }

    /// Adds a stream, which then waits until it has been flushed.
    func add(_ stream: EventStream) {
        let isFirst = waiting.withLock { waiting in
            waiting.append(stream)
            return waiting.count == 1
        }
        guard isFirst else { return }
        // Under the lock, so that the daemon is not freed meanwhile; waking does not call back.
        daemon.withLock { $0?.wake() }
    }

    /// Flushes all that wait.
    ///
    /// Returns the earliest time at which a client that does not read is to be looked at.
    func flush() -> Duration? {
        let streams = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        guard !streams.isEmpty else { return nil }
        let now = now
        var earliest: Duration?
        var progress = StreamProgress()
        for stream in streams {
            guard let time = stream.flush(now: now, progress: &progress) else { continue }
            earliest = min(earliest ?? time, time)
        }
        counters.count(progress)
        return earliest
    }
}
