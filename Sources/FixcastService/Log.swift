internal import Location

/// Writes what the operator should know, one line an event, with a level.
///
/// Lines are handed to a sink that must not wait: the service's threads never stand still for a
/// log.
public struct Log: Sendable {
    /// How important a line is.
    public enum Level: String, Sendable, CaseIterable, Comparable {
        /// For finding out why.
        case debug
        /// The course of things.
        case info
        /// Something works, but not as it should.
        case warning
        /// Something does not work.
        case error

        /// Whether the left level is the less important one.
        public static func < (left: Level, right: Level) -> Bool {
            left.rank < right.rank
        }

        private var rank: Int {
            switch self {
            case .debug: 0
            case .info: 1
            case .warning: 2
            case .error: 3
            }
        }
    }

    /// How a line looks.
    public enum Format: String, Sendable, CaseIterable {
        /// `LEVEL: message`, or the message alone at `info`.
        case text
        /// `{"time":…,"level":…,"message":…}`.
        case json
    }

    private let format: Format
    private let minimum: Level
    private let clock: any WallClock
    private let sink: @Sendable ([UInt8]) -> Void

    /// A log that hands each line, with its newline, to `sink`; the time is the machine's.
    public init(
        format: Format,
        minimum: Level,
        sink: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.init(format: format, minimum: minimum, clock: SystemWallClock(), sink: sink)
    }

    init(
        format: Format,
        minimum: Level,
        clock: any WallClock,
        sink: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.format = format
        self.minimum = minimum
        self.clock = clock
        self.sink = sink
    }

    /// A log that says nothing.
    public static var silent: Log {
        Log(format: .text, minimum: .error) { _ in }
    }

    /// Writes one line, unless its level is below the minimum.
    public func write(_ level: Level, _ message: @autoclosure () -> String) {
        guard level >= minimum else { return }
        var writer = JSONWriter(capacity: 160)
        switch format {
        case .text:
            if level != .info { writer.raw("\(level.rawValue): ") }
            // Control characters, which a hostile file name may hold, must not steer a terminal.
            writer.raw(String(message().map { $0.isControl ? " " : $0 }))
            writer.raw("\n")
        case .json:
            writer.raw(#"{"time":""#)
            FixEncoding.timestamp(clock.now, into: &writer)
            writer.raw(#"","level":"#)
            writer.string(level.rawValue)
            writer.raw(#","message":"#)
            writer.string(message())
            writer.raw("}\n")
        }
        sink(writer.take())
    }
}

extension Character {
    fileprivate var isControl: Bool {
        unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
