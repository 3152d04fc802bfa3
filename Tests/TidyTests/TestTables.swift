extension Rule {
    /// The documents with a table whose last column names tests.
    static let documentsWithTestTables: Set<String> = [
        "README.md", "Tests/PublicFaults.md", "Tests/TrackFaults.md",
    ]

    static let testTables = Rule(
        name: "every row of a table of tests names tests that exist",
        covers: { documentsWithTestTables.contains($0.path) },
        findings: { file in
            let rows = testTableRows(of: file)
            guard !rows.isEmpty else {
                return ["\(file.path): no table has a last column for tests"]
            }
            return rows.flatMap { row in
                let wrong =
                    row.names.isEmpty
                    ? ["a row without a test"]
                    : row.names.filter { !testNames.contains($0) }.map { "no test is named: \($0)" }
                return wrong.map { "\(file.path):\(row.line): \($0)" }
            }
        },
        counterexample: SourceFile(
            path: "Tests/PublicFaults.md",
            text: "| no. | tests |\n| --- | --- |\n| 1 | `no test is called so` |\n"
        )
    )

    /// The sentences of all unit tests, of acceptance steps and of what the soak looks for, and the
    /// names of the track files of which is known what they give.
    static let testNames = Set(Repository.files.flatMap(testNames(in:)))

    /// The sentences in a file that are tests; a mention in prose or in a comment is none.
    static func testNames(in file: SourceFile) -> [String] {
        if let track = file.path.firstMatch(of: trackWithExpectation)?.output.1 {
            return [String(track)]
        }
        let pattern: Regex<(Substring, Substring)>
        if file.kind == "swift", file.path.hasPrefix("Tests/") {
            pattern = /^\s*(?:@Test.* )?func `([^`]+)`\(/
        } else if file.kind == "py", file.path.hasPrefix("Tests/Acceptance/step_") {
            pattern = /^@step\("([^"]+)"/
        } else if file.path == "Scripts/soak" {
            pattern = /^\s+"([^"{]+)",$/
        } else {
            return []
        }
        return file.code.compactMap { $0.firstMatch(of: pattern).map { String($0.output.1) } }
    }

    private static var trackWithExpectation: Regex<(Substring, Substring)> {
        /^Tests\/LocationTests\/Fixtures\/(.+)\.expected\.ndjson$/
    }

    /// The rows of the tables whose last column is headed `test` or `tests`, and what stands there
    /// in backticks.
    static func testTableRows(of file: SourceFile) -> [(line: Int, names: [String])] {
        var isInTable = false
        var rows: [(line: Int, names: [String])] = []
        for (index, line) in file.lines.enumerated() {
            guard line.hasPrefix("|") else {
                isInTable = false
                continue
            }
            if line.contains(/\| tests? \|$/) {
                isInTable = true
            } else if isInTable, !line.hasPrefix("| ---") {
                let cell = line.dropLast().split(separator: " | ").last ?? ""
                let names = cell.matches(of: /`([^`]+)`/).map { String($0.output.1) }
                rows.append((line: index + 1, names: names))
            }
        }
        return rows
    }
}
