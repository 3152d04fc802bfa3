private import Dispatch
private import Glibc
private import Synchronization

/// SIGTERM and SIGINT, kept from the moment this is made until somebody handles them.
struct TerminationSignals {
    private let inbox = Inbox()
    private let watchers: [any DispatchSourceSignal]

    /// Stops the two signals from ending the process; returns once each of them is noticed.
    init() {
        let queue = DispatchQueue(label: "fixcast.signals")
        let registered = DispatchSemaphore(value: 0)
        watchers = [SIGTERM, SIGINT].map { [inbox] number in
            signal(number, SIG_IGN)
            let watcher = DispatchSource.makeSignalSource(signal: number, queue: queue)
            // Holding itself does no harm to what lives as long as the process.
            watcher.setEventHandler { [watcher] in
                // Several may have come since the last call.
                for _ in 0..<max(1, watcher.data) { inbox.receive() }
            }
            watcher.setRegistrationHandler { registered.signal() }
            watcher.activate()
            return watcher
        }
        // An ignored signal that comes before its watcher is registered would be lost.
        for _ in watchers { registered.wait() }
    }

    /// Calls `action` for every signal from now on, in place of an earlier one, and for those that
    /// came before the first call.
    func handle(_ action: @escaping @Sendable () -> Void) {
        inbox.open(action)
    }
}

/// Signals on their way to an action that may not be there yet.
private final class Inbox: Sendable {
    private struct State {
        var action: (@Sendable () -> Void)?
        var waiting = 0

        mutating func receive() -> (@Sendable () -> Void)? {
            if action == nil { waiting += 1 }
            return action
        }

        mutating func open(_ action: @escaping @Sendable () -> Void) -> Int {
            self.action = action
            defer { waiting = 0 }
            return waiting
        }
    }

    private let state = Mutex(State())

    func receive() {
        state.withLock { $0.receive() }?()
    }

    func open(_ action: @escaping @Sendable () -> Void) {
        let waiting = state.withLock { $0.open(action) }
        for _ in 0..<waiting { action() }
    }
}
