/// What the path of a SOURCE argument names, checked before anything is read.
enum PathCheck {
    case file
    /// The names in it, sorted; dot files are left out.
    case folder([String])

    /// What `path` names; an error, in one sentence, when it is neither a file nor a folder that
    /// can be read.
    static func kind(of path: String) throws(SourceError) -> PathCheck {
        do {
            switch try SystemCall.kind(of: path) {
            case .regular:
                try SystemCall.checkReadable(path)
                return .file
            case .folder:
                return .folder(try SystemCall.names(inFolder: path))
            case .pipe:
                throw SourceError.unusable(
                    "\(path): is a named pipe, which can be read only once; expected a file, or -"
                        + " with the pipe as standard input"
                )
            case .socket, .device:
                throw SourceError.unusable("\(path): expected a file or a folder of files")
            }
        } catch let failure as SystemCall.Failure {
            throw .unusable("\(path): \(failure.reason); \(expectation(of: path))")
        } catch let error as SourceError {
            throw error
        } catch {
            throw .unusable("\(path): \(error)")
        }
    }

    /// What was expected instead of a path that leads nowhere.
    private static func expectation(of path: String) -> String {
        let expected = "expected a track file or a folder of them"
        guard let equals = path.firstIndex(of: "="), !path[..<equals].contains("/") else {
            return "\(expected), or one of sim:, follow:FILE, gpsd://HOST and -"
        }
        return "\(expected); what is before = is no device name, 1 to 64 of A-Z a-z 0-9 . _ -"
    }

    /// Checks that `path` names a file that can be read.
    static func requireFile(_ path: String) throws(SourceError) {
        guard case .file = try kind(of: path) else {
            throw .unusable("\(path): is a folder; expected a file")
        }
    }
}
