internal import FixcastService

/// `fixcast healthcheck`: asks a running service whether it works.
struct HealthcheckCommand {
    let arguments: [String]
    let environment: Environment

    func run() throws(CommandFailure) -> ExitStatus {
        guard arguments.count <= 1 else {
            throw .usage("healthcheck takes one URL, not \(arguments.count)")
        }
        let check: HealthCheck
        do throws(HealthCheck.Failure) {
            check = try self.check()
        } catch {
            throw .usage(error.description)
        }
        do throws(HealthCheck.Failure) {
            try check.run()
        } catch {
            throw .failure(error.description)
        }
        return .success
    }

    /// The URL that was given, or the liveness at the first address the service would listen at.
    private func check() throws(HealthCheck.Failure) -> HealthCheck {
        if let url = arguments.first { return try HealthCheck(url: url) }
        let listen = environment["FIXCAST_LISTEN"] ?? "127.0.0.1:8080"
        return try HealthCheck(listen: String(listen.prefix { $0 != "," }))
    }
}
