/// Says once that times do not name their zone.
struct ZoneNote {
    private var isGiven = false

    mutating func add(to sink: TrackSink, at place: Place) {
        guard !isGiven else { return }
        isGiven = true
        sink.log.add(
            .warning,
            at: place,
            "times do not name their zone, UTC is taken (tz= names it)"
        )
    }
}
