extension TrackFormat {
    /// NMEA 0183: one fix an epoch, from RMC, GGA, GNS, GLL, VTG, ZDA, GSA, GST and GBS.
    static let nmea = TrackFormat(
        name: "nmea",
        title: "NMEA 0183",
        recognises: { prefix in
            let bytes = prefix.bytes
            return bytes.indices.dropLast(6).contains { index in
                bytes[index] == UInt8(ascii: "$") && bytes[index + 6] == UInt8(ascii: ",")
                    && bytes[(index + 1)...(index + 5)].allSatisfy {
                        $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z")
                    }
            }
        },
        makeParser: { sink, settings in
            LineTrackParser(NMEAHandler(sink, settings), reread: \.rereadAs)
        }
    )
}

/// Reads NMEA sentences and groups them into epochs by their time.
///
/// An epoch ends when a sentence with another time begins. Any talker is read; proprietary and
/// encapsulated sentences (`$P`, `!`) and whatever stands before a `$` are passed over.
final class NMEAHandler: LineHandler {
    private let sink: TrackSink
    private var calendar: NMEACalendar
    private var epoch = NMEAEpoch()
    private var hasShownChecksums = false
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
        var index = 0
        while let dollar = text.firstIndex(of: UInt8(ascii: "$"), from: index) {
            let sentence = NMEASentence(text, dollar: dollar)
            if sentence.kind != .other, isTrusted(sentence, number) {
                take(sentence, text, number)
            }
            index = sentence.next
        }
    }

    func overlongLine(_ number: Int) {
        sink.log.add(
            .warning,
            at: Place(line: number, column: 1),
            "the line is longer than \(LineSplitter.longestLine) bytes and not used"
        )
    }

    func finish(isCutOff: Bool) {
        closeEpoch()
        calendar.finish(sink)
        if epochsWithoutFix > 0 {
            sink.log.add(
                .note,
                at: firstWithoutFix,
                "\(epochsWithoutFix) epochs have no fix (status V or quality 0)"
            )
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
        if let date = epoch.date, let time = epoch.time {
            calendar.dated(date, time, sink)
        }
        if epoch.isUsable {
            calendar.deliver(epoch.finishedPoint(), time: epoch.time, date: epoch.date, to: sink)
        } else if let problem = epoch.problem {
            sink.reject(at: epoch.point.place, problem)
        } else if epoch.saysNoFix {
            if epochsWithoutFix == 0 { firstWithoutFix = epoch.point.place }
            epochsWithoutFix += 1
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
            guard hasShownChecksums else { return true }
            sink.log.add(
                .warning,
                at: Place(line: number, column: sentence.column(0)),
                "the sentence has no checksum, unlike those before it, and is not used"
            )
            return false
        }
    }

    private func take(_ sentence: NMEASentence, _ text: Span<UInt8>, _ number: Int) {
        if sentence.kind == .vtg, epoch.isOver(nil, .vtg) { beginEpoch() }
        if sentence.kind != .vtg, sentence.kind != .gsa {
            let field = sentence.kind == .gll ? 5 : 1
            let time = sentence.timeOfDay(text, field)
            if time == nil, !sentence.field(text, field).isEmpty {
                sink.log.add(
                    .warning,
                    at: Place(line: number, column: sentence.column(field)),
                    "\(sentence.quoted(text, field)) is no time of day, hhmmss.ss was expected; "
                        + "the sentence is not used"
                )
                return
            }
            if epoch.isOver(time, sentence.kind) { beginEpoch() }
            if epoch.isEmpty {
                epoch.time = time
                epoch.point.place = Place(line: number, column: sentence.column(0))
            }
        }
        epoch.take(sentence, text)
        shape.count += 1
        shape.last = sentence.kind
        // A receiver says the same sentences every second: the epoch that is as long as the ones
        // before is over, and its fix need not wait for the next.
        if isLive, shape == usualShape { closeEpoch() }
    }
}
