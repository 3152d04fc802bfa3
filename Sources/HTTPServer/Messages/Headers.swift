/// The header fields of a message, in the order of arrival, with case-insensitive names.
public struct Headers: Sendable {
    /// The fields as they came; values are without the white space around them.
    public private(set) var fields: [(name: String, value: String)]

    /// Fields in the given order.
    public init(_ fields: [(name: String, value: String)] = []) {
        self.fields = fields
    }

    /// The value of the first field of that name.
    public func first(_ name: String) -> String? {
        fields.first { isSameName($0.name, name) }?.value
    }

    /// The values of all fields of that name, in order.
    public func all(_ name: String) -> [String] {
        fields.filter { isSameName($0.name, name) }.map(\.value)
    }

    /// Appends a field.
    public mutating func append(_ name: String, _ value: String) {
        fields.append((name, value))
    }

    private func isSameName(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count
            && zip(one.utf8, other.utf8).allSatisfy { lowercased($0) == lowercased($1) }
    }

    private func lowercased(_ byte: UInt8) -> UInt8 {
        (65...90).contains(byte) ? byte + 32 : byte
    }
}
