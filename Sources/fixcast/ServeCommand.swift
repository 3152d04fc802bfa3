private import Dispatch
internal import FixcastService
private import Glibc

/// `fixcast serve`: runs the service until a signal ends it.
struct ServeCommand {
    let arguments: [String]
    let environment: Environment

    func run() throws(CommandFailure) -> ExitStatus {
        // From here on, because to the first process of a container a signal that nobody handles is
        // none at all.
        let signals = TerminationSignals()
        let settings = try ServeArguments.parse(arguments, environment: environment)
        // A client or a log reader that leaves is an answer to write(2), never the end of the
        // process.
        signal(SIGPIPE, SIG_IGN)
        let lines = LineWriter(to: .standardError)
        let log = Log(format: settings.logFormat, minimum: settings.logLevel) {
            lines.write($0)
        }
        let ended = DispatchSemaphore(value: 0)
        let service: Service
        do throws(StartFailure) {
            // Large files take their time, and nothing runs yet that would have to end in order.
            signals.handle {
                lines.flush()
                _exit(ExitStatus.success.rawValue)
            }
            let sources = try SourceSet(opening: settings.sources) { log.write(.warning, $0) }
            service = try Service(
                configuration: settings.configuration,
                sources: sources,
                log: log
            )
        } catch {
            lines.flush()
            throw error.isUsage ? .usage(error.message) : .failure(error.message)
        }
        // Whatever the log's format and level, whoever starts the service waits for this.
        for address in service.addresses {
            lines.write(Array("listening on \(address)\n".utf8))
        }
        signals.handle {
            service.shutDown { ended.signal() }
        }
        ended.wait()
        lines.flush()
        return .success
    }
}
