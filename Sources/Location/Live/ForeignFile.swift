/// Kinds of files that give nothing while they are written, told by their first bytes.
enum ForeignFile {
    /// How many bytes tell.
    static let headLength = 12

    private static let beginnings: [(bytes: [UInt8], title: String)] = [
        ([0x1F, 0x8B], "a gzip file"),
        (Array("PK".utf8) + [3, 4], "a ZIP archive"),
        (Array("BZh".utf8), "a bzip2 file"),
        ([0xFD] + Array("7zXZ".utf8), "an xz file"),
        ([0x28, 0xB5, 0x2F, 0xFD], "a Zstandard file"),
        (Array("SQLite format".utf8.prefix(headLength)), "an SQLite database"),
        ([0xFF, 0xFE], "UTF-16 text"),
        ([0xFE, 0xFF], "UTF-16 text"),
    ]

    /// Why a file that begins so cannot be followed; nil where it may.
    static func refusal(of head: [UInt8]) -> String? {
        let isFIT = head.count >= headLength && head[8..<12].elementsEqual(".FIT".utf8)
        let title = isFIT ? "a FIT file" : beginnings.first { head.starts(with: $0.bytes) }?.title
        return title.map { "is \($0), which cannot be followed while it is written; expected text" }
    }
}
