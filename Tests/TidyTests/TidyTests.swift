import Testing

@Suite struct TidyTests {
    @Test(arguments: Rule.all)
    func `a rule finds fault with its counterexample`(_ rule: Rule) {
        #expect(rule.covers(rule.counterexample))
        #expect(!rule.findings(rule.counterexample).isEmpty)
    }

    @Test(arguments: Rule.all)
    func `the repository keeps a rule`(_ rule: Rule) {
        let covered = Repository.files.filter(rule.covers)
        #expect(!covered.isEmpty, "a rule that covers no file checks nothing")
        #expect(covered.flatMap(rule.findings) == [])
    }

    @Test func `a comment is no code, and a URL in a string is no comment`() {
        let file = SourceFile(path: "X.swift", text: "let a = \"http://b\" // unsafe\n// c\n")
        #expect(file.code == ["let a = \"http://b\" ", ""])
    }

    @Test func `imports are found in each of their forms`() {
        let text = """
            import A
            public import B
            @testable import C
            import struct D.E
            // import F
            """
        #expect(Rule.imports(of: SourceFile(path: "X.swift", text: text)) == ["A", "B", "C", "D"])
    }

    @Test func `openapi.yaml describes every route and nothing else`() throws {
        let service = Repository.files.filter { $0.path.hasPrefix("Sources/FixcastService/") }
        let described = OpenAPI.operations(in: try #require(Repository.file(at: "openapi.yaml")))
        #expect(!described.isEmpty)
        #expect(OpenAPI.routes(in: service) == described)
    }

    @Test func `routes and operations are found in code and in YAML`() {
        let code = SourceFile(path: "X.swift", text: "router.on(\n  \"GET\", \"/a/{b}\") { }\n")
        #expect(OpenAPI.routes(in: [code]) == ["GET /a/{b}"])
        let text = "paths:\n  /a:\n    get:\n    post:\n  /b:\n    get:\nx:\n  /c:\n    get:\n"
        let operations = OpenAPI.operations(in: SourceFile(path: "x.yaml", text: text))
        #expect(operations == ["GET /a", "POST /a", "GET /b"])
    }

    @Test func `names of tests are found where tests are and nowhere else`() {
        let unit = "@Test func `a b`() {\n    func `c d`(e: Int) throws {\n// func `f g`()\n`h i`\n"
        #expect(names(in: "Tests/T/X.swift", unit) == ["a b", "c d"])
        #expect(names(in: "Sources/T/X.swift", unit) == [])
        let step = "@step(\"a b\", seconds=9)\n@step(\"c `d`\")\nexpect(\"e f\")\n"
        #expect(names(in: "Tests/Acceptance/step_x.py", step) == ["a b", "c `d`"])
        let soak = "    (\n        \"a b\",\n        f\"{c} d\",\n        \"{e} f\",\n    )\n"
        #expect(names(in: "Scripts/soak", soak) == ["a b"])
        #expect(names(in: "Tests/PublicFaults.md", "| `a b` |\n") == [])
        let fixtures = "Tests/LocationTests/Fixtures/"
        #expect(names(in: fixtures + "a@b=c.gpx.expected.ndjson", "{}\n") == ["a@b=c.gpx"])
        #expect(names(in: fixtures + "a@b=c.gpx", "<gpx/>\n") == [])
    }

    private func names(in path: String, _ text: String) -> [String] {
        Rule.testNames(in: SourceFile(path: path, text: text))
    }

    @Test func `the rows of a table of tests name what its last column holds in backticks`() {
        let text = """
            | what | test |
            | --- | --- |
            | `a` | `b c` `d` |
            | `e` | none |

            | what | else |
            | --- | --- |
            | `f` | `g` |
            """
        let rows = Rule.testTableRows(of: SourceFile(path: "README.md", text: text))
        #expect(rows.map(\.names) == [["b c", "d"], []])
        #expect(rows.map(\.line) == [3, 4])
    }

    @Test(arguments: ["Tests/PublicFaults.md", "Tests/TrackFaults.md"])
    func `a table of faults is numbered without holes`(_ path: String) throws {
        let file = try #require(Repository.file(at: path))
        let numbers = file.lines.compactMap { $0.firstMatch(of: /^\| (\d+) \|/)?.output.1 }
        #expect(numbers.count > 40)
        #expect(numbers.compactMap { Int($0) } == Array(1...numbers.count))
    }

    @Test func `only the agreed names are at the top level`() {
        #expect(unexpected(in: Repository.topLevel) == [])
        #expect(unexpected(in: ["Sources", "CHANGELOG.md", ".gitignore"]) == ["CHANGELOG.md"])
    }

    @Test func `every unsafe wrapper on the list exists and is unsafe`() {
        for path in Rule.wrappers {
            let code = Repository.file(at: path)?.code ?? []
            #expect(
                code.contains { $0.contains(/\bunsafe\b/) },
                "\(path) needs no place on the list"
            )
        }
    }

    private func unexpected(in names: [String]) -> [String] {
        let agreed: Set = [
            "Benchmarks", "Dockerfile", "Examples", "Package.swift", "README.md", "Scripts",
            "Sources", "Tests", "openapi.yaml",
        ]
        return names.filter { !$0.hasPrefix(".") && !agreed.contains($0) }
    }
}
