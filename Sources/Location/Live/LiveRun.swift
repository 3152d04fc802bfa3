import Dispatch
import Reactive
import Synchronization

/// One run of a live feed: a thread that waits for data, and can be woken to end.
///
/// ## Thread safety
/// The work happens on a queue of the run's own; disposing, from any thread, only sets a flag and
/// wakes it, and the work then lets go of its files.
final class LiveRun: Sendable {
    private let isOver = Atomic<Bool>(false)
    private let observer: Observer<SourceEvent, SourceFailure>
    /// What the work waits on together with its files.
    let wakeUp: WakeUp

    private init(
        observer: Observer<SourceEvent, SourceFailure>
    ) throws(SystemCall.Failure) {
        self.observer = observer
        wakeUp = try WakeUp()
    }

    /// Whether the work is to end.
    var isDisposed: Bool { isOver.load(ordering: .acquiring) }

    /// Ends the run without another event.
    func dispose() {
        isOver.store(true, ordering: .releasing)
        wakeUp.signal()
    }

    /// Sends an event unless the run is disposed.
    func send(_ event: SourceEvent) {
        if !isDisposed { observer.send(value: event) }
    }

    /// Why a wait has ended.
    enum Waiting {
        case ready
        case timeout
        case disposed
    }

    /// Waits until a descriptor can be read, the time is up or the run is disposed.
    func wait(
        for number: CInt,
        timeout: Duration? = nil
    ) throws(SourceFailure) -> Waiting {
        let reason: WakeUp.Reason
        do {
            reason = try wakeUp.wait(for: number, timeout: timeout)
        } catch {
            throw SourceFailure(message: "cannot wait for data: \(error.reason)")
        }
        guard !isDisposed else { return .disposed }
        return reason == .ready ? .ready : .timeout
    }

    /// A producer whose every start runs `work` on a queue called `label`; the run completes when
    /// the work returns, and fails when it throws.
    static func producer(
        label: String,
        _ work: @escaping @Sendable (LiveRun) throws(SourceFailure) -> Void
    ) -> SignalProducer<SourceEvent, SourceFailure> {
        SignalProducer { observer, lifetime in
            let queue = DispatchQueue(label: label)
            let run: LiveRun
            do throws(SystemCall.Failure) {
                run = try LiveRun(observer: observer)
            } catch {
                let failure = SourceFailure(message: "cannot start: \(error.reason)")
                return queue.async { observer.send(error: failure) }
            }
            lifetime += ActionDisposable { run.dispose() }
            queue.async {
                do throws(SourceFailure) {
                    try work(run)
                    if !run.isDisposed { observer.sendCompleted() }
                } catch {
                    if !run.isDisposed { observer.send(error: error) }
                }
            }
        }
    }
}
