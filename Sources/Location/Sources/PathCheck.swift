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
            throw .unusable("\(path): \(failure.reason); expected a track file or a folder of them")
        } catch let error as SourceError {
            throw error
        } catch {
            throw .unusable("\(path): \(error)")
        }
    }

    /// Checks that `path` names a file that can be read.
    static func requireFile(_ path: String) throws(SourceError) {
        guard case .file = try kind(of: path) else {
            throw .unusable("\(path): is a folder; expected a file")
        }
    }
}
