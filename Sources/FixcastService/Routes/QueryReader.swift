internal import HTTPServer
internal import Location

/// Takes the parameters of a query one by one, and objects to what nobody took.
struct QueryReader {
    private let items: [(name: String, value: String)]
    private var known: Set<String> = ["access_token"]

    init(_ request: Request) {
        items = request.query
    }

    /// The value of a parameter that may be given once.
    mutating func single(_ name: String) throws(ParameterFault) -> String? {
        known.insert(name)
        let values = items.filter { $0.name == name }
        guard values.count <= 1 else {
            throw ParameterFault(
                parameter: name,
                detail: "\(name) is given \(values.count) times; expected once"
            )
        }
        return values.first?.value
    }

    /// The values of a parameter that may be repeated or hold a comma list.
    mutating func list(_ name: String) -> [String] {
        known.insert(name)
        return items.filter { $0.name == name }.flatMap { item in
            item.value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
    }

    mutating func duration(
        _ name: String,
        upTo maximum: Duration? = nil
    ) throws(ParameterFault) -> Duration? {
        guard let text = try single(name) else { return nil }
        guard let duration = Duration(parsing: text) else {
            throw ParameterFault(
                parameter: name,
                detail: "\(name)=\(text) is not a duration; expected a number and ms, s, m or h, "
                    + "such as 500ms or 2s"
            )
        }
        if let maximum, duration > maximum {
            throw ParameterFault(
                parameter: name,
                detail: "\(name)=\(text) is too long; expected at most \(maximum.text)"
            )
        }
        return duration
    }

    mutating func positiveInteger(_ name: String) throws(ParameterFault) -> Int? {
        guard let text = try single(name) else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }),
            let value = Int(text), value > 0
        else {
            throw ParameterFault(
                parameter: name,
                detail: "\(name)=\(text) is not a count; expected a whole number from 1"
            )
        }
        return value
    }

    mutating func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ name: String,
        of type: Choice.Type
    ) throws(ParameterFault) -> Choice? {
        guard let text = try single(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: " or ")
            throw ParameterFault(
                parameter: name,
                detail: "\(name)=\(text) is unknown; expected \(choices)"
            )
        }
        return choice
    }

    /// A finite number in plain decimal notation; text such as `nan`, `0x1p3` or `1e999` is none.
    static func number(_ text: Substring) -> Double? {
        let allowed = Set("0123456789+-.eE".utf8)
        guard !text.isEmpty, text.utf8.allSatisfy(allowed.contains), let value = Double(text),
            value.isFinite
        else { return nil }
        return value
    }

    /// Objects to the first parameter that no call above has asked for.
    func finish() throws(ParameterFault) {
        guard let stranger = items.first(where: { !known.contains($0.name) }) else { return }
        let names = known.subtracting(["access_token"]).sorted().joined(separator: ", ")
        throw ParameterFault(
            parameter: stranger.name,
            detail: names.isEmpty
                ? "'\(stranger.name)' is unknown; this resource takes no parameters"
                : "'\(stranger.name)' is unknown; this resource takes \(names)"
        )
    }
}
