/// Reads the parameters of one SOURCE argument by name and type, and says what was expected where
/// one is wrong.
struct SourceParameters {
    private let specification: SourceSpecification
    private let values: [String: String]

    /// The parameters of an argument, of which every one must be in `known`.
    init(_ specification: SourceSpecification, known: [String]) throws(SourceError) {
        self.specification = specification
        var values: [String: String] = [:]
        for parameter in specification.parameters {
            guard known.contains(parameter.name) else {
                let expected =
                    known.isEmpty
                    ? "this source has no parameters"
                    : "expected one of \(known.joined(separator: ", "))"
                throw Self.refusal(
                    of: specification,
                    "unknown parameter \"\(parameter.name)\"; \(expected)"
                )
            }
            values[parameter.name] = parameter.value
        }
        self.values = values
    }

    /// The text given, or nil.
    subscript(name: String) -> String? { values[name] }

    /// One of the cases of an enumeration, by its raw value.
    func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String,
        default fallback: Choice
    ) throws(SourceError) -> Choice where Choice.RawValue == String {
        guard let value = values[name] else { return fallback }
        guard let choice = Choice(rawValue: value) else {
            throw wrong(
                name,
                "one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))"
            )
        }
        return choice
    }

    /// A length of time within a range; `rangeText` says the range to people.
    func duration(
        _ name: String,
        in range: ClosedRange<Duration>,
        _ rangeText: String
    ) throws(SourceError) -> Duration? {
        guard let value = values[name] else { return nil }
        guard let duration = Duration(parsing: value), range.contains(duration) else {
            throw wrong(name, "a duration \(rangeText), such as 500ms, 1s or 2.5m")
        }
        return duration
    }

    /// A decimal number within a range; `rangeText` says the range to people.
    func number(
        _ name: String,
        in range: ClosedRange<Double>,
        _ rangeText: String
    ) throws(SourceError) -> Double? {
        guard let value = values[name] else { return nil }
        guard let number = Decimal.parse(value.utf8.span), range.contains(number) else {
            throw wrong(name, "a number \(rangeText)")
        }
        return number
    }

    /// A whole number within a range.
    func integer<Number: FixedWidthInteger>(
        _ name: String,
        in range: ClosedRange<Number>
    ) throws(SourceError) -> Number? {
        guard let value = values[name] else { return nil }
        guard value.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            let number = Number(value), range.contains(number)
        else {
            throw wrong(name, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// `true` or `false`.
    func flag(_ name: String, default fallback: Bool) throws(SourceError) -> Bool {
        guard let value = values[name] else { return fallback }
        guard value == "true" || value == "false" else { throw wrong(name, "true or false") }
        return value == "true"
    }

    /// The error for a value that is not what was expected.
    func wrong(_ name: String, _ expected: String) -> SourceError {
        Self.refusal(
            of: specification,
            "parameter \(name) is \"\(values[name] ?? "")\", expected \(expected)"
        )
    }

    /// What is taken for parameters may be the end of a file's name; then the way out is told.
    private static func refusal(
        of specification: SourceSpecification,
        _ reason: String
    ) -> SourceError {
        let whole = specification.textAfterDevice
        let isFile = (try? SystemCall.kind(of: whole)) == .regular
        let wayOut = isFile ? "; for the file \(whole) append ?rate=1" : ""
        return .usage("\(specification.text): \(reason)\(wayOut)")
    }
}
