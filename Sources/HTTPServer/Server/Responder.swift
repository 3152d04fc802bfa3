public import Reactive
import Synchronization

/// The right to answer one request, once, from any thread, at any time.
///
/// Until it is used the connection waits without a thread. If the last reference goes unused, the
/// client is answered 500.
public final class Responder: Sendable {
    private let isUsed = Atomic(false)
    private let answer: @Sendable (Response) -> Void
    private let cancellation: @Sendable (any Disposable) -> Void

    init(
        answer: @escaping @Sendable (Response) -> Void,
        cancellation: @escaping @Sendable (any Disposable) -> Void
    ) {
        self.answer = answer
        self.cancellation = cancellation
    }

    deinit {
        let problem = Problem(status: 500, detail: "The request was left without an answer.")
        callAsFunction(problem.response())
    }

    /// Answers the request; what comes after the first answer is ignored.
    public func callAsFunction(_ response: Response) {
        guard !isUsed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        answer(response)
    }

    /// Answers with a problem.
    public func callAsFunction(_ problem: Problem) {
        callAsFunction(problem.response())
    }

    /// Has `disposable` disposed when the client breaks the connection before the answer, and also
    /// once the answer has been given.
    ///
    /// A half-close does not count.
    public func onCancel(_ disposable: any Disposable) {
        cancellation(disposable)
    }

    /// A responder that passes each answer through `transform` first; it takes this one's place.
    public func mapping(
        _ transform: @escaping @Sendable (Response) -> Response
    ) -> Responder {
        Responder(answer: { self(transform($0)) }, cancellation: cancellation)
    }
}
