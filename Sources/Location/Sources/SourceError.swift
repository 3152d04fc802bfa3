/// Why a source could not be opened, in one sentence that names the argument and what was expected.
public struct SourceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The sentence.
    public var message: String
    /// Whether the argument is wrong in itself; otherwise what it names cannot be used.
    public var isUsage: Bool

    /// An error told in one sentence.
    public init(message: String, isUsage: Bool) {
        self.message = message
        self.isUsage = isUsage
    }

    /// An argument that is wrong in itself.
    static func usage(_ message: String) -> SourceError {
        SourceError(message: message, isUsage: true)
    }

    /// A right argument that names something that cannot be used.
    static func unusable(_ message: String) -> SourceError {
        SourceError(message: message, isUsage: false)
    }

    /// The message.
    public var description: String { message }
}
