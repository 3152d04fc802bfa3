/// The parts of a header field's value, which commas and semicolons separate except inside quoted
/// strings (RFC 9110 section 5.6).
enum HeaderList {
    /// What stands between separators, without white space around it; empty parts are left out.
    static func parts(of value: some StringProtocol, separator: UInt8) -> [String] {
        var parts: [String] = []
        var part: [UInt8] = []
        var isQuoted = false
        var isEscaped = false
        for byte in value.utf8 {
            if !isQuoted, byte == separator {
                parts.append(trimmed(part))
                part = []
                continue
            }
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && !isEscaped && byte == UInt8(ascii: "\\")
            part.append(byte)
        }
        parts.append(trimmed(part))
        return parts.filter { !$0.isEmpty }
    }

    private static func trimmed(_ bytes: [UInt8]) -> String {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        var rest = bytes.drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return String(decoding: rest, as: UTF8.self)
    }
}
