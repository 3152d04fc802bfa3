/// What a recorded track may be told about how it is played; how it is read is `TrackOptions`.
struct ReplaySettings: Sendable, Equatable {
    /// How fast.
    var rate = ReplayRate.times(1)
    /// Whether it begins again when it has ended.
    var isLooping = true
    /// Longer steps of the track's time are shortened to this.
    var maxGap = Duration.seconds(60)
    /// The step at which it is re-sampled; nil: the fixes as recorded.
    var interval: Duration?
    /// Where a later run begins.
    var resume = ResumePolicy.restart

    /// The defaults.
    init() {}

    /// The parameters of a SOURCE argument that these settings come from.
    static let parameters = ["rate", "loop", "maxGap", "interval", "resume"]

    /// Reads the parameters.
    init(_ parameters: SourceParameters) throws(SourceError) {
        if let text = parameters["rate"] {
            if text == "max" {
                rate = .maximum
            } else if let factor = Decimal.parse(text.utf8.span), 0.001...1_000_000 ~= factor {
                rate = .times(factor)
            } else {
                throw parameters.wrong("rate", "a number from 0.001 to 1000000, or max")
            }
        }
        isLooping = try parameters.flag("loop", default: isLooping)
        maxGap =
            try parameters.duration(
                "maxGap",
                in: .milliseconds(1)...(.seconds(8_784 * 3_600)),
                "from 1ms to 8784h"
            ) ?? maxGap
        interval = try parameters.duration(
            "interval",
            in: .milliseconds(1)...(.seconds(86_400)),
            "from 1ms to 24h"
        )
        resume = try parameters.choice("resume", default: resume)
    }
}

extension TrackOptions {
    /// The parameters of a SOURCE argument that these options come from; `maxGap` is shared with
    /// `ReplaySettings`.
    static let parameters = ["speed", "tz", "date", "split", "order"]

    /// Reads the parameters.
    init(_ parameters: SourceParameters) throws(SourceError) {
        self.init()
        speed =
            try parameters.number("speed", in: 0.001...100_000, "from 0.001 to 100000, in m/s")
            ?? speed
        if let text = parameters["tz"] {
            guard let zone = TrackTimeZone(text) else {
                throw parameters.wrong(
                    "tz",
                    "a time zone such as UTC, Europe/Paris or +01:00"
                )
            }
            timeZone = zone
        }
        if let text = parameters["date"] {
            guard let day = CivilDate(text) else {
                throw parameters.wrong("date", "a day as YYYY-MM-DD, such as 2026-11-30")
            }
            date = day
        }
        split = try parameters.choice("split", default: split)
        order = try parameters.choice("order", default: order)
    }
}
