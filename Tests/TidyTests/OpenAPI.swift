/// The methods and paths that the code registers, and those that `openapi.yaml` describes, each as
/// in `GET /v1/devices/{device}`.
enum OpenAPI {
    /// What is registered by `router.on("GET", "/path")`, over all files.
    static func routes(in files: [SourceFile]) -> Set<String> {
        let pattern = /\.on\(\s*"([A-Z]+)",\s*"(\/[^"]*)"/
        return Set(
            files.flatMap { file in
                file.text.matches(of: pattern).map { "\($0.output.1) \($0.output.2)" }
            }
        )
    }

    /// What is described: in the block of `paths:`, paths are indented by two, methods by four.
    static func operations(in file: SourceFile) -> Set<String> {
        var operations: Set<String> = []
        var isInPaths = false
        var path = ""
        for line in file.lines {
            if let name = line.wholeMatch(of: /([a-z]+):.*/) {
                isInPaths = name.output.1 == "paths"
            }
            guard isInPaths else {
                continue
            }
            if let match = line.wholeMatch(of: /\s{2}(\/.*):/) {
                path = String(match.output.1)
            }
            if let match = line.wholeMatch(of: /\s{4}(get|put|post|delete|patch):/) {
                operations.insert("\(match.output.1.uppercased()) \(path)")
            }
        }
        return operations
    }
}
