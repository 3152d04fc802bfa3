/// Why a stream is over.
public enum CloseReason: String, Sendable, CaseIterable {
    /// The application ended it.
    case ended
    /// The client closed its end: FIN, a half-close included, or RST.
    case clientClosed
    /// The client took no byte for the stall timeout, or has silently gone.
    case stalled
    /// Its queue was full and the stream does not skip.
    case slow
    /// It reached the maximum age.
    case maximumAge
    /// The server is stopping.
    case drain
    /// Something broke in the server.
    case error
}
