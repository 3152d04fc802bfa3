internal import FixcastService
internal import Location

/// `fixcast check`: what is in each file, and what cannot be used.
struct CheckCommand {
    let arguments: [String]

    func run() throws(CommandFailure) -> ExitStatus {
        let flags = try FileArguments(arguments, known: ["--json", "--strict"], command: "check")
        guard !flags.files.isEmpty else {
            throw .usage("check needs at least one FILE; see fixcast help check")
        }
        var status = ExitStatus.success
        for index in flags.files.indices {
            let report: TrackReport
            do throws(CommandFailure) {
                report = try Self.report(on: flags.track(index))
            } catch  where error.status == .failure {
                complain(error.message)
                status = .failure
                continue
            }
            let text = flags.contains("--json") ? report.json : report.text
            try StandardOutput.write(Array((text + "\n").utf8))
            if report.fixes == 0 {
                complain(TrackError(emptiness: report).description)
                status = .failure
            }
            if flags.contains("--strict"), !report.diagnostics.isEmpty { status = .failure }
        }
        return status
    }

    private static func report(on track: NamedTrack) throws(CommandFailure) -> TrackReport {
        do throws(TrackError) {
            let reader = try TrackReader(path: track.path, options: track.options)
            while try reader.next() != nil {}
            return reader.report
        } catch {
            throw .failure(error.description)
        }
    }

    private func complain(_ message: String) {
        try? FileWriter.standardError.write(Array("fixcast: \(message)\n".utf8))
    }
}
