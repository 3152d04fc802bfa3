/// Finds the day of NMEA epochs, most of whose sentences have only a time of day.
///
/// The day is that of an RMC or ZDA in the epoch, else the one that brings the epoch within twelve
/// hours of the one before. Epochs before the first date wait for it. A log without any date begins
/// on the day of `date=`, else of its `# Date:` comment, else has the date of a receiver without a
/// fix, else ends on the day on which the file was last written.
struct NMEACalendar {
    private static let day: Int64 = 86_400_000
    private static let mostWaiting = 16_384

    private let chosenDate: CivilDate?
    private let isRewindable: Bool
    private let isLive: Bool
    private let modificationDate: CivilDate?
    /// The day of the first epoch, when an earlier reading has found it out.
    private let knownFirstDate: CivilDate?
    /// Whether that is a guess, which is to be said again.
    private var mustNoteDate = false
    private var commentDate: CivilDate?
    /// Whether there were dates that no calendar has.
    var hasInvalidDates = false
    /// The newest date of a receiver without a fix, and how many positions were waiting then.
    private var doubt: (moment: Int64, index: Int)?
    /// The time of the newest epoch, in milliseconds since 1970.
    private var reference: Int64?
    /// Positions without a day; their times are times of day.
    private var waiting: [TrackPoint] = []
    /// After too many waited: how the times of day went on.
    private var overflow: Overflow?

    /// After the end: the first day, for a second reading.
    private(set) var rereadAs: String?

    private struct Overflow {
        var newest: Int64
        var midnights = 0
        /// The first day of the log by the date of a receiver without a fix.
        var doubtfulFirstDay: Int?

        mutating func advance(to time: Int64) {
            if time < newest - day / 2 { midnights += 1 }
            if time > newest + day / 2 { midnights -= 1 }
            newest = time
        }

        mutating func doubt(_ days: Int, _ time: Int64) {
            advance(to: time)
            doubtfulFirstDay = days - midnights
        }
    }

    init(_ settings: ParserSettings) {
        chosenDate = settings.options.date
        isRewindable = settings.isRewindable
        isLive = settings.isLive
        modificationDate = settings.modificationDate
        let found = settings.rereadAs?.split(separator: " ").map(String.init) ?? []
        knownFirstDate = found.first.flatMap { CivilDate($0) }
        mustNoteDate = found.count > 1
        hasInvalidDates = found.count > 2
    }

    /// Takes the date of gpsd's comment `# Date: 2019-04-12`.
    mutating func comment(_ text: Span<UInt8>) {
        guard commentDate == nil, text.count <= 200 else { return }
        let words = String(decoding: (0..<text.count).map { text[$0] }, as: UTF8.self)
            .split { " #\t:".contains($0) }
        guard words.first == "Date", words.count > 1 else { return }
        commentDate = CivilDate(String(words[1]))
    }

    /// An epoch has named its day, whether it has a position or not.
    mutating func dated(_ date: CivilDate, _ time: Int64, _ sink: TrackSink) {
        let moment = Int64(date.daysSince1970) * NMEACalendar.day + time
        if var overflow {
            guard rereadAs == nil else { return }
            overflow.advance(to: time)
            setFirstDay(date.daysSince1970 - overflow.midnights)
            return
        }
        if !waiting.isEmpty {
            deliverWaiting(before: moment, to: sink)
        }
        reference = moment
    }

    /// An epoch without a fix has named its day: a clock that was never set says anything.
    mutating func doubted(_ date: CivilDate, _ time: Int64) {
        guard reference == nil else { return }
        if overflow != nil {
            overflow?.doubt(date.daysSince1970, time)
        } else {
            doubt = (Int64(date.daysSince1970) * NMEACalendar.day + time, waiting.count)
        }
    }

    /// Gives a position its day, now or later.
    mutating func deliver(
        _ point: TrackPoint,
        time: Int64?,
        date: CivilDate?,
        to sink: TrackSink
    ) {
        var point = point
        guard let time else { return sink.append(point) }
        if overflow != nil {
            if date == nil { overflow?.advance(to: time) }
            return
        }
        if reference == nil {
            if let first = knownFirstDate ?? (isLive ? chosenDate : nil) {
                if mustNoteDate { noteDate(sink, at: point.place) }
                reference = Int64(first.daysSince1970) * NMEACalendar.day + time
            } else if isLive {
                return sink.append(point)
            } else {
                return wait(point, time, sink)
            }
        }
        if let reference {
            let moment =
                date.map { Int64($0.daysSince1970) * NMEACalendar.day + time }
                ?? nearest(time, to: reference)
            point.time = moment
            self.reference = moment
            sink.append(point)
        }
    }

