extension Rule {
    /// What each target may import: it knows nothing of what is not here.
    static let allowedImports: [String: Set<String>] = [
        "Reactive": ["Dispatch", "Glibc", "Synchronization"],
        "Location": [
            "CExpat", "CGeodesic", "CZlib", "Dispatch", "FoundationEssentials", "Glibc",
            "Reactive", "Synchronization",
        ],
        "HTTPServer": ["CHTTPShim", "Dispatch", "Glibc", "Reactive", "Synchronization"],
        "FixcastService": [
            "Dispatch", "Glibc", "HTTPServer", "Location", "Reactive", "Synchronization",
        ],
        "fixcast": ["Dispatch", "FixcastService", "Glibc", "Location", "Synchronization"],
    ]

    static let layering = Rule(
        name: "every target imports only what its layer may know",
        covers: { $0.kind == "swift" && $0.path.hasPrefix("Sources/") },
        findings: { file in
            let target = String(file.path.split(separator: "/")[1])
            guard let allowed = allowedImports[target] else {
                return ["\(file.path): the table of allowed imports has no target \(target)"]
            }
            return imports(of: file).subtracting(allowed).sorted()
                .map { "\(file.path): \(target) may not import \($0)" }
        },
        counterexample: SourceFile(
            path: "Sources/Reactive/Knows.swift",
            text: "public import struct HTTPServer.Request\n"
        )
    )

    /// The modules a Swift file imports, also by `import struct Module.Name`.
    static func imports(of file: SourceFile) -> Set<String> {
        let kinds: Set<Substring> = [
            "class", "enum", "func", "let", "protocol", "struct", "typealias", "var",
        ]
        let pattern = /^\s*(?:@\w+\s+)*(?:[a-z]+\s+)?import\s+(\w+)(?:\s+(\w+))?/
        return Set(
            file.code.compactMap { line in
                guard let match = line.firstMatch(of: pattern) else {
                    return nil
                }
                let (_, first, second) = match.output
                return String(kinds.contains(first) ? second ?? first : first)
            }
        )
    }
}
