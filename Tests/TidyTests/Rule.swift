import Testing

/// One rule about the text of the repository, with a file that breaks it.
struct Rule: Sendable, CustomTestStringConvertible {
    let name: String
    /// Whether the rule is about the file at this path.
    let covers: @Sendable (SourceFile) -> Bool
    /// What is wrong in a file, one sentence a finding.
    let findings: @Sendable (SourceFile) -> [String]
    /// A file that the rule covers and must find fault with: without it a rule may check nothing.
    let counterexample: SourceFile

    var testDescription: String { name }

    static let all: [Rule] =
        [
            layering, lineLength, fileLength, lineEnds, leftForLater, cLibraryNames, unsafety,
            testTables,
        ]
        + forbiddenCode + sleeps
}

extension Rule {
    static let lineLength = Rule(
        name: "lines have at most 100 columns",
        covers: { isCode($0) },
        findings: { file in
            numbered(file.lines).filter { $0.line.count > 100 }
                .map { "\(file.path):\($0.number): \($0.line.count) columns, at most 100" }
        },
        counterexample: SourceFile(
            path: "Sources/Location/Wide.swift",
            text: String(repeating: "x", count: 101) + "\n"
        )
    )

    static let fileLength = Rule(
        name: "files have at most 500 lines",
        covers: { isCode($0) },
        findings: { file in
            let count = file.lines.count
            return count > 500 ? ["\(file.path): \(count) lines, at most 500"] : []
        },
        counterexample: SourceFile(
            path: "Sources/Location/Long.swift",
            text: String(repeating: "\n", count: 501)
        )
    )

    static let lineEnds = Rule(
        name: "lines end without blanks, and files with a line end",
        covers: { isCode($0) || $0.kind == "yaml" || $0.kind == "md" },
        findings: { file in
            let blanks = numbered(file.lines)
                .filter { $0.line.last?.isWhitespace == true || $0.line.contains("\t") }
                .map { "\(file.path):\($0.number): a tab, or a blank at the end of the line" }
            let isEnded = file.text.isEmpty || file.text.hasSuffix("\n")
            return blanks + (isEnded ? [] : ["\(file.path): no line end at the end of the file"])
        },
        counterexample: SourceFile(path: "Sources/Location/Blank.swift", text: "let x = 1 \n")
    )

    static let leftForLater = Rule(
        name: "nothing is left for later",
        covers: { isCode($0) || $0.kind == "yaml" || $0.kind == "md" },
        findings: { file in
            find(["TO" + "DO", "FIX" + "ME", "XX" + "X"], in: file.lines, of: file)
        },
        counterexample: SourceFile(
            path: "Sources/Location/Later.swift",
            text: "// TO" + "DO: write it\n"
        )
    )

    static let cLibraryNames = Rule(
        name: "the HTTP library's names stay in the shim's own files",
        covers: { isCode($0) && !isInsideShim($0.path) && !$0.path.hasPrefix("Tests/TidyTests/") },
        findings: { find(["MHD" + "_"], in: $0.lines, of: $0) },
        counterexample: SourceFile(
            path: "Sources/CHTTPShim/include/CHTTPShim.h",
            text: "int shim_start(struct MHD" + "_Daemon *daemon);\n"
        )
    )

    /// The files that may say `unsafe`: one wrapper for each C library or system interface.
    static let wrappers: Set<String> = [
        "Sources/FixcastService/FileWriter.swift",
        "Sources/FixcastService/HealthCheck.swift",
        "Sources/fixcast/Environment.swift",
        "Sources/HTTPServer/Server/Daemon.swift",
        "Sources/Location/Live/Descriptor.swift",
        "Sources/Location/Live/SystemCall.swift",
        "Sources/Location/Live/TCPConnection.swift",
        "Sources/Location/Tracks/ExpatParser.swift",
        "Sources/Location/Tracks/Inflater.swift",
        "Sources/Location/Tracks/InputFile.swift",
    ]

    static let unsafety = Rule(
        name: "unsafe code stays in the wrapper files",
        covers: {
            $0.kind == "swift" && $0.path.hasPrefix("Sources/") && !wrappers.contains($0.path)
        },
        findings: { file in
            numbered(file.code).filter { $0.line.contains(/\bunsafe\b/) }
                .map { "\(file.path):\($0.number): unsafe code outside the wrapper files" }
        },
        counterexample: SourceFile(
            path: "Sources/Location/Pointer.swift",
            text: "let first = unsafe pointer.pointee\n"
        )
    )

    static let forbiddenCode: [Rule] = [
        forbidden("@unchecked" + " Sendable"),
        forbidden("nonisolated" + "(unsafe)"),
        forbidden("try" + "!"),
        forbidden("as" + "!"),
        forbidden("fatal" + "Error("),
        // What it reads depends on the locale.
        forbidden("str" + "tod("),
        forbidden("print" + "(", exceptBelow: "Sources/fixcast/"),
    ]

    static let sleeps: [Rule] = [
        "Task.sl" + "eep", "Thread.sl" + "eep", "usl" + "eep(", " sl" + "eep(",
    ]
    .map { word in
        Rule(
            name: "no test waits with \(word)",
            covers: { $0.kind == "swift" && $0.path.hasPrefix("Tests/") },
            findings: { find([word], in: $0.code, of: $0) },
            counterexample: SourceFile(
                path: "Tests/ReactiveTests/Waits.swift",
                text: "_ = \(word) 1\n"
            )
        )
    }

    private static func forbidden(_ word: String, exceptBelow exception: String? = nil) -> Rule {
        Rule(
            name: "no Swift code says \(word)",
            covers: { file in
                file.kind == "swift" && !(exception.map(file.path.hasPrefix) ?? false)
            },
            findings: { find([word], in: $0.code, of: $0) },
            counterexample: SourceFile(
                path: "Sources/Location/Forbidden.swift",
                text: "let x = \(word)\n"
            )
        )
    }

    private static func find(
        _ words: [String],
        in lines: [Substring],
        of file: SourceFile
    ) -> [String] {
        numbered(lines).flatMap { number, line in
            words.filter { contains(line, word: $0) }.map { "\(file.path):\(number): says \($0)" }
        }
    }

    /// Whether a line holds the text with no letter or digit directly before it, so that
    /// `blueprint(` is no `print(`.
    private static func contains(_ line: Substring, word: String) -> Bool {
        line.ranges(of: word).contains { range in
            guard range.lowerBound > line.startIndex else {
                return true
            }
            let before = line[line.index(before: range.lowerBound)]
            return !(before.isLetter || before.isNumber || before == "_")
        }
    }

    private static func numbered(_ lines: [Substring]) -> [(number: Int, line: Substring)] {
        lines.enumerated().map { (number: $0.offset + 1, line: $0.element) }
    }

    private static func isCode(_ file: SourceFile) -> Bool {
        ["swift", "c", "h", "cpp", "py"].contains(file.kind)
            || file.path.hasPrefix("Scripts/") || file.path.hasPrefix(".ci/")
    }

    private static func isInsideShim(_ path: String) -> Bool {
        path.hasPrefix("Sources/CMicroHTTPD/")
            || (path.hasPrefix("Sources/CHTTPShim/") && !path.contains("/include/"))
    }
}
