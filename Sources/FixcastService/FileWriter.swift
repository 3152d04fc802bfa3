private import Dispatch
private import Glibc
private import Synchronization

/// Writes bytes to a file descriptor that the process was given, such as standard output.
///
/// All use of `write(2)` is here. The descriptor is not closed.
public struct FileWriter: Sendable {
    /// Why bytes could not be written.
    public enum Failure: Error, Equatable, Sendable {
        /// The reader of the pipe has gone; nothing more needs to be said.
        case readerGone
        /// Another reason, in the system's words.
        case other(String)
    }

    private let descriptor: Int32

    /// Standard output.
    public static let standardOutput = FileWriter(descriptor: STDOUT_FILENO)
    /// Standard error.
    public static let standardError = FileWriter(descriptor: STDERR_FILENO)

    /// Makes sure that descriptors 0 to 2 are open, on `/dev/null` where the process was started
    /// without: a socket that got one of their numbers would be written the log.
    public static func reserveStandardDescriptors() {
        var descriptor: Int32
        repeat {
            descriptor = unsafe open("/dev/null", O_RDWR)
        } while descriptor >= 0 && descriptor <= STDERR_FILENO
        if descriptor >= 0 { close(descriptor) }
    }

    /// Writes all of `bytes`, and waits as long as that takes.
    public func write(_ bytes: [UInt8]) throws(Failure) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(
                    descriptor,
                    buffer.baseAddress?.advanced(by: written),
                    buffer.count - written
                )
            }
            if count > 0 {
                written += count
            } else if errno == EAGAIN {
                try waitUntilWritable()
            } else if errno != EINTR {
                throw errno == EPIPE ? .readerGone : .other(unsafe String(cString: strerror(errno)))
            }
        }
    }

    private func waitUntilWritable() throws(Failure) {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        if unsafe poll(&request, 1, -1) < 0, errno != EINTR {
            throw .other(unsafe String(cString: strerror(errno)))
        }
    }
}

/// Writes lines from any thread without making it wait; what cannot be written is lost, and no line
/// that cannot be written ends the process.
public final class LineWriter: Sendable {
    private let queue = DispatchQueue(label: "fixcast.log")
    private let writer: FileWriter
    private let waiting = Atomic<Int>(0)

    /// How many lines may wait for a reader that stands still before further ones are dropped.
    public static let backlogLimit = 10_000

    /// A writer of lines to `writer`.
    public init(to writer: FileWriter) {
        self.writer = writer
    }

    /// Hands over one line.
    public func write(_ line: [UInt8]) {
        guard waiting.add(1, ordering: .relaxed).newValue <= Self.backlogLimit else {
            waiting.subtract(1, ordering: .relaxed)
            return
        }
        queue.async { [self] in
            try? writer.write(line)
            waiting.subtract(1, ordering: .relaxed)
        }
    }

    /// Waits until what was handed over has been written, or for a second if it cannot be.
    public func flush() {
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        _ = done.wait(timeout: .now() + 1)
    }
}
