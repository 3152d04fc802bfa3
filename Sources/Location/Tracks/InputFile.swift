private import Glibc

/// A file opened for reading, or standard input; closed when released.
///
/// The only place of the tracks that calls the C library for files and memory searches.
final class InputFile: ByteSource {
    /// The path that stands for standard input.
    static let standardInput = "-"

    /// Tells a file from another, and from what was written to it later.
    struct Identity: Sendable, Equatable {
        fileprivate var device: UInt
        fileprivate var inode: UInt
        /// How many bytes the file has.
        fileprivate(set) var size: Int
        fileprivate var seconds: Int
        fileprivate var nanoseconds: Int
    }

    private let path: String
    private let descriptor: CInt

    /// What the file was when it was opened; nil for standard input.
    let identity: Identity?
    /// Whether the file can be read again from the start.
    let isRewindable: Bool
    /// The day in UTC on which the file was last written; nil for standard input.
    let modificationDate: CivilDate?

    /// Opens a regular file, or standard input for `-`.
    init(path: String) throws(TrackError) {
        self.path = path
        if path == InputFile.standardInput {
            descriptor = STDIN_FILENO
            isRewindable = false
            modificationDate = nil
            identity = nil
            return
        }
        // Without O_NONBLOCK, opening a named pipe would wait for a writer.
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw TrackError(file: path, message: "cannot be opened: \(describe(errno))")
        }
        var status = stat()
        let result = unsafe fstat(descriptor, &status)
        let kind = status.st_mode & S_IFMT
        isRewindable = true
        // Swift keeps the members of the C type from this file; the seconds come first in it, and
        // then the nanoseconds.
        let (seconds, nanoseconds) = unsafe withUnsafeBytes(of: status.st_mtim) { bytes in
            let stride = MemoryLayout<Int>.stride
            return unsafe (
                bytes.load(as: Int.self), bytes.load(fromByteOffset: stride, as: Int.self)
            )
        }
        modificationDate = CivilDate(daysSince1970: seconds / 86_400)
        identity = Identity(
            device: UInt(status.st_dev),
            inode: UInt(status.st_ino),
            size: Int(status.st_size),
            seconds: seconds,
            nanoseconds: nanoseconds
        )
        guard result == 0, kind == S_IFREG else {
            close(descriptor)
            let found = kind == S_IFDIR ? "a folder" : "not a regular file"
            throw TrackError(file: path, message: "is \(found), a track file was expected")
        }
    }

    deinit {
        if isRewindable { close(descriptor) }
    }

    /// Fills `buffer` from its `start` on with what comes next; the number of bytes, 0 at the end.
    ///
    /// On standard input it waits for at least one byte.
    func read(into buffer: inout [UInt8], from start: Int) throws(TrackError) -> Int {
        precondition(start < buffer.count, "there must be room to read into")
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe Glibc.read(
                    descriptor,
                    bytes.baseAddress.map { unsafe $0 + start },
                    bytes.count - start
                )
            }
            if count >= 0 { return count }
            guard errno == EINTR else {
                throw TrackError(file: path, message: "cannot be read: \(describe(errno))")
            }
        }
    }

    /// Fills `buffer` from its start with bytes of the range, as many as there are and as fit; the
    /// number of bytes, 0 behind the end of the file.
    ///
    /// Where `read` goes on from is left as it was.
    func read(_ range: Range<Int>, into buffer: inout [UInt8]) throws(TrackError) -> Int {
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe pread(
                    descriptor,
                    bytes.baseAddress,
                    min(bytes.count, range.count),
                    off_t(range.lowerBound)
                )
            }
            if count >= 0 { return count }
            guard errno == EINTR else {
                throw TrackError(file: path, message: "cannot be read: \(describe(errno))")
            }
        }
    }

    /// The whole file, at most `limit` bytes of it.
    func readAll(limit: Int) throws(TrackError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        var filled = 0
        while filled < limit {
            let count = try read(into: &bytes, from: filled)
            if count == 0 { break }
            filled += count
        }
        bytes.removeSubrange(filled...)
        return bytes
    }
}

/// A file without a name that is written at its end and read from its start; gone when released.
final class TemporaryFile {
    private let descriptor: CInt
    private var readOffset = 0

    /// Creates it in the folder for temporary files.
    init() throws(TrackError) {
        let folder = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        let name = "fixcast." + String(repeating: "X", count: 6)
        var path = Array("\(folder)/\(name)".utf8CString)
        descriptor = unsafe mkstemp(&path)
        guard descriptor >= 0 else {
            throw TrackError(
                file: folder,
                message: "no temporary file can be made there: \(describe(errno))"
            )
        }
        unsafe unlink(path)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit {
        close(descriptor)
    }

    /// Writes words at the end.
    func append(_ words: [Int64]) throws(TrackError) {
        var written = 0
        let length = words.count * MemoryLayout<Int64>.stride
        while written < length {
            let count = unsafe words.withUnsafeBytes { bytes in
                unsafe write(
                    descriptor,
                    bytes.baseAddress.map { unsafe $0 + written },
                    length - written
                )
            }
            if count >= 0 {
                written += count
            } else if errno != EINTR {
                throw TrackError(message: "a temporary file is full: \(describe(errno))")
            }
        }
    }

    /// Reads the next words.
    func next(_ count: Int) throws(TrackError) -> [Int64] {
        var words = [Int64](repeating: 0, count: count)
        let length = count * MemoryLayout<Int64>.stride
        var filled = 0
        while filled < length {
            let count = unsafe words.withUnsafeMutableBytes { bytes in
                unsafe pread(
                    descriptor,
                    bytes.baseAddress.map { unsafe $0 + filled },
                    length - filled,
                    off_t(readOffset + filled)
                )
            }
            if count > 0 {
                filled += count
            } else if count == 0 || errno != EINTR {
                throw TrackError(message: "a temporary file cannot be read back")
            }
        }
        readOffset += length
        return words
    }
}

/// The system's own words for an error number.
private func describe(_ error: CInt) -> String {
    unsafe String(cString: strerror(error))
}

extension Span<UInt8> {
    /// Where the byte next occurs at or after `start`.
    func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        unsafe withUnsafeBufferPointer { bytes in
            guard start < bytes.count, let base = bytes.baseAddress,
                let found = unsafe memchr(base + start, CInt(byte), bytes.count - start)
            else { return nil }
            return unsafe UnsafeRawPointer(found) - UnsafeRawPointer(base)
        }
    }

    /// Whether a byte is not ASCII.
    var hasHighByte: Bool {
        unsafe withUnsafeBufferPointer { bytes in
            var all: UInt8 = 0
            for index in bytes.indices { unsafe all |= bytes[index] }
            return all >= 0x80
        }
    }

    /// Whether the bytes are those of a word.
    func isWord(_ word: StaticString) -> Bool {
        unsafe withUnsafeBufferPointer { bytes in
            guard bytes.count == word.utf8CodeUnitCount else { return false }
            guard let base = bytes.baseAddress else { return true }
            return unsafe memcmp(base, word.utf8Start, bytes.count) == 0
        }
    }
}
