/// Bytes that come in order: a file, or what another source holds in another form.
protocol ByteSource: AnyObject {
    /// Fills `buffer` from its `start` on with what comes next; the number of bytes, 0 at the end.
    func read(into buffer: inout [UInt8], from start: Int) throws(TrackError) -> Int
    /// At the end: why it came early.
    var problem: String? { get }
    /// At the end: what was not read though it was there.
    var remark: String? { get }
    /// Whether what it holds can be read again from the start, by another source.
    var isRewindable: Bool { get }
    /// The day in UTC on which it was last written, where that is known.
    var modificationDate: CivilDate? { get }
}

extension ByteSource {
    var problem: String? { nil }
    var remark: String? { nil }
    var isRewindable: Bool { true }
    var modificationDate: CivilDate? { nil }

    /// Fills `buffer` as far as there are bytes; how many there were.
    func fill(_ buffer: inout [UInt8]) throws(TrackError) -> Int {
        var filled = 0
        while filled < buffer.count {
            let count = try read(into: &buffer, from: filled)
            if count == 0 { break }
            filled += count
        }
        return filled
    }
}

/// Where a track is.
enum TrackInput {
    /// A file by its path, or standard input for `-`.
    case file(String)
    /// Bytes that are at hand.
    case bytes([UInt8])

    /// The name in messages and reports.
    var name: String {
        switch self {
        case .file(let path): path
        case .bytes: ""
        }
    }

    /// The bytes from the start.
    func open() throws(TrackError) -> any ByteSource {
        switch self {
        case .file(let path): try InputFile(path: path)
        case .bytes(let bytes): PrefixedSource(bytes[...], nil)
        }
    }
}

/// Some bytes, and then those of another source: what was read of it to look at is put back.
final class PrefixedSource: ByteSource {
    private let source: (any ByteSource)?
    private var prefix: ArraySlice<UInt8>

    init(_ prefix: ArraySlice<UInt8>, _ source: (any ByteSource)?) {
        self.prefix = prefix
        self.source = source
    }

    var problem: String? { source?.problem }
    var remark: String? { source?.remark }

    func read(into buffer: inout [UInt8], from start: Int) throws(TrackError) -> Int {
        guard !prefix.isEmpty else { return try source?.read(into: &buffer, from: start) ?? 0 }
        let part = prefix.prefix(buffer.count - start)
        buffer.replaceSubrange(start..<start + part.count, with: part)
        // An empty slice would keep the memory of what has been read.
        prefix = part.count == prefix.count ? [] : prefix.dropFirst(part.count)
        return part.count
    }
}

/// UTF-16 as UTF-8.
final class UTF16Source: ByteSource {
    private let source: any ByteSource
    private let isBigEndian: Bool
    private var input = [UInt8](repeating: 0, count: 1 << 14)
    private var oddByte: UInt8?
    private var highSurrogate: UInt32?
    private var output: [UInt8] = []
    private var outputIndex = 0

    init(_ source: any ByteSource, isBigEndian: Bool) {
        self.source = source
        self.isBigEndian = isBigEndian
    }

    var problem: String? { source.problem }
    var remark: String? { source.remark }

    func read(into buffer: inout [UInt8], from start: Int) throws(TrackError) -> Int {
        while outputIndex == output.count {
            let count = try source.read(into: &input, from: 0)
            guard count > 0 else { return 0 }
            output.removeAll(keepingCapacity: true)
            outputIndex = 0
            for byte in input[..<count] { take(byte) }
        }
        let count = min(output.count - outputIndex, buffer.count - start)
        buffer.replaceSubrange(
            start..<start + count,
            with: output[outputIndex..<outputIndex + count]
        )
        outputIndex += count
        return count
    }

    private func take(_ byte: UInt8) {
        guard let first = oddByte else {
            oddByte = byte
            return
        }
        oddByte = nil
        let unit =
            isBigEndian
            ? UInt32(first) << 8 | UInt32(byte)
            : UInt32(byte) << 8 | UInt32(first)
        if unit & 0xFC00 == 0xD800 {
            highSurrogate = unit
            return
        }
        var scalar = unit
        if let high = highSurrogate, unit & 0xFC00 == 0xDC00 {
            scalar = 0x1_0000 + ((high & 0x3FF) << 10) + (unit & 0x3FF)
        }
        highSurrogate = nil
        if scalar == 0xFEFF { return }
        output.append(contentsOf: String(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8)
    }
}
