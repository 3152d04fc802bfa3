/// A file's bytes on their way to a sink: read, recognised and parsed, chunk by chunk.
final class TrackPipeline {
    /// How many bytes are read at a time.
    static let chunkLength = 1 << 16

    let sink: TrackSink
    let format: TrackFormat
    /// Whether the file can be read again from the start.
    let isRewindable: Bool
    /// The file that is read as it is, from its start to its end; nil where it is not.
    let identity: InputFile.Identity?
    /// What the first record of the file has before it.
    let markLength: Int
    /// How many bytes have been read of the source.
    private(set) var bytesRead: Int
    let name: String
    private let source: any ByteSource
    private let parser: any TrackParser
    private var buffer: [UInt8]
    private var filled: Int
    private var used: Int
    private let chunkLength: Int
    private var hasEnded = false

    /// Opens the file and recognises what it is.
    init(
        _ input: TrackInput,
        options: TrackOptions,
        rereadAs: String? = nil,
        chunkLength: Int = chunkLength
    ) throws(TrackError) {
        name = input.name
        self.chunkLength = chunkLength
        sink = TrackSink()
        buffer = [UInt8](repeating: 0, count: TrackPipeline.chunkLength)
        let file = try input.open()
        isRewindable = file.isRewindable
        var source = file
        filled = try TrackPipeline.begin(&buffer, file)
        if Inflater.recognises(buffer[..<filled]) {
            source = Inflater(PrefixedSource(buffer[..<filled], source))
            filled = try source.fill(&buffer)
            guard !Inflater.recognises(buffer[..<filled]) else {
                throw TrackError(
                    file: name,
                    message: "is compressed with gzip twice, once was expected"
                )
            }
        }
        if let isBigEndian = FilePrefix.utf16(buffer[..<filled]) {
            source = UTF16Source(
                PrefixedSource(buffer[..<filled], source),
                isBigEndian: isBigEndian
            )
            filled = try source.fill(&buffer)
        }
        self.source = source
        identity = source === file ? (file as? InputFile)?.identity : nil
        bytesRead = filled
        let bytes = buffer[..<filled]
        guard filled > 0 else {
            let reason = source.problem ?? "is empty, a track was expected"
            throw TrackError(file: name, message: reason)
        }
        let prefix = FilePrefix(bytes)
        guard let format = TrackFormat.recognise(prefix) else {
            if let problem = source.problem {
                let reason = problem.prefix { $0 != "," && $0 != ";" }
                throw TrackError(file: name, message: "cannot be recognised: \(reason)")
            }
            let message =
                prefix.foreignFormat.map { "is \($0), which is not read" }
                ?? "is in none of the known formats: "
                + TrackFormat.registry.map(\.title).joined(separator: ", ")
            throw TrackError(file: name, message: message)
        }
        self.format = format
        markLength = prefix.markLength
        used = markLength
        parser = format.makeParser(
            sink,
            ParserSettings(
                options: options,
                isRewindable: isRewindable,
                rereadAs: rereadAs,
                modificationDate: file.modificationDate
            )
        )
    }

    /// Goes on with a part of a file that has been read before.
    init(_ part: TrackPart, options: TrackOptions) {
        name = part.name
        format = part.parts.format
        source = PartSource(part)
        sink = TrackSink(part.parts.devices)
        isRewindable = true
        identity = nil
        markLength = 0
        bytesRead = 0
        filled = 0
        used = 0
        chunkLength = TrackParts.chunkLength
        buffer = [UInt8](repeating: 0, count: chunkLength)
        parser = format.makeParser(
            sink,
            ParserSettings(
                options: options,
                isRewindable: true,
                modificationDate: part.file.modificationDate
            )
        )
    }

    /// Reads what the format is recognised by: of a file all there is room for, of standard input
    /// no more than it takes, because more may be long in coming.
    private static func begin(
        _ buffer: inout [UInt8],
        _ file: any ByteSource
    ) throws(TrackError) -> Int {
        guard !file.isRewindable else { return try file.fill(&buffer) }
        var filled = 0
        while filled < buffer.count {
            let count = try file.read(into: &buffer, from: filled)
            if count == 0 { break }
            filled += count
            let isText = !Inflater.recognises(buffer[..<filled])
            guard isText, buffer[..<filled].contains(0x0A) else { continue }
            let lines = buffer[..<filled].split { $0 == 0x0A || $0 == 0x0D }
            // After gpsd's greeting anything may come.
            if lines.allSatisfy(NDJSONHandler.isNews) { continue }
            if TrackFormat.recognise(FilePrefix(buffer[..<filled])) != nil { break }
        }
        return filled
    }

    /// After the end: why the file must be read again.
    var rereadAs: String? { parser.rereadAs }

    /// The newest place known at which no record is open.
    var boundary: RecordBoundary? { parser.boundary }

    /// Parses the next chunk into the sink; false after the last.
    func advance() throws(TrackError) -> Bool {
        if used == filled, !hasEnded {
            used = 0
            filled = try source.read(into: &buffer, from: 0)
            bytesRead += filled
            hasEnded = filled == 0
            if hasEnded {
                for fault in [source.problem, source.remark].compactMap(\.self) {
                    sink.log.add(.warning, at: .none, endsReading: true, fault)
                }
            }
        }
        do throws(TrackError) {
            if used < filled {
                let end = min(filled, used + chunkLength)
                used += try parser.feed(buffer.span.extracting(used..<end))
                return true
            }
            return try !parser.finish()
        } catch {
            var error = error
            error.file = name
            throw error
        }
    }
}
