internal import FixcastService

/// How the process ends.
enum ExitStatus: Int32 {
    /// It did what it was asked to.
    case success = 0
    /// It could not.
    case failure = 1
    /// It was not asked properly.
    case usage = 2
}

/// Why a command ended without success, in one sentence for the user.
struct CommandFailure: Error {
    let status: ExitStatus
    let message: String

    static func usage(_ message: String) -> CommandFailure {
        CommandFailure(status: .usage, message: message)
    }

    static func failure(_ message: String) -> CommandFailure {
        CommandFailure(status: .failure, message: message)
    }
}

/// The command line: finds the command and runs it.
struct FixcastCommand {
    let arguments: [String]
    let environment: Environment

    func run() -> ExitStatus {
        do throws(CommandFailure) {
            return try dispatch()
        } catch {
            if !error.message.isEmpty {
                try? FileWriter.standardError.write(Array("fixcast: \(error.message)\n".utf8))
            }
            return error.status
        }
    }

    private func dispatch() throws(CommandFailure) -> ExitStatus {
        let rest = Array(arguments.dropFirst())
        switch arguments.first {
        case "serve":
            if Self.asksForHelp(rest) { return try say(Help.serve) }
            return try ServeCommand(arguments: rest, environment: environment).run()
        case "decode":
            if Self.asksForHelp(rest) { return try say(Help.decode) }
            return try DecodeCommand(arguments: rest).run()
        case "check":
            if Self.asksForHelp(rest) { return try say(Help.check) }
            return try CheckCommand(arguments: rest).run()
        case "healthcheck":
            if Self.asksForHelp(rest) { return try say(Help.healthcheck) }
            return try HealthcheckCommand(arguments: rest, environment: environment).run()
        case "help":
            return try help(rest)
        case "--help", "-h":
            return try say(Help.overview)
        case "--version":
            return try say("fixcast \(Service.version)\n")
        case nil:
            throw .usage("expected a command: serve, decode, check or healthcheck; see --help")
        case let stranger?:
            throw .usage(
                "'\(stranger)' is no command; expected serve, decode, check, healthcheck or help"
            )
        }
    }

    private func help(_ topics: [String]) throws(CommandFailure) -> ExitStatus {
        guard topics.count <= 1 else { throw .usage("help takes one command, not \(topics.count)") }
        switch topics.first {
        case nil: return try say(Help.overview)
        case "serve": return try say(Help.serve)
        case "decode": return try say(Help.decode)
        case "check": return try say(Help.check)
        case "healthcheck": return try say(Help.healthcheck)
        case let topic?:
            throw .usage(
                "there is no help on '\(topic)'; expected serve, decode, check or healthcheck"
            )
        }
    }

    private func say(_ text: String) throws(CommandFailure) -> ExitStatus {
        try StandardOutput.write(Array(text.utf8))
        return .success
    }

    private static func asksForHelp(_ arguments: [String]) -> Bool {
        arguments.contains("--help") || arguments.contains("-h")
    }
}
