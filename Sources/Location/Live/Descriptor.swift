private import Glibc

/// An open file, pipe, socket or queue of the system; closed when released.
///
/// With `SystemCall` and `TCPConnection` the only place of the live sources that calls the C
/// library.
struct Descriptor: ~Copyable, Sendable {
    /// The system's number for it, valid while the value lives.
    let number: CInt

    /// Takes over an open descriptor.
    init(owning number: CInt) {
        self.number = number
    }

    deinit {
        close(number)
    }

    /// Opens a file for reading; anything else than a regular file is refused.
    static func reading(_ path: String) throws(SystemCall.Failure) -> Descriptor {
        // Without O_NONBLOCK, opening a named pipe would wait for a writer.
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else { throw .last }
        let descriptor = Descriptor(owning: number)
        guard try descriptor.status().isRegular else { throw SystemCall.Failure(code: EINVAL) }
        return descriptor
    }

    /// A second descriptor for standard input, which is left open when this one is closed.
    static func standardInput() throws(SystemCall.Failure) -> Descriptor {
        let number = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
        guard number >= 0 else { throw .last }
        return Descriptor(owning: number)
    }

    /// Fails as reading would where it is a folder, which can be opened but not read.
    func requireNoFolder() throws(SystemCall.Failure) {
        guard try !status().isFolder else { throw SystemCall.Failure(code: EISDIR) }
    }

    /// Which file it is, and when it was written.
    func status() throws(SystemCall.Failure) -> FileStatus {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw .last }
        return FileStatus(status)
    }

    /// Reads what there is, up to the buffer's length; 0 at the end, nil when there is nothing yet.
    func read(into buffer: inout [UInt8]) throws(SystemCall.Failure) -> Int? {
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe Glibc.read(number, bytes.baseAddress, bytes.count)
            }
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN: return nil
            default: throw .last
            }
        }
    }

    /// Reads what a file holds from `offset` on, up to the buffer's length; 0 at or beyond its end.
    func read(into buffer: inout [UInt8], at offset: Int64) throws(SystemCall.Failure) -> Int {
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe pread(number, bytes.baseAddress, bytes.count, off_t(offset))
            }
            if count >= 0 { return count }
            guard errno == EINTR else { throw .last }
        }
    }
}

/// Which file something is, and when it was written.
struct FileStatus: Equatable {
    /// What no two files have in common at one time.
    struct Identity: Equatable {
        var device: UInt64
        var number: UInt64
    }

    var identity: Identity
    var isRegular: Bool
    var isFolder: Bool
    /// When it was last written.
    var modified: Timestamp

    fileprivate init(_ status: stat) {
        identity = Identity(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
        isRegular = status.st_mode & S_IFMT == S_IFREG
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        let written = status.st_mtim
        modified = Timestamp(
            milliseconds: Int64(written.tv_sec) * 1000 + Int64(written.tv_nsec) / 1_000_000
        )
    }

    /// The file that a path names now; nil when there is none.
    init?(path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(status)
    }
}

/// Something that a thread which waits for a descriptor can be woken by.
final class WakeUp: Sendable {
    private let readingEnd: Descriptor
    private let writingEnd: Descriptor

    init() throws(SystemCall.Failure) {
        var numbers: [CInt] = [-1, -1]
        guard unsafe pipe(&numbers) == 0 else { throw .last }
        for number in numbers {
            _ = fcntl(number, F_SETFD, FD_CLOEXEC)
            _ = fcntl(number, F_SETFL, O_NONBLOCK)
        }
        readingEnd = Descriptor(owning: numbers[0])
        writingEnd = Descriptor(owning: numbers[1])
    }

    /// Wakes whoever waits, now or later, for ever after.
    func signal() {
        var byte: UInt8 = 0
        _ = unsafe write(writingEnd.number, &byte, 1)
    }

    /// Why a wait has ended.
    enum Reason {
        case ready
        case timeout
        case woken
    }

    /// Waits until the descriptor can be read, or written when `isWriting`.
    func wait(
        for number: CInt,
        isWriting: Bool = false,
        timeout: Duration? = nil
    ) throws(SystemCall.Failure) -> Reason {
        let wanted = CShort(isWriting ? POLLOUT : POLLIN)
        var entries = [
            pollfd(fd: readingEnd.number, events: CShort(POLLIN), revents: 0),
            pollfd(fd: number, events: wanted, revents: 0),
        ]
        let milliseconds = timeout.map { CInt(clamping: $0.wholeMilliseconds) } ?? -1
        while true {
            let count = unsafe poll(&entries, nfds_t(entries.count), milliseconds)
            if count < 0 {
                guard errno == EINTR else { throw .last }
                continue
            }
            if entries[0].revents != 0 { return .woken }
            return count == 0 ? .timeout : .ready
        }
    }
}

/// News of changes to a file or folder.
struct ChangeWatch: ~Copyable {
    private let descriptor: Descriptor

    /// The number to wait for.
    var number: CInt { descriptor.number }

    init() throws(SystemCall.Failure) {
        let number = inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK))
        guard number >= 0 else { throw .last }
        descriptor = Descriptor(owning: number)
    }

    /// Watches a file for growth and removal, or a folder for files that come and go.
    ///
    /// What cannot be watched, on some network file systems, is not an error: it is then looked at
    /// from time to time.
    func add(_ path: String) {
        let changes =
            IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF | IN_CREATE | IN_MOVED_TO
        _ = unsafe inotify_add_watch(descriptor.number, path, UInt32(changes))
    }

    /// Forgets what has been told.
    func drain() {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while let count = try? descriptor.read(into: &buffer), count > 0 {}
    }
}
