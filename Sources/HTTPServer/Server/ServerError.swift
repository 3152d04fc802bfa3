/// Why a server cannot start, in one sentence.
public struct ServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The sentence.
    public var message: String

    /// An error that says `message`.
    public init(message: String) {
        self.message = message
    }

    /// The sentence.
    public var description: String { message }
}
