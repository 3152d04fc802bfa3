/// Why a track cannot be read: one sentence, and the place in the file where there is one.
public struct TrackError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file concerned, `-` for standard input; empty where it is not known.
    public var file: String
    /// What is wrong and what was expected.
    public var message: String
    /// The line concerned, counted from 1.
    public var line: Int?
    /// The column concerned, counted in bytes from 1.
    public var column: Int?

    /// An error about `file`, at a place in it where one is known.
    public init(file: String = "", message: String, line: Int? = nil, column: Int? = nil) {
        self.file = file
        self.message = message
        self.line = line
        self.column = column
    }

    /// `FILE:LINE:COLUMN: MESSAGE`, without the parts that are not known.
    public var description: String {
        let place = [file.isEmpty ? nil : file, line.map(String.init), column.map(String.init)]
            .compactMap { $0 }
            .joined(separator: ":")
        return place.isEmpty ? message : "\(place): \(message)"
    }
}
