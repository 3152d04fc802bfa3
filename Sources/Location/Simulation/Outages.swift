/// When a simulated receiver has no fix, as in a tunnel.
enum Outages: Sendable, Equatable {
    /// Never.
    case off
    /// One at a random time in every five minutes, of 5 to 40 seconds.
    case random
    /// After every `every` with a fix, `length` without one.
    case regular(every: Duration, length: Duration)

    /// Reads `off`, `random` or `EVERY/LENGTH` with two durations; nil for anything else.
    init?(parsing text: String) {
        switch text {
        case "off": self = .off
        case "random": self = .random
        default:
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2, let every = Duration(parsing: parts[0]),
                let length = Duration(parsing: parts[1]), every >= .milliseconds(1),
                length >= .milliseconds(1), every <= .seconds(86_400), length <= .seconds(86_400)
            else { return nil }
            self = .regular(every: every, length: length)
        }
    }

    /// What a receiver has of its satellites.
    enum Reception: Equatable {
        case lost
        /// A fix; `since` is how long ago the last outage ended, in milliseconds, nil without one.
        case found(since: Int64?)
    }

    /// What there is so many milliseconds after the device's time began.
    func reception(at milliseconds: Int64, field: RandomField) -> Reception {
        switch self {
        case .off:
            return .found(since: nil)
        case .regular(let every, let length):
            let fix = every.wholeMilliseconds
            let period = fix + length.wholeMilliseconds
            let inside = milliseconds - milliseconds.flooredQuotient(by: period) * period
            if inside >= fix { return .lost }
            return .found(since: milliseconds < period ? nil : inside)
        case .random:
            let window = milliseconds.flooredQuotient(by: Self.windowMilliseconds)
            let current = Self.outage(in: window, field: field)
            if current.contains(milliseconds) { return .lost }
            let last =
                milliseconds < current.lowerBound
                ? Self.outage(in: window - 1, field: field) : current
            return .found(since: last.upperBound < 0 ? nil : milliseconds - last.upperBound)
        }
    }

    private static let windowMilliseconds: Int64 = 300_000

    private static func outage(in window: Int64, field: RandomField) -> Range<Int64> {
        let length = 5_000 + Int64(35_000 * field.uniform(2 &* window))
        let room = Double(windowMilliseconds - length)
        let start = window * windowMilliseconds + Int64(room * field.uniform(2 &* window &+ 1))
        return start..<start + length
    }
}
