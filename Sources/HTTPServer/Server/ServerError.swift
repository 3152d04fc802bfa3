/// Why a server cannot start, in one sentence.
public struct ServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The sentence.
    public var message: String

    /// The sentence.
    public var description: String { message }
}
