private import Dispatch
private import Glibc

/// SIGTERM and SIGINT, held back from the moment this is made until somebody handles them.
struct TerminationSignals {
    private let queue = DispatchQueue(label: "fixcast.signals", attributes: .initiallyInactive)
    private let watchers: [any DispatchSourceSignal]

    /// Stops the two signals from ending the process.
    init() {
        let queue = queue
        watchers = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number, queue: queue)
        }
    }

    /// Calls `action` for every signal, also for one that has come before this call.
    func handle(_ action: @escaping @Sendable () -> Void) {
        for watcher in watchers {
            watcher.setEventHandler(handler: action)
            watcher.activate()
        }
        queue.activate()
    }
}
