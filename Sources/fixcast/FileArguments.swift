internal import Location

/// The arguments of a command that reads files: flags, and files with parameters.
struct FileArguments {
    let files: [String]
    private let flags: Set<String>

    init(_ arguments: [String], known: [String], command: String) throws(CommandFailure) {
        var files: [String] = []
        var flags: Set<String> = []
        var isAfterFlags = false
        for argument in arguments {
            if isAfterFlags || argument == "-" || !argument.hasPrefix("-") {
                files.append(argument)
            } else if argument == "--" {
                isAfterFlags = true
            } else if known.contains(argument) {
                flags.insert(argument)
            } else if argument.hasPrefix("-?") {
                files.append(argument)
            } else {
                throw .usage("unknown option '\(argument)'; see fixcast help \(command)")
            }
        }
        self.files = files
        self.flags = flags
    }

    func contains(_ flag: String) -> Bool {
        flags.contains(flag)
    }

    /// One of the files as a track with its parameters.
    func track(_ index: Int) throws(CommandFailure) -> NamedTrack {
        do throws(SourceError) {
            return try NamedTrack(parsing: files[index])
        } catch {
            throw error.isUsage ? .usage(error.message) : .failure(error.message)
        }
    }
}
