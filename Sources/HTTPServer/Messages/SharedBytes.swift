/// Immutable bytes that any number of streams refer to without a copy.
///
/// An event is encoded once; every stream's queue then holds a reference to the same storage.
public struct SharedBytes: Sendable, Equatable {
    let bytes: [UInt8]

    /// Wraps bytes without a copy.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The UTF-8 encoding of a text.
    public init(_ text: String) {
        self.bytes = Array(text.utf8)
    }

    /// All parts, one after the other, in new storage.
    public init(concatenating parts: [SharedBytes]) {
        self.bytes = parts.flatMap(\.bytes)
    }

    /// The number of bytes.
    public var count: Int { bytes.count }

    /// Whether there is no byte.
    public var isEmpty: Bool { bytes.isEmpty }

    /// The bytes as an array, without a copy.
    public var array: [UInt8] { bytes }

    /// The bytes read as UTF-8; what is not UTF-8 becomes U+FFFD.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
}
