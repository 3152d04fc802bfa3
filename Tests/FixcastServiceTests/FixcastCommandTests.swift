import Foundation
import Testing

@testable import fixcast

@Suite struct FixcastCommandTests {
    private func status(_ arguments: String...) -> fixcast.ExitStatus {
        FixcastCommand(arguments: arguments, environment: Environment([:])).run()
    }

    @Test func `wrong usage exits with 2`() {
        #expect(status() == .usage)
        #expect(status("fly") == .usage)
        #expect(status("help", "fly") == .usage)
        #expect(status("serve", "--nonsense") == .usage)
        #expect(status("decode") == .usage)
        #expect(status("decode", "a", "b") == .usage)
        #expect(status("check", "--nonsense", "a") == .usage)
        #expect(status("check", "sim:") == .usage)
        #expect(status("healthcheck", "a", "b") == .usage)
        #expect(status("healthcheck", "nonsense") == .usage)
    }

    @Test func `what cannot be done exits with 1`() {
        #expect(status("serve", "/nowhere/track.gpx") == .failure)
        #expect(status("decode", "/nowhere/track.gpx") == .failure)
        #expect(status("check", "/dev/null") == .failure)
        #expect(status("healthcheck", "http://127.0.0.1:1/livez") == .failure)
    }

    @Test func `with --strict a diagnostic exits with 1`() {
        let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "LocationTests/Fixtures").path()
        for command in ["check", "decode"] {
            #expect(status(command, fixtures + "/truncated.gpx") == .success)
            #expect(status(command, "--strict", fixtures + "/truncated.gpx") == .failure)
            #expect(status(command, "--strict", fixtures + "/segments.gpx") == .success)
        }
    }

    @Test func `the help of serve names every option and its variable`() {
        for option in ServeOption.all {
            #expect(Help.serve.contains("  \(option.name) \(option.placeholder)"))
            #expect(Help.serve.contains("(\(option.variable))"))
        }
    }
}
