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

    @Test func `each limit in the README names a test that exists`() throws {
        let named = limitTests(in: try #require(Repository.file(at: "README.md")))
        #expect(!named.isEmpty)
        let tests = Repository.files.filter { $0.path.hasPrefix("Tests/") }.map(\.text)
        for name in named {
            let isThere = tests.contains { $0.contains("`\(name)`") || $0.contains("\"\(name)\"") }
            #expect(isThere, "no test has the name: \(name)")
        }
    }

    @Test func `the tests of limits are in the last column of their table`() {
        let text = """
            ## Limits
            | what | test |
            | --- | --- |
            | `a` | `b c` |
            ## Next
            | `d` | `e` |
            """
        #expect(limitTests(in: SourceFile(path: "README.md", text: text)) == ["b c"])
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

    /// What stands in the last column of the table in the section on limits.
    private func limitTests(in file: SourceFile) -> [String] {
        var isInSection = false
        var names: [String] = []
        for line in file.lines {
            if line.hasPrefix("## ") {
                isInSection = line == "## Limits"
            }
            if isInSection, let match = line.wholeMatch(of: /\|.*\| `([^`]*)` \|/) {
                names.append(String(match.output.1))
            }
        }
        return names
    }

    private func unexpected(in names: [String]) -> [String] {
        let agreed: Set = [
            "Benchmarks", "Dockerfile", "Examples", "Package.swift", "README.md", "Scripts",
            "Sources", "Tests", "openapi.yaml",
        ]
        return names.filter { !$0.hasPrefix(".") && !agreed.contains($0) }
    }
}