    /// The log has ended.
    mutating func finish(_ sink: TrackSink) {
        if let overflow {
            guard rereadAs == nil else { return }
            if let first = chosenDate?.daysSince1970 ?? commentDate?.daysSince1970
                ?? overflow.doubtfulFirstDay
            {
                setFirstDay(first)
            } else {
                setFirstDay((modificationDate?.daysSince1970 ?? 0) - overflow.midnights)
                let words = hasInvalidDates ? " guessed invalid" : " guessed"
                rereadAs = rereadAs.map { $0 + words }
            }
        } else if !waiting.isEmpty {
            decideWithoutDate(sink)
        }
    }

    private mutating func wait(_ point: TrackPoint, _ time: Int64, _ sink: TrackSink) {
        var point = point
        point.time = time
        waiting.append(point)
        guard waiting.count > NMEACalendar.mostWaiting else { return }
        guard isRewindable else { return decideWithoutDate(sink) }
        var overflow = Overflow(newest: waiting[0].time)
        for (index, point) in waiting.enumerated() {
            if let doubt, doubt.index == index {
                let (days, time) = doubt.moment.dividedRoundingDown(by: NMEACalendar.day)
                overflow.doubt(Int(days), time)
            }
            overflow.advance(to: point.time)
        }
        self.overflow = overflow
        waiting = []
    }

    private mutating func setFirstDay(_ days: Int) {
        let date = CivilDate(daysSince1970: days)
        rereadAs = date.map { Timestamp(milliseconds: Int64($0.daysSince1970) * 86_400_000) }
            .map { String($0.description.prefix(10)) }
    }

    private mutating func decideWithoutDate(_ sink: TrackSink) {
        if let first = chosenDate ?? commentDate {
            reference = Int64(first.daysSince1970) * NMEACalendar.day + waiting[0].time
            let points = waiting
            waiting = []
            for point in points {
                let time = point.time
                deliver(point, time: time, date: nil, to: sink)
            }
            return
        }
        if let doubt { return deliverWaiting(around: doubt, to: sink) }
        noteDate(sink, at: waiting[0].place)
        let lastDay = Int64(modificationDate?.daysSince1970 ?? 0)
        let last = lastDay * NMEACalendar.day + waiting[waiting.count - 1].time
        deliverWaiting(before: last, to: sink)
        reference = last
    }

    private func noteDate(_ sink: TrackSink, at place: Place) {
        let day = modificationDate == nil ? "1970-01-01" : "the day the file was last written"
        let fault =
            hasInvalidDates ? "none of the dates in the log is valid" : "the log has no date"
        sink.log.add(.warning, at: place, "\(fault), \(day) is taken (date= names one)")
    }

    /// Delivers what waits by the date of a receiver without a fix.
    private mutating func deliverWaiting(
        around doubt: (moment: Int64, index: Int),
        to sink: TrackSink
    ) {
        sink.log.add(
            .note,
            at: waiting[0].place,
            "the only dates in the log are those of epochs without a fix (date= names another)"
        )
        let later = Array(waiting.dropFirst(doubt.index))
        waiting.removeSubrange(doubt.index...)
        if !waiting.isEmpty { deliverWaiting(before: doubt.moment, to: sink) }
        reference = doubt.moment
        for point in later { deliver(point, time: point.time, date: nil, to: sink) }
    }

    /// Delivers what waits, counting days back from a moment.
    private mutating func deliverWaiting(before moment: Int64, to sink: TrackSink) {
        var points = waiting
        waiting = []
        var next = moment
        for index in points.indices.reversed() {
            next = nearest(points[index].time, to: next)
            points[index].time = next
        }
        for point in points { sink.append(point) }
    }

    /// The moment with that time of day that is within twelve hours of another.
    private func nearest(_ time: Int64, to moment: Int64) -> Int64 {
        let day = NMEACalendar.day
        let (days, timeOfDay) = moment.dividedRoundingDown(by: day)
        var candidate = days * day + time
        if time < timeOfDay - day / 2 { candidate += day }
        if time > timeOfDay + day / 2 { candidate -= day }
        return candidate
    }
}
