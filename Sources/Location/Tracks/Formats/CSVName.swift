/// The name of a CSV column, cut into words, with the unit that is in it.
struct CSVName {
    /// The name without quotes and blanks around it.
    let text: String
    /// Its words in lower case, without what stands in parentheses.
    let words: [String]
    /// What stands in parentheses, in lower case.
    let parenthesis: String?

    /// The words in one, as some write them.
    var joined: String { words.joined() }

    init(_ name: String) {
        let plain = CSVName.trimmed(name.filter { $0 != "\"" }[...])
        text = plain
        let opening = plain.firstIndex { $0 == "(" || $0 == "[" }
        words = CSVName.words(plain[..<(opening ?? plain.endIndex)])
        parenthesis = opening.map { opening in
            let rest = plain[plain.index(after: opening)...]
            return CSVName.trimmed(rest.prefix { $0 != ")" && $0 != "]" }).lowercased()
        }
    }

    /// The words behind those of some that the name begins with.
    func words(after beginnings: Set<String>) -> ArraySlice<String> {
        let rest = words.drop { beginnings.contains($0) }
        return rest.isEmpty ? words[...] : rest
    }

    /// Whether one of the words is one of some.
    func hasWord(of some: Set<String>) -> Bool {
        words.contains { some.contains($0) }
    }

    /// Cuts at blanks and signs, and where small letters are followed by a capital or a digit.
    private static func words(_ text: Substring) -> [String] {
        var words: [String] = []
        var word = ""
        let characters = Array(text)
        for (index, character) in characters.enumerated() {
            guard !" _-./\t".contains(character) else {
                if !word.isEmpty { words.append(word) }
                word = ""
                continue
            }
            if !word.isEmpty, begins(at: index, characters) {
                words.append(word)
                word = ""
            }
            word += character.lowercased()
        }
        if !word.isEmpty { words.append(word) }
        return words
    }

    private static func begins(at index: Int, _ characters: [Character]) -> Bool {
        let (character, previous) = (characters[index], characters[index - 1])
        if character.isNumber { return !previous.isNumber }
        guard character.isUppercase else { return false }
        if previous.isLowercase || previous.isNumber { return true }
        // The last of several capitals begins a word that goes on in small letters.
        return index + 1 < characters.count && characters[index + 1].isLowercase
    }

    private static func trimmed(_ text: Substring) -> String {
        String(
            text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()
        )
    }
}
