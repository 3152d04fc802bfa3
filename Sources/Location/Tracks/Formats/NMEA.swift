extension TrackFormat {
    /// NMEA 0183: one fix an epoch, from RMC, GGA, GNS, GLL, VTG, ZDA, GSA, GST and GBS.
    static let nmea = TrackFormat(
        name: "nmea",
        title: "NMEA 0183",
        recognises: { prefix in
            let bytes = prefix.bytes
            if NMEASentence.occurs(in: bytes.span) { return true }
            // Ships and shore stations of AIS, which other sentences may stand between.
            return bytes.indices.dropLast(6).contains { index in
                bytes[index] == UInt8(ascii: "!") && bytes[index + 6] == UInt8(ascii: ",")
                    && bytes[(index + 3)...].starts(with: "VD".utf8)
            }
        },
        makeParser: { sink, settings in
            LineTrackParser(NMEAHandler(sink, settings))
        }
    )
}

/// Reads NMEA sentences and groups them into epochs by their time.
///
/// An epoch ends when a sentence with another time begins. Any talker is read; proprietary and
/// encapsulated sentences (`$P`, `!`) and whatever stands before a `$` are passed over, and counted
/// only as long as there is no position.
final class NMEAHandler: LineHandler {
    private let sink: TrackSink
    private var calendar: NMEACalendar
    private var epoch = NMEAEpoch()
    private var hasShownChecksums = false
    private var census = NMEACensus()
    /// How many fields the sentences of each kind had last, in a log without checksums.
    private var fieldCounts = InlineArray<10, UInt8>(repeating: 0)
    /// Whether the line at hand is the last and has no line feed.
    private var isUnterminated = false
    private let isLive: Bool
    /// How many sentences the open epoch has, and which was the last.
    private var shape = Shape()
    private var newestShape = Shape()
    /// The shape of epochs where two in a row had the same.
    private var usualShape: Shape?

    private struct Shape: Equatable {
        var count = 0
        var last = NMEASentence.Kind.other
    }
    /// Whether an epoch may have begun with a sentence that was not used: those without a time
    /// are then of no known epoch.
    private var isAdrift = false
    private var epochsWithoutFix = 0
    private var firstWithoutFix = Place.none

    init(_ sink: TrackSink, _ settings: ParserSettings) {
        self.sink = sink
        isLive = settings.isLive
        calendar = NMEACalendar(settings)
    }

    var rereadAs: String? { calendar.rereadAs }

    func line(_ text: Span<UInt8>, _ number: Int) {
        if !text.isEmpty, text[0] == UInt8(ascii: "#") { return calendar.comment(text) }
        if sink.pointCount == 0 { count(text) }
        var index = 0
        while let dollar = text.firstIndex(of: UInt8(ascii: "$"), from: index) {
            let sentence = NMEASentence(text, dollar: dollar)
            if sentence.kind != .other {
                if isTrusted(sentence, number) {
                    take(sentence, text, number)
                } else if !sentence.kind.isTimeless, sentence.timeOfDay(text) != epoch.time {
                    isAdrift = true
                }
            }
            index = sentence.next
        }
    }

    func unterminatedLine(_ text: Span<UInt8>, _ number: Int) {
        isUnterminated = true
        line(text, number)
        noteCutOff(text, number)
    }

    /// Reports the end of the log inside a sentence that is of no use even when it is whole.
    private func noteCutOff(_ text: Span<UInt8>, _ number: Int) {
        let marks = [UInt8(ascii: "$"), UInt8(ascii: "!")]
        guard hasShownChecksums, let start = text.indices.last(where: { marks.contains(text[$0]) }),
            text.firstIndex(of: UInt8(ascii: "*"), from: start) == nil,
            NMEASentence(text, dollar: start).kind == .other
        else { return }
        sink.log.add(
            .warning,
            at: Place(line: number, column: start + 1),
            "the log ends inside this sentence, which is not used"
        )
    }

    /// Counts the sentences of a line by their kind.
    private func count(_ text: Span<UInt8>) {
        for mark in [UInt8(ascii: "$"), UInt8(ascii: "!")] {
            var index = 0
            while let start = text.firstIndex(of: mark, from: index) {
                census.count(text, at: start)
                index = start + 1
            }
        }
    }

