/// What `sim:` may be told, with its defaults.
struct SimulatorSettings: Sendable, Equatable {
    /// The corners of the way; nil: a round through a real city, as large as the profile needs.
    var route: Route?
    /// How it moves.
    var profile = MotionProfile.walk
    /// The time between two fixes.
    var interval = Duration.seconds(1)
    /// What the receiver's errors are like.
    var sky = ErrorModel.Sky.openSky
    /// Chooses the random numbers.
    var seed: UInt64 = 0
    /// How many devices move.
    var count = 1
    /// From the start of a run to its first fix.
    var timeToFirstFix = Duration.zero
    /// When there is no fix.
    var outages = Outages.off
    /// Where a later run begins.
    var resume = ResumePolicy.restart

    /// The defaults.
    init() {}

    /// Reads the parameters of a `sim:` argument.
    init(_ specification: SourceSpecification) throws(SourceError) {
        let parameters = try SourceParameters(
            specification,
            known: [
                "route", "profile", "interval", "noise", "seed", "count", "ttff", "outages",
                "resume",
            ]
        )
        if let text = parameters["route"] {
            guard let route = Route(parsing: text) else {
                throw parameters.wrong(
                    "route",
                    "LAT,LON;LAT,LON;... in degrees, latitudes within ±90 and longitudes within"
                        + " ±180, such as 46.948,7.440;46.947,7.451"
                )
            }
            self.route = route
        }
        profile = try parameters.choice("profile", default: .walk)
        interval =
            try parameters.duration(
                "interval",
                in: .milliseconds(1)...(.seconds(86_400)),
                "from 1ms to 24h"
            ) ?? interval
        sky = try parameters.choice("noise", default: .openSky)
        seed = try parameters.integer("seed", in: 0...UInt64.max) ?? seed
        count = try parameters.integer("count", in: 1...10_000) ?? count
        timeToFirstFix =
            try parameters.duration("ttff", in: .zero...(.seconds(86_400)), "from 0s to 24h")
            ?? timeToFirstFix
        if let text = parameters["outages"] {
            guard let outages = Outages(parsing: text) else {
                throw parameters.wrong(
                    "outages",
                    "off, random, or EVERY/LENGTH with two durations from 1ms to 24h, such as"
                        + " 5m/20s"
                )
            }
            self.outages = outages
        }
        resume = try parameters.choice("resume", default: .restart)
    }
}
