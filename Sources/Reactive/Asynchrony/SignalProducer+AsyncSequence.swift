extension SignalProducer {
    /// Creates a producer whose every start iterates `sequence` in a task of its own.
    ///
    /// Ending the work cancels the task.
    @inlinable
    public init<Sequence: AsyncSequence & Sendable>(
        _ sequence: Sequence
    ) where Sequence.Element == Value, Sequence.Failure == Failure {
        self.init { observer, lifetime in
            let task = Task {
                do throws(Failure) {
                    for try await value in sequence { observer.send(value: value) }
                    observer.sendCompleted()
                } catch {
                    observer.send(error: error)
                }
            }
            lifetime.observeEnded { task.cancel() }
        }
    }
}
