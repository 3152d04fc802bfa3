/// One simulated device: what is true, plus the errors a receiver makes, as fixes.
///
/// Fix number k depends on the settings, the seed and k alone.
struct SimulatedReceiver {
    /// Its name, which chooses its random numbers.
    let device: String
    private let trajectory: Trajectory
    private let interval: Duration
    private let outages: Outages
    private let outageField: RandomField
    private let offset: Double
    private var errors: ErrorModel
    private var isLost = false
    /// Whether the next fix does not continue the last one.
    private var isDiscontinuous = false

    /// A device on a trajectory; `isSpread` puts it at a random place along it, so that devices of
    /// one route do not all begin at one spot.
    init(
        device: String,
        trajectory: Trajectory,
        settings: SimulatorSettings,
        isSpread: Bool
    ) {
        self.device = device
        self.trajectory = trajectory
        interval = settings.interval
        outages = settings.outages
        outageField = RandomField(seed: settings.seed, stream: "\(device)/outages")
        errors = ErrorModel(settings.sky, seed: settings.seed, device: device)
        let place = RandomField(seed: settings.seed, stream: "\(device)/place").uniform(0)
        offset = isSpread ? place * trajectory.period : 0
    }

    /// Marks the next fix as one that does not continue the last.
    mutating func interrupt() {
        isDiscontinuous = true
    }

    /// Fix number `tick`; or, in an outage, news of it when it has just begun.
    mutating func event(tick: Int64, presentedAt presented: Timestamp) -> SourceEvent? {
        let time = interval * tick
        let milliseconds = time.wholeMilliseconds
        switch outages.reception(at: milliseconds, field: outageField) {
        case .lost:
            guard !isLost else { return nil }
            isLost = true
            return .status(device: device, state: "nofix", message: "simulated outage")
        case .found(let since):
            isLost = false
            var fix = fix(at: time, milliseconds, sinceOutage: since)
            fix.timestamp = presented
            fix.discontinuity = isDiscontinuous
            isDiscontinuous = false
            return .fix(fix)
        }
    }

    private mutating func fix(
        at time: Duration,
        _ milliseconds: Int64,
        sinceOutage: Int64?
    ) -> Fix {
        let window = min(interval.seconds, 1)
        let truth = trajectory.state(at: time.seconds + offset, window: window)
        let error = errors.sample(at: milliseconds)
        // A receiver that has just found its satellites again is less sure, and less right.
        let unsureness = 1 + 4 * Elementary.exponential(-Double(sinceOutage ?? .max) / 4_000)
        let east = error.east * unsureness
        let north = error.north * unsureness
        let distance = (east * east + north * north).squareRoot()
        var position = truth.position
        if distance > 0 {
            let bearing = Elementary.arcTangent(east, over: north) * 180 / .pi
            position =
                Geodesy.direct(from: position, course: bearing, distance: distance).position
        }
        var fix = Fix(
            device: device,
            timestamp: Timestamp(milliseconds: milliseconds),
            latitude: position.latitude,
            longitude: position.longitude,
            origin: .simulated
        )
        fix.altitude = (truth.altitude + error.up * unsureness).rounded(toDecimals: 1)
        fix.horizontalAccuracy =
            (error.horizontalAccuracy * unsureness).rounded(toDecimals: 1)
        fix.verticalAccuracy = (error.verticalAccuracy * unsureness).rounded(toDecimals: 1)
        let speed = Self.reported(truth.speed, error: error.speed)
        fix.speed = speed
        if speed >= 0.5 {
            fix.course = Geodesy.turn(truth.course.rounded(toDecimals: 1))
        }
        return fix
    }

    /// Speed is measured by Doppler shift: it has a small error of its own, and none when still.
    private static func reported(_ truth: Double, error: Double) -> Double {
        let measured = truth + (truth < 0.05 ? 0 : error)
        return measured < 0.1 ? 0 : measured.rounded(toDecimals: 2)
    }
}
