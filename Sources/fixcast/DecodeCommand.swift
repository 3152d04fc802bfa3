internal import FixcastService
private import Glibc
internal import Location

/// `fixcast decode`: a file's fixes as NDJSON on standard output, the parse report on standard
/// error.
struct DecodeCommand {
    let arguments: [String]

    func run() throws(CommandFailure) -> ExitStatus {
        let flags = try FileArguments(arguments, known: ["--strict"], command: "decode")
        guard flags.files.count == 1 else {
            throw .usage("decode takes one FILE, not \(flags.files.count); see fixcast help decode")
        }
        // A reader that leaves early, such as head, is an answer to write(2).
        signal(SIGPIPE, SIG_IGN)
        let track = try flags.track(0)
        do {
            var decoding = try TrackDecoding(track)
            while let block = try decoding.nextBlock() {
                try StandardOutput.write(block)
            }
            return try finish(decoding.report, isStrict: flags.contains("--strict"))
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw .failure("\(error)")
        }
    }

    private func finish(
        _ report: TrackReport,
        isStrict: Bool
    ) throws(CommandFailure) -> ExitStatus {
        try? FileWriter.standardError.write(Array((report.text + "\n").utf8))
        guard report.fixes > 0 else { throw .failure(TrackError(emptiness: report).description) }
        return isStrict && !report.diagnostics.isEmpty ? .failure : .success
    }
}
