/// What media types a client takes, from its `Accept` header (RFC 9110 section 12.5.1).
struct AcceptHeader: Sendable {
    private struct Range {
        let type: Substring
        let subtype: Substring
        let quality: Double

        /// How well the range names a media type: 2 exactly, 1 by its type, 0 as `*/*`; nil not at
        /// all.
        func specificity(for media: String) -> Int? {
            if type == "*" { return 0 }
            let parts = media.split(separator: "/")
            guard parts[0] == type else { return nil }
            if subtype == "*" { return 1 }
            return parts[1] == subtype ? 2 : nil
        }
    }

    private let ranges: [Range]

    /// Reads the header's values; none means that everything is taken, and what is no media range
    /// takes nothing.
    init(_ values: [String]) {
        let elements = values.flatMap { HeaderList.parts(of: $0, separator: UInt8(ascii: ",")) }
        let everything = Range(type: "*", subtype: "*", quality: 1)
        ranges = elements.isEmpty ? [everything] : elements.compactMap(Self.range)
    }

    /// The offer the client likes best, the earlier one among equals; nil when it takes none.
    func preferred(among offers: [String]) -> String? {
        var best: (offer: String, quality: Double)?
        for offer in offers {
            let quality = quality(of: offer)
            if quality > (best?.quality ?? 0) { best = (offer, quality) }
        }
        return best?.offer
    }

    private func quality(of media: String) -> Double {
        var best: (specificity: Int, quality: Double)?
        for range in ranges {
            guard let specificity = range.specificity(for: media) else { continue }
            if specificity > (best?.specificity ?? -1) { best = (specificity, range.quality) }
        }
        return best?.quality ?? 0
    }

    private static func range(_ element: String) -> Range? {
        let parts = HeaderList.parts(of: element.lowercased(), separator: UInt8(ascii: ";"))
        guard let media = parts.first else { return nil }
        let names = media.split(separator: "/", omittingEmptySubsequences: false)
        guard names.count == 2, names.allSatisfy({ !$0.isEmpty }),
            names[0] != "*" || names[1] == "*"
        else { return nil }
        var quality = 1.0
        for parameter in parts.dropFirst() where parameter.hasPrefix("q=") {
            quality = Double(parameter.dropFirst(2)) ?? 0
        }
        return Range(type: names[0], subtype: names[1], quality: min(max(quality, 0), 1))
    }
}
