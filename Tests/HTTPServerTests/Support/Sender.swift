import Dispatch
import HTTPServer
import Synchronization

/// A thread that sends to a stream until it is stopped.
final class Sender: Sendable {
    private let isStopped = Atomic(false)
    private let finished = DispatchGroup()

    init(_ stream: EventStream?) {
        DispatchQueue.global().async(group: finished) { [self] in
            var number = 0
            while !isStopped.load(ordering: .relaxed) {
                stream?.send(StreamItem(bytes: SharedBytes("\(number)\n"), key: number % 3))
                number += 1
            }
        }
    }

    /// Stops and waits for the thread.
    func stop() {
        isStopped.store(true, ordering: .relaxed)
        finished.wait()
    }
}
