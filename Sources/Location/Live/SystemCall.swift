private import Glibc

/// The operating system calls that sources need, as safe functions: the only file of the sources
/// that handles pointers.
enum SystemCall {
    /// What a path names.
    enum FileKind: Equatable {
        case regular
        case folder
        case pipe
        case socket
        case device
    }

    /// Why a call failed, as the system's number.
    struct Failure: Error, Equatable {
        var code: Int32

        /// The system's own words, such as "No such file or directory".
        var reason: String {
            guard let text = unsafe strerror(code) else { return "error \(code)" }
            let words = unsafe String(cString: text)
            return words.lowercasedFirst
        }

        /// The failure that the last call in this thread has left.
        static var last: Failure { Failure(code: errno) }
    }

    /// The time of the machine's clock.
    static func realTime() -> Timestamp {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// What a path names, links followed.
    static func kind(of path: String) throws(Failure) -> FileKind {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw .last }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .regular
        case S_IFDIR: return .folder
        case S_IFIFO: return .pipe
        case S_IFSOCK: return .socket
        default: return .device
        }
    }

    /// Whether this process may read what a path names.
    static func checkReadable(_ path: String) throws(Failure) {
        guard unsafe access(path, R_OK) == 0 else { throw .last }
    }

    /// The names in a folder, sorted by their bytes, without those that begin with a dot.
    static func names(inFolder path: String) throws(Failure) -> [String] {
        guard let folder = unsafe opendir(path) else { throw .last }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { characters in
                    unsafe String(cString: characters)
                }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
