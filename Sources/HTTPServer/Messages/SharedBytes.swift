/// Immutable bytes that any number of streams refer to without a copy.
///
/// An event is encoded once; every stream's queue then holds a reference to the same storage. The
/// storage holds the bytes as they go out, as one chunk of a chunked body (RFC 9112 §7.1).
public struct SharedBytes: Sendable, Equatable {
    /// The bytes as a chunk: its size in hexadecimal, CR LF, the bytes, CR LF.
    let chunk: [UInt8]
    /// Where the bytes themselves are in the chunk.
    private let start: UInt8

    /// A copy of the bytes.
    public init(_ bytes: some Collection<UInt8>) {
        let size = String(bytes.count, radix: 16)
        var chunk: [UInt8] = []
        chunk.reserveCapacity(size.utf8.count + bytes.count + 4)
        chunk += size.utf8
        chunk += [13, 10]
        chunk += bytes
        chunk += [13, 10]
        self.chunk = chunk
        self.start = UInt8(size.utf8.count + 2)
    }

    /// The UTF-8 encoding of a text.
    public init(_ text: String) {
        self.init(text.utf8)
    }

    /// All parts, one after the other, in new storage.
    public init(concatenating parts: [SharedBytes]) {
        self.init(parts.flatMap(\.bytes))
    }

    /// The bytes without a copy.
    public var bytes: ArraySlice<UInt8> { chunk[Int(start)..<(chunk.count - 2)] }

    /// The number of bytes.
    public var count: Int { chunk.count - 2 - Int(start) }

    /// Whether there is no byte.
    public var isEmpty: Bool { count == 0 }

    /// The bytes as an array.
    public var array: [UInt8] { Array(bytes) }

    /// The bytes read as UTF-8; what is not UTF-8 becomes U+FFFD.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
}