    func overlongLine(_ number: Int) {
        sink.noteOverlongLine(number)
    }

    func finish(isCutOff: Bool) {
        closeEpoch()
        calendar.finish(sink)
        if epochsWithoutFix > 0 {
            let epochs = epochsWithoutFix == 1 ? "1 epoch has" : "\(epochsWithoutFix) epochs have"
            sink.log.add(.note, at: firstWithoutFix, "\(epochs) no fix (status V or quality 0)")
        } else if sink.pointCount == 0, let summary = census.summary {
            sink.log.add(.note, at: Place(line: 1, column: 1), summary)
        }
    }

    func flush() {
        closeEpoch()
    }

    /// Ends the open epoch, when it is known that nothing of it follows.
    func closeEpoch() {
        defer {
            epoch = NMEAEpoch()
            shape = Shape()
        }
        if epoch.hasInvalidDate { calendar.hasInvalidDates = true }
        if let time = epoch.time {
            if let date = epoch.date {
                calendar.dated(date, time, sink)
            } else if let date = epoch.doubtfulDate {
                calendar.doubted(date, time)
            }
        }
        if epoch.isUsable {
            calendar.deliver(epoch.finishedPoint(), time: epoch.time, date: epoch.date, to: sink)
        } else if epoch.saysNoFix {
            if epochsWithoutFix == 0 { firstWithoutFix = epoch.point.place }
            epochsWithoutFix += 1
        } else if let problem = epoch.problem {
            sink.reject(at: epoch.problemPlace, problem)
        }
    }

    /// Ends the open epoch, because a sentence of the next has come.
    private func beginEpoch() {
        usualShape = shape == newestShape ? shape : nil
        newestShape = shape
        closeEpoch()
    }

    private func isTrusted(_ sentence: NMEASentence, _ number: Int) -> Bool {
        switch sentence.checksum {
        case .right:
            hasShownChecksums = true
            return true
        case .wrong:
            sink.log.add(
                .warning,
                at: Place(line: number, column: sentence.column(0)),
                "the checksum is wrong, the sentence is not used"
            )
            return false
        case .missing:
            // A receiver that sends checksums sends them always: this sentence was cut off.
            guard hasShownChecksums else { return isWhole(sentence, number) }
            sink.log.add(
                .warning,
                at: Place(line: number, column: sentence.column(0)),
                "the sentence has no checksum, unlike those before it, and is not used"
            )
            return false
        }
    }

    /// Whether a sentence without a checksum has not been cut off by the end of the log.
    private func isWhole(_ sentence: NMEASentence, _ number: Int) -> Bool {
        let kind = sentence.kind.rawValue
        let count = UInt8(sentence.count)
        guard isUnterminated, count < fieldCounts[kind] else {
            fieldCounts[kind] = count
            return true
        }
        sink.log.add(
            .warning,
            at: Place(line: number, column: sentence.column(0)),
            "the log ends inside this sentence, which is not used"
        )
        return false
    }

    private func take(_ sentence: NMEASentence, _ text: Span<UInt8>, _ number: Int) {
        if sentence.kind.isTimeless {
            if isAdrift { return }
            if sentence.kind == .vtg, epoch.isOverWithVTG { beginEpoch() }
        } else {
            let field = sentence.kind.timeField
            let time = sentence.timeOfDay(text)
            if time == nil, !sentence.field(text, field).isEmpty {
                sink.log.add(
                    .warning,
                    at: Place(line: number, column: sentence.column(field)),
                    "\(sentence.quoted(text, field)) is no time of day, hhmmss.ss was expected; "
                        + "the sentence is not used"
                )
                return
            }
            isAdrift = false
            if epoch.isOver(time, sentence, text) { beginEpoch() }
            if epoch.isEmpty {
                epoch.time = time
                epoch.point.place = Place(line: number, column: sentence.column(0))
            }
        }
        epoch.take(sentence, text, NMEAFaults(sink: sink, line: number))
        shape.count += 1
        shape.last = sentence.kind
        // A receiver says the same sentences every second: the epoch that is as long as the ones
        // before is over, and its fix need not wait for the next.
        if isLive, shape == usualShape { closeEpoch() }
    }
}
