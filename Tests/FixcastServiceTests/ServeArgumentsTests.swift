import HTTPServer
import Testing

@testable import FixcastService
@testable import fixcast

@Suite struct ServeArgumentsTests {
    private func parse(
        _ arguments: [String],
        _ variables: [String: String] = [:]
    ) throws -> ServeSettings {
        try ServeArguments.parse(arguments, environment: Environment(variables))
    }

    private func failure(
        _ arguments: [String],
        _ variables: [String: String] = [:]
    ) -> CommandFailure? {
        do {
            _ = try parse(arguments, variables)
            return nil
        } catch {
            return error as? CommandFailure
        }
    }

    @Test
    func `without arguments the simulator is served on loopback with the documented defaults`()
        throws
    {
        let settings = try parse([])
        #expect(settings.sources == ["demo=sim:"])
        #expect(settings.configuration.listen.map(\.description) == ["127.0.0.1:8080"])
        #expect(settings.configuration.linger == .seconds(5))
        #expect(settings.configuration.warmUp == .seconds(3))
        #expect(settings.configuration.heartbeat == .seconds(15))
        #expect(settings.configuration.drain == .seconds(5))
        #expect(settings.configuration.history == 1024)
        #expect(settings.configuration.maximumStreams == 10_000)
    }

    @Test func `the default that the help states is the one that holds`() throws {
        let implicit = try parse([])
        for option in ServeOption.all where option.defaultText != "none" {
            let explicit = try parse([option.name, option.defaultText])
            #expect("\(implicit)" == "\(explicit)", "\(option.name)")
        }
    }

    @Test func `an option is written with a space or an equals sign`() throws {
        #expect(try parse(["--linger", "7s"]).configuration.linger == .seconds(7))
        #expect(try parse(["--linger=250ms"]).configuration.linger == .milliseconds(250))
    }

    @Test func `an option wins over its environment variable`() throws {
        let variables = ["FIXCAST_LINGER": "9s", "FIXCAST_MAX_STREAMS": "12"]
        let settings = try parse(["--linger", "7s"], variables)
        #expect(settings.configuration.linger == .seconds(7))
        #expect(settings.configuration.maximumStreams == 12)
    }

    @Test func `lists in the environment are separated by commas and sources by spaces`() throws {
        let settings = try parse(
            [],
            ["FIXCAST_LISTEN": "127.0.0.1:1,[::1]:2", "FIXCAST_SOURCES": "a=sim: b=sim:?seed=2"]
        )
        #expect(settings.configuration.listen.map(\.description) == ["127.0.0.1:1", "[::1]:2"])
        #expect(settings.sources == ["a=sim:", "b=sim:?seed=2"])
    }

    @Test func `sources that are named win over those of the environment`() throws {
        #expect(try parse(["x.gpx"], ["FIXCAST_SOURCES": "a=sim:"]).sources == ["x.gpx"])
        #expect(try parse(["-"]).sources == ["-"])
        #expect(try parse(["--", "--odd.gpx"]).sources == ["--odd.gpx"])
    }

    @Test(arguments: [
        (["--nonsense"], "unknown option '--nonsense'"),
        (["-v"], "unknown option '-v'"),
        (["--linger"], "--linger needs a value"),
        (["--linger", "5"], "--linger '5': expected a duration"),
        (["--linger=-5s"], "--linger '-5s': expected a duration"),
        (["--max-streams=0"], "--max-streams '0': expected a whole number from 1"),
        (["--max-streams=1e3"], "--max-streams '1e3': expected a whole number"),
        (["--listen", "8080"], "--listen '8080': expected HOST:PORT"),
        (["--listen=127.0.0.1:99999"], "--listen '127.0.0.1:99999': expected HOST:PORT"),
        (
            Array(repeating: "--listen=127.0.0.1:0", count: 16) + ["--listen=[::1]:0"],
            "--listen '[::1]:0': expected no more than 16 addresses"
        ),
        (["--slow-client=wait"], "--slow-client 'wait': expected skip or close"),
        (["--cors-origin=example.org"], "--cors-origin 'example.org': expected an origin"),
        (["--cors-origin=https://*.org"], "--cors-origin 'https://*.org': expected an origin"),
        (["--cors-origin=https://u@h"], "--cors-origin 'https://u@h': expected an origin"),
        (["--cors-origin=http://a:b:c"], "--cors-origin 'http://a:b:c': expected an origin"),
        (["--cors-origin=http://a:70000"], "--cors-origin 'http://a:70000': expected an origin"),
        (["--cors-origin=http://a/"], "--cors-origin 'http://a/': expected an origin"),
    ])
    func `wrong usage is one sentence that names the option and what was expected`(
        arguments: [String],
        message: String
    ) {
        let failure = failure(arguments)
        #expect(failure?.status == .usage)
        #expect(failure?.message.hasPrefix(message) == true, "\(failure?.message ?? "accepted")")
    }

    @Test(arguments: [
        ("https://A.Example", "https://a.example"), ("https://a:443", "https://a"),
        ("http://a:443", "http://a:443"), ("http://[::1]:080", "http://[::1]"),
        ("http://localhost:3000", "http://localhost:3000"), ("null", "null"), ("*", "*"),
    ])
    func `an origin is compared as browsers write it`(given: String, written: String) throws {
        let settings = try ServeArguments.parse(
            ["--cors-origin", given],
            environment: Environment([:])
        )
        #expect(settings.configuration.corsOrigins == [written])
    }

    @Test func `a list that is only commas is not an empty one`() {
        let message = failure([], ["FIXCAST_LISTEN": ","])?.message
        #expect(message == "FIXCAST_LISTEN ',': expected HOST:PORT, such as 127.0.0.1:8080")
    }

    @Test func `a wrong environment variable is named as such`() {
        let failure = failure([], ["FIXCAST_HEARTBEAT": "often"])
        #expect(
            failure?.message.hasPrefix("FIXCAST_HEARTBEAT 'often': expected a duration") == true
        )
    }
}
