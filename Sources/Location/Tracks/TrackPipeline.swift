/// A file's bytes on their way to a sink: read, recognised and parsed, chunk by chunk.
final class TrackPipeline {
    private static let chunkLength = 1 << 16

    let sink = TrackSink()
    let format: TrackFormat
    private let file: InputFile
    private let path: String
    private let parser: any TrackParser
    private var buffer = [UInt8](repeating: 0, count: chunkLength)
    private var filled: Int
    private var hasEnded: Bool

    /// Opens the file and recognises what it is.
    init(path: String, options: TrackOptions, rereadAs: String? = nil) throws(TrackError) {
        self.path = path
        file = try InputFile(path: path)
        filled = 0
        hasEnded = false
        while filled < buffer.count {
            let count = try file.read(into: &buffer, from: filled)
            if count == 0 {
                hasEnded = true
                break
            }
            filled += count
        }
        guard filled > 0 else {
            throw TrackError(file: path, message: "is empty, a track was expected")
        }
        let prefix = FilePrefix(buffer[..<filled], isWhole: hasEnded)
        guard let format = TrackFormat.recognise(prefix) else {
            let titles = TrackFormat.registry.map(\.title).joined(separator: ", ")
            throw TrackError(file: path, message: "is in none of the known formats: \(titles)")
        }
        self.format = format
        parser = format.makeParser(
            sink,
            ParserSettings(
                options: options,
                isRewindable: file.isSeekable,
                rereadAs: rereadAs,
                modificationDate: file.modificationDate
            )
        )
    }

    /// Whether the file can be read again from the start.
    var isRewindable: Bool { file.isSeekable }

    /// After the end: why the file must be read again.
    var rereadAs: String? { parser.rereadAs }

    /// Parses the next chunk into the sink; false after the last.
    func advance() throws(TrackError) -> Bool {
        if filled == 0, !hasEnded {
            filled = try file.read(into: &buffer, from: 0)
            hasEnded = filled == 0
        }
        do throws(TrackError) {
            if filled > 0 {
                try parser.feed(buffer.span.extracting(0..<filled))
                filled = 0
                return true
            }
            try parser.finish()
            return false
        } catch {
            var error = error
            error.file = path
            throw error
        }
    }
}
