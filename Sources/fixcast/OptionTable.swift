internal import FixcastService
internal import Location

/// What `fixcast serve` was asked for.
struct ServeSettings {
    var configuration = Configuration()
    var sources: [String] = []
    var logFormat = Log.Format.text
    var logLevel = Log.Level.info
}

/// One option of `fixcast serve`: its name, its documentation and what it sets.
struct ServeOption {
    /// With the dashes.
    let name: String
    let placeholder: String
    let defaultText: String
    let help: String
    var isRepeatable = false
    /// Sets the values, at least one, or returns what was expected instead of the first wrong one.
    let set: @Sendable (inout ServeSettings, [String]) -> Expected?

    /// What a wrong value should have been.
    struct Expected {
        let value: String
        let expectation: String
    }

    /// `--max-streams` is `FIXCAST_MAX_STREAMS`.
    var variable: String {
        "FIXCAST_" + String(name.dropFirst(2).map { $0 == "-" ? "_" : $0 }).uppercased()
    }
}

extension ServeOption {
    /// Every option, in the order of the help.
    static let all: [ServeOption] = network + timing + limits + output

    private static let network: [ServeOption] = [
        ServeOption(
            name: "--listen",
            placeholder: "HOST:PORT",
            defaultText: "127.0.0.1:8080",
            help: "where to listen; [::1]:8080 for IPv6, port 0 for a free one; repeatable",
            isRepeatable: true
        ) { settings, values in
            if values.count > 16 {
                return Expected(value: values[16], expectation: "no more than 16 addresses")
            }
            return settings.configuration.setListen(values).map { wrong in
                Expected(value: wrong, expectation: "HOST:PORT, such as 127.0.0.1:8080")
            }
        },
        ServeOption(
            name: "--cors-origin",
            placeholder: "ORIGIN",
            defaultText: "none",
            help: "a web origin whose pages may read, or *; repeatable",
            isRepeatable: true
        ) { settings, values in
            var origins: [String] = []
            for value in values {
                guard let origin = WebOrigin.serialized(value) else {
                    return Expected(
                        value: value,
                        expectation: "an origin such as https://example.org, or *"
                    )
                }
                origins.append(origin)
            }
            settings.configuration.corsOrigins = origins
            return nil
        },
    ]

    private static let timing: [ServeOption] = [
        duration("--linger", "5s", "how long a source runs on after its last subscriber left") {
            $0.configuration.linger = $1
        },
        duration("--warm-up", "3s", "how long every source but a replay is held open at start") {
            $0.configuration.warmUp = $1
        },
        duration("--max-fix-age", "5m", "an older last fix is not sent to a new subscriber") {
            $0.configuration.maximumFixAge = $1
        },
        duration("--heartbeat", "15s", "a comment after this long without traffic; 0s: none") {
            $0.configuration.heartbeat = $1
        },
        duration("--retry", "2s", "the reconnection time told to clients, with ±20 % jitter") {
            $0.configuration.retry = $1
        },
        duration("--stall-timeout", "30s", "a client that takes no byte for this long is closed") {
            $0.configuration.stallTimeout = $1
        },
        duration("--max-stream-age", "0s", "a stream is ended after this; 0s: never") {
            $0.configuration.maximumStreamAge = $1
        },
        duration("--drain", "5s", "over how long the end of the service spreads that of streams") {
            $0.configuration.drain = $1
        },
    ]

    private static let limits: [ServeOption] = [
        count("--history", "1024", "events kept for Last-Event-ID", in: 0...1_000_000) {
            $0.configuration.history = $1
        },
        count("--max-streams", "10000", "above it new streams are shed", in: 1...1_000_000) {
            $0.configuration.maximumStreams = $1
        },
        count("--stream-queue", "64", "events waiting per stream", in: 1...65_536) {
            $0.configuration.streamQueue = $1
        },
        choice("--slow-client", "skip", "what happens when that queue is full") {
            $0.configuration.slowClient = $1
        },
    ]

    private static let output: [ServeOption] = [
        choice("--log-format", "text", "how a line on stderr looks") { $0.logFormat = $1 },
        choice("--log-level", "info", "the least important lines to write") { $0.logLevel = $1 },
    ]

    private static func duration(
        _ name: String,
        _ defaultText: String,
        _ help: String,
        _ set: @escaping @Sendable (inout ServeSettings, Duration) -> Void
    ) -> ServeOption {
        ServeOption(name: name, placeholder: "D", defaultText: defaultText, help: help) {
            settings,
            values in
            let value = values[values.count - 1]
            guard let duration = Duration(parsing: value) else {
                return Expected(
                    value: value,
                    expectation: "a duration: a number and ms, s, m or h, such as 500ms or 2s"
                )
            }
            set(&settings, duration)
            return nil
        }
    }

    private static func count(
        _ name: String,
        _ defaultText: String,
        _ help: String,
        in range: ClosedRange<Int>,
        _ set: @escaping @Sendable (inout ServeSettings, Int) -> Void
    ) -> ServeOption {
        ServeOption(name: name, placeholder: "N", defaultText: defaultText, help: help) {
            settings,
            values in
            let value = values[values.count - 1]
            guard value.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }), let number = Int(value),
                range.contains(number)
            else {
                let expectation = "a whole number from \(range.lowerBound) to \(range.upperBound)"
                return Expected(value: value, expectation: expectation)
            }
            set(&settings, number)
            return nil
        }
    }

    private static func choice<Choice: CaseIterable & RawRepresentable<String> & Sendable>(
        _ name: String,
        _ defaultText: String,
        _ help: String,
        _ set: @escaping @Sendable (inout ServeSettings, Choice) -> Void
    ) -> ServeOption {
        let names = Choice.allCases.map(\.rawValue)
        return ServeOption(
            name: name,
            placeholder: names.joined(separator: "|"),
            defaultText: defaultText,
            help: help
        ) { settings, values in
            let value = values[values.count - 1]
            guard let choice = Choice(rawValue: value) else {
                return Expected(value: value, expectation: names.joined(separator: " or "))
            }
            set(&settings, choice)
            return nil
        }
    }
}
