/// A moment of civil time in UTC, in whole milliseconds since 1970-01-01T00:00:00Z.
///
/// Milliseconds, because that is what a fix shows (RFC 3339 with three decimals); an integer, so
/// that times compare and subtract exactly. Leap seconds do not exist on this scale (POSIX time).
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970-01-01T00:00:00Z; negative before it.
    public var milliseconds: Int64

    /// A moment so many milliseconds after 1970-01-01T00:00:00Z.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Whether the left moment is the earlier one.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }
}
