private import CZlib

/// The contents of a gzip file (RFC 1952), of several members too.
///
/// The only place that calls zlib. What expands as no track does is an attack, and is not read on.
@safe
final class Inflater: ByteSource {
    /// More than this is looked at for how much it expands.
    private static let harmlessLength = 16 << 20
    /// Tracks shrink to a tenth, seldom to a fiftieth; blanks to a two-hundredth at least.
    private static let greatestExpansion = 150

    private let source: any ByteSource
    private let stream: UnsafeMutablePointer<z_stream>
    private let input: UnsafeMutablePointer<UInt8>
    private var buffer = [UInt8](repeating: 0, count: 1 << 14)
    private var isInMember = false
    private var hasEnded = false
    private var taken = 0
    private var given = 0

    /// Why the contents end early.
    private(set) var problem: String?
    /// What follows after the end.
    private(set) var remark: String?

    init(_ source: any ByteSource) {
        self.source = source
        unsafe input = .allocate(capacity: buffer.count)
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        // 16 more than the window's bits stands for the header of gzip.
        let status = unsafe inflateInit2_(
            stream,
            15 + 16,
            ZLIB_VERSION,
            CInt(MemoryLayout<z_stream>.size)
        )
        if status == Z_OK {
            isInMember = true
        } else {
            problem = "cannot be expanded: zlib does not start"
            hasEnded = true
        }
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
        unsafe input.deallocate()
    }

    /// Whether a file that begins with these bytes is gzip.
    static func recognises(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.starts(with: [0x1F, 0x8B])
    }

    func read(into buffer: inout [UInt8], from start: Int) throws(TrackError) -> Int {
        while !hasEnded {
            if unsafe stream.pointee.avail_in == 0 {
                try refill()
                guard !hasEnded else { return 0 }
            }
            let count = inflateSome(&buffer, start)
            given += count
            if given > Inflater.harmlessLength, given / Inflater.greatestExpansion > taken {
                problem =
                    "expands more than \(Inflater.greatestExpansion)-fold, as no track does; "
                    + "the rest is not read"
                hasEnded = true
            }
            if count > 0 { return count }
        }
        return 0
    }

    private func refill() throws(TrackError) {
        let count = try source.read(into: &buffer, from: 0)
        guard count > 0 else {
            hasEnded = true
            guard isInMember else { return }
            problem =
                "the gzip file ends too early, "
                + (given > 0 ? "what it has is used" : "before any of what is in it")
            return
        }
        taken += count
        unsafe buffer.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return }
            unsafe input.update(from: base, count: count)
        }
        unsafe stream.pointee.next_in = input
        unsafe stream.pointee.avail_in = UInt32(count)
    }

    private func inflateSome(_ buffer: inout [UInt8], _ start: Int) -> Int {
        if !isInMember {
            // Members follow each other; zeros after the last are padding, as of tapes.
            let first = unsafe stream.pointee.next_in.pointee
            guard first == 0x1F, unsafe inflateReset(stream) == Z_OK else {
                if first != 0 {
                    remark =
                        "bytes after the end of the gzip file are no further member of it, "
                        + "and not used"
                }
                hasEnded = true
                return 0
            }
            isInMember = true
        }
        let room = buffer.count - start
        let status = unsafe buffer.withUnsafeMutableBufferPointer { bytes in
            unsafe stream.pointee.next_out = bytes.baseAddress.map { unsafe $0 + start }
            unsafe stream.pointee.avail_out = UInt32(room)
            return unsafe inflate(stream, Z_NO_FLUSH)
        }
        let count = unsafe room - Int(stream.pointee.avail_out)
        switch status {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: isInMember = false
        default:
            problem = "the gzip file is damaged, what it has until there is used"
            hasEnded = true
        }
        return count
    }
}
