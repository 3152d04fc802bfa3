internal import FixcastService

/// Standard output, whose reader may leave at any time.
enum StandardOutput {
    /// Writes bytes; a reader that has gone ends the command quietly, as `head` expects.
    static func write(_ bytes: [UInt8]) throws(CommandFailure) {
        do throws(FileWriter.Failure) {
            try FileWriter.standardOutput.write(bytes)
        } catch {
            switch error {
            case .readerGone: throw .failure("")
            case .other(let reason): throw .failure("cannot write to standard output: \(reason)")
            }
        }
    }
}
