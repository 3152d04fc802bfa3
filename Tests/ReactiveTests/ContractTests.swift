import Foundation
import Testing

/// The contract in the documentation is what the tests of the same words show.
@Suite struct ContractTests {
    private static let tests = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent()
    private static let contract = tests.deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/Reactive/Reactive.docc/Contract.md")

    /// The numbered sentences, without number, capital and full stop.
    private static func sentences() throws -> [(number: Int, text: String)] {
        let text = try String(contentsOf: contract, encoding: .utf8)
        var sentences: [(number: Int, text: String)] = []
        var isOpen = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let parts = line.split(separator: ". ", maxSplits: 1)
            if parts.count == 2, let number = Int(parts[0]) {
                sentences.append((number, String(parts[1])))
                isOpen = true
            } else if isOpen, line.hasPrefix("   ") {
                sentences[sentences.count - 1].text += " " + line.drop { $0 == " " }
            } else {
                isOpen = false
            }
        }
        return sentences.map { sentence in
            let text = sentence.text.hasSuffix(".") ? sentence.text.dropLast() : sentence.text[...]
            return (sentence.number, text.prefix(1).lowercased() + text.dropFirst())
        }
    }

    @Test func `every sentence of the contract is the name of a test`() throws {
        let files = try FileManager.default.contentsOfDirectory(
            at: Self.tests,
            includingPropertiesForKeys: nil
        )
        let source = try files.filter { $0.pathExtension == "swift" }
            .map { try String(contentsOf: $0, encoding: .utf8) }
            .joined()
        let sentences = try Self.sentences()
        #expect(sentences.count > 60)
        #expect(sentences.map(\.number) == Array(1...sentences.count))
        for (number, text) in sentences {
            #expect(source.contains("func `\(text)`("), "\(number). \(text)")
        }
    }
}
