/// The zone of times that do not name one: UTC, a fixed offset, or a place of the tz database.
public struct TrackTimeZone: Sendable, Equatable {
    /// Coordinated universal time.
    public static let utc = TrackTimeZone(rule: .fixed(seconds: 0))

    enum Rule: Equatable {
        case fixed(seconds: Int)
        case place(TimeZoneTransitions)
    }

    let rule: Rule

    private init(rule: Rule) {
        self.rule = rule
    }

    /// The zone called `UTC`, `Z`, `+01:00`, `-0330` or `Europe/Paris`; nil where there is none of
    /// that name in the tz database of this machine.
    public init?(_ identifier: String) {
        if ["utc", "z", "gmt"].contains(identifier.lowercased()) {
            self = .utc
        } else if let seconds = TrackTimeZone.offset(identifier) {
            rule = .fixed(seconds: seconds)
        } else if let transitions = TimeZoneTransitions(identifier) {
            rule = .place(transitions)
        } else {
            return nil
        }
    }

    /// The UTC time of a clock in this zone that shows `local` (seconds since 1970-01-01T00:00 on
    /// that clock).
    ///
    /// A time that the clock shows twice, in autumn, is the first of the two; one that it skips, in
    /// spring, is counted with the offset before.
    func utcSeconds(local: Int64) -> Int64 {
        switch rule {
        case .fixed(let seconds): local - Int64(seconds)
        case .place(let transitions): local - Int64(transitions.offset(atLocal: local))
        }
    }

    private static func offset(_ text: String) -> Int? {
        var digits = Array(text.utf8)
        guard let sign = digits.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-")
        else { return nil }
        digits.removeFirst()
        if digits.count == 5, digits[2] == UInt8(ascii: ":") { digits.remove(at: 2) }
        guard digits.count == 2 || digits.count == 4,
            digits.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") })
        else { return nil }
        let numbers = digits.map { Int($0 - UInt8(ascii: "0")) }
        let hours = numbers[0] * 10 + numbers[1]
        let minutes = numbers.count == 4 ? numbers[2] * 10 + numbers[3] : 0
        guard hours <= 18, minutes < 60 else { return nil }
        let seconds = (hours * 60 + minutes) * 60
        return sign == UInt8(ascii: "-") ? -seconds : seconds
    }
}
