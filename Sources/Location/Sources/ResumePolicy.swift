/// Where a run begins when its source has run before.
enum ResumePolicy: String, Sendable, CaseIterable {
    /// At the beginning.
    case restart
    /// Where the run before it stopped.
    case pause
    /// Where it would be if the first run had never stopped.
    case wallclock
}
