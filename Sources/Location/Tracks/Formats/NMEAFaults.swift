/// Reads the numbers of a sentence and reports those that its receiver cannot have meant.
struct NMEAFaults {
    let sink: TrackSink
    let line: Int

    /// The number in a field; nil where it is empty, or, which is reported, none.
    func number(
        _ sentence: NMEASentence,
        _ text: Span<UInt8>,
        _ field: Int,
        _ name: StaticString
    ) -> Double? {
        let range = sentence.field(text, field)
        if range.isEmpty { return nil }
        if let number = Decimal.parse(text, range) { return number }
        add(sentence, field, "\(name) \(quote(text.extracting(range))) is not a decimal number")
        return nil
    }

    /// A speed, which is not negative.
    func speed(_ sentence: NMEASentence, _ text: Span<UInt8>, _ field: Int) -> Double? {
        guard let speed = number(sentence, text, field, "speed") else { return nil }
        if speed >= 0 { return speed }
        add(sentence, field, "speed \(speed) is negative")
        return nil
    }

    /// A course in degrees of the full circle.
    func course(_ sentence: NMEASentence, _ text: Span<UInt8>, _ field: Int) -> Double? {
        guard let course = number(sentence, text, field, "course") else { return nil }
        if course >= 0, course <= 360 { return course }
        add(sentence, field, "course \(course) is no course, 0 to 360 was expected")
        return nil
    }

    /// Reports that a field is not used.
    func add(_ sentence: NMEASentence, _ field: Int, _ fault: @autoclosure () -> String) {
        sink.log.add(.warning, at: place(sentence, field), "\(fault()); it is not used")
    }

    /// Where a field is.
    func place(_ sentence: NMEASentence, _ field: Int) -> Place {
        Place(line: line, column: sentence.column(field))
    }
}
