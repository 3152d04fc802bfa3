/// What the variable parts of a route's pattern matched, by name.
public struct PathParameters: Sendable {
    private let values: [String: String]

    init(_ values: [String: String]) {
        self.values = values
    }

    /// The decoded text at `{name}`; empty if the pattern has no such part.
    public subscript(name: String) -> String {
        values[name] ?? ""
    }
}
