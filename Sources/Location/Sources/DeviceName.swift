/// The names devices may have: `[A-Za-z0-9._-]{1,64}`.
enum DeviceName {
    /// The most characters a name may have.
    static let maximumLength = 64

    /// Whether the text is a device name as it stands.
    static func isValid(_ text: some StringProtocol) -> Bool {
        1...maximumLength ~= text.utf8.count && text.utf8.allSatisfy(isAllowed)
    }

    /// The nearest device name to any text: every other character becomes `-`, and what is too
    /// long is cut off; `device` where there is no text.
    static func cleaned(_ text: some StringProtocol) -> String {
        let characters = text.prefix(maximumLength).map { character in
            character.utf8.count == 1 && character.utf8.allSatisfy(isAllowed) ? character : "-"
        }
        return characters.isEmpty ? "device" : String(characters)
    }

    /// The default name for a file: its base name without extension, and without a `.gz` after it.
    static func ofFile(_ path: String) -> String {
        let base = path.split(separator: "/").last ?? Substring(path)
        var stem = base
        if stem.lowercased().hasSuffix(".gz") { stem = stem.dropLast(3) }
        if let dot = stem.lastIndex(of: "."), dot != stem.startIndex { stem = stem[..<dot] }
        return cleaned(stem.isEmpty ? base : stem)
    }

    /// `device-id`; what is too long is cut off at the end.
    static func joined(_ device: String, _ id: String) -> String {
        cleaned(device + "-" + id)
    }

    /// `name-number`, with the name cut so that both fit.
    static func numbered(_ name: String, _ number: Int) -> String {
        let ending = "-\(number)"
        return cleaned(name.prefix(maximumLength - ending.count) + ending)
    }

    /// `name`, or else the first of `name-2`, `name-3` and so on that is not taken yet.
    static func free(_ name: String, taken: inout Set<String>) -> String {
        var free = name
        var number = 2
        while !taken.insert(free).inserted {
            free = numbered(name, number)
            number += 1
        }
        return free
    }

    /// Whether names may have the character.
    static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
