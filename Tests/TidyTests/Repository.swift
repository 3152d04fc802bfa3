import Foundation

/// A text file of the repository.
struct SourceFile: Sendable {
    /// The path from the repository's root, as in `Sources/Reactive/Signal.swift`.
    let path: String
    let text: String
    /// The lines without their ends; a last line end begins no further line.
    let lines: [Substring]
    /// Each line up to its comment, so that a rule about code does not read prose.
    let code: [Substring]

    init(path: String, text: String) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true {
            lines.removeLast()
        }
        self.path = path
        self.text = text
        self.lines = lines
        self.code = lines.map(Self.withoutComment)
    }

    /// The file's name after its last dot, or nothing.
    var kind: String {
        let name = path.split(separator: "/").last ?? ""
        return name.contains(".") ? String(name.split(separator: ".").last ?? "") : ""
    }

    /// A `//` inside a string literal on one line, as in a URL, begins no comment.
    private static func withoutComment(_ line: Substring) -> Substring {
        guard line.contains("//") else {
            return line
        }
        var isInString = false
        var previous: Character = " "
        for index in line.indices {
            let character = line[index]
            if character == "\"", previous != "\\" {
                isInString.toggle()
            }
            if character == "/", previous == "/", !isInString {
                return line[..<line.index(before: index)]
            }
            previous = character
        }
        return line
    }
}

/// The repository these tests were built from.
enum Repository {
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The names at the top level.
    static let topLevel: [String] =
        (try? FileManager.default.contentsOfDirectory(atPath: root.path())) ?? []

    /// Every file below the folders that hold text of our own, and the manifest.
    static let files: [SourceFile] = {
        let folders = ["Sources", "Tests", "Scripts", "Benchmarks", "Examples", ".ci"]
        let paths = folders.flatMap(paths(below:)) + ["Package.swift", "README.md", "openapi.yaml"]
        return paths.compactMap(file(at:))
    }()

    /// The file at a path from the root, or nil if there is none or it is not text.
    static func file(at path: String) -> SourceFile? {
        guard let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8)
        else {
            return nil
        }
        return SourceFile(path: path, text: text)
    }

    private static func paths(below folder: String) -> [String] {
        let below = FileManager.default.enumerator(atPath: root.appending(path: folder).path())
        return (below?.compactMap { $0 as? String } ?? [])
            .filter { !$0.split(separator: "/").contains { $0.hasPrefix(".") } }
            .map { "\(folder)/\($0)" }
            .sorted()
    }
}
