import Location
import Synchronization
import TestSupport
import Testing

@testable import FixcastService

@Suite struct LogTests {
    private struct StoppedClock: WallClock {
        let now = Timestamp(milliseconds: 0)
    }

    private final class Lines: Sendable {
        private let text = Mutex("")

        func append(_ line: [UInt8]) {
            text.withLock { $0 += String(decoding: line, as: UTF8.self) }
        }
        var all: String { text.withLock { $0 } }
    }

    private func written(
        _ format: Log.Format,
        minimum: Log.Level = .debug,
        _ body: (Log) -> Void
    ) -> String {
        let lines = Lines()
        let log = Log(format: format, minimum: minimum, clock: StoppedClock()) { lines.append($0) }
        body(log)
        return lines.all
    }

    @Test func `a line of text has its level unless it is information`() {
        let text = written(.text) { log in
            log.write(.info, "listening")
            log.write(.warning, "odd")
        }
        #expect(text == "listening\nwarning: odd\n")
    }

    @Test func `a line of JSON has time, level and message`() {
        let text = written(.json) { $0.write(.error, "no \"luck\"") }
        let expected =
            #"{"time":"1970-01-01T00:00:00.000Z","level":"error","message":"no \"luck\""}"#
        #expect(text == expected + "\n")
    }

    @Test func `lines below the minimum are not written`() {
        let text = written(.text, minimum: .warning) { log in
            log.write(.info, "quiet")
            log.write(.error, "loud")
        }
        #expect(text == "error: loud\n")
    }

    @Test func `a failure that stays the same is an error once, and its repeats are for debugging`()
        throws
    {
        let lines = Lines()
        let log = Log(format: .text, minimum: .debug, clock: StoppedClock()) { lines.append($0) }
        let source = ManualSource("car", kind: .live)
        let harness = try ServiceHarness([source], log: log) { $0.warmUp = .zero }
        defer { harness.service.stop() }
        let client = try harness.stream("/v1/locations")
        for reason in ["it is unplugged", "it is unplugged", "it is broken"] {
            source.fail(reason)
            harness.scheduler.advance(by: .seconds(60))
        }
        source.send()
        _ = try client.events(through: "-1")
        let told = lines.all.split(separator: "\n").filter {
            $0.contains("car: ") && !$0.hasPrefix("debug: ")
        }
        #expect(
            told == [
                "car: running", "error: car: it is unplugged; will try again",
                "error: car: it is broken; will try again", "car: running",
            ]
        )
        let repeated = "debug: car: it is unplugged; will try again\n"
        #expect(lines.all.contains(repeated))
    }

    @Test func `control characters in a message cannot steer a terminal`() {
        #expect(written(.text) { $0.write(.info, "a\u{1B}[2Jb\nc") } == "a [2Jb c\n")
    }

    @Test func `the warnings of a configuration name what is odd about it`() {
        var configuration = Configuration()
        #expect(configuration.setListen(["0.0.0.0:80", "127.0.0.1:81"]) == nil)
        configuration.retry = .seconds(5)
        #expect(configuration.warnings.count == 2)
        #expect(configuration.warnings[0].hasPrefix("--retry 5s is not shorter"))
        #expect(configuration.warnings[1].hasPrefix("listening on 0.0.0.0:80, beyond loopback"))
        configuration.linger = .zero
        #expect(configuration.warnings.count == 1)
        #expect(configuration.setListen(["nonsense"]) == "nonsense")
    }
}
