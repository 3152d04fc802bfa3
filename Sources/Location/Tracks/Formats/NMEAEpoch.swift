/// What the sentences of one epoch say together.
struct NMEAEpoch {
    /// What a pseudorange is in error by at 68 %, in metres, for an autonomous receiver under open
    /// sky; times the dilution of precision this is an honest guess of the accuracy.
    static let autonomousError = 5.0
    /// The same with differential corrections (SBAS).
    private static let differentialError = 3.0

    /// Milliseconds since midnight UTC; nil where the sentences have no time.
    var time: Int64?
    var point = TrackPoint()
    private(set) var date: CivilDate?
    /// What a receiver without a fix takes for the date.
    private(set) var doubtfulDate: CivilDate?
    /// Whether a date was said that no calendar has.
    private(set) var hasInvalidDate = false
    private(set) var saysNoFix = false
    /// Why a sentence's position could not be read.
    private(set) var problem: String?
    private(set) var problemPlace = Place.none

    private var kinds: UInt16 = 0
    /// The sentence that began it, and the position by which one that comes again is known.
    private var firstKind = NMEASentence.Kind.other
    private var firstLatitude = Double.nan
    private var firstLongitude = Double.nan
    /// Whether its first sentence was a VTG, which has no time.
    private var beginsWithVTG = false
    private var horizontalDilution = Double.nan
    private var verticalDilution = Double.nan
    private var rangeError = Double.nan
    private var hasTrueErrors = false
    private var rmcSpeed = Double.nan
    private var rmcCourse = Double.nan

    /// Whether no sentence with a place in time has come.
    var isEmpty: Bool { kinds == 0 }

    /// Whether the epoch has a position that its receiver stands by.
    var isUsable: Bool { !point.latitude.isNaN && !saysNoFix }

    /// Whether a VTG begins another epoch: a receiver that says its speed first says that of the
    /// next position now.
    var isOverWithVTG: Bool { !isEmpty && beginsWithVTG && kinds & bit(.rmc) == 0 }

    /// Whether a sentence with that time begins another epoch.
    func isOver(_ time: Int64?, _ sentence: NMEASentence, _ text: Span<UInt8>) -> Bool {
        guard !isEmpty else { return false }
        guard let time else { return kinds & bit(sentence.kind) != 0 }
        guard self.time == time else { return true }
        guard let date, kinds & bit(sentence.kind) != 0 else { return false }
        if sentence.kind == .rmc, !NMEAEpoch.isWithoutFix(sentence, text),
            let other = sentence.date(text, 9), other != date
        {
            return true
        }
        return sentence.kind == firstKind && hasAnotherPosition(sentence, text)
    }

    /// Whether a sentence of the kind that began the epoch has another position than that one.
    ///
    /// Receivers that say a sentence once for each constellation repeat the position or leave it
    /// out.
    private func hasAnotherPosition(_ sentence: NMEASentence, _ text: Span<UInt8>) -> Bool {
        guard !firstLatitude.isNaN, let field = NMEAEpoch.positionField(firstKind),
            case .degrees(let latitude) = sentence.degrees(text, field, .latitude),
            case .degrees(let longitude) = sentence.degrees(text, field + 2, .longitude)
        else { return false }
        return latitude != firstLatitude || longitude != firstLongitude
    }

    /// Where the position of a sentence begins.
    private static func positionField(_ kind: NMEASentence.Kind) -> Int? {
        switch kind {
        case .rmc: 3
        case .gga, .gns: 2
        case .gll: 1
        case .vtg, .zda, .gsa, .gst, .gbs, .other: nil
        }
    }

    /// Takes what a sentence says.
    ///
    /// What cannot be read of it goes to `faults`.
    mutating func take(_ sentence: NMEASentence, _ text: Span<UInt8>, _ faults: NMEAFaults) {
        if isEmpty, sentence.kind != .vtg, sentence.kind != .gsa { firstKind = sentence.kind }
        switch sentence.kind {
        case .rmc: takeRMC(sentence, text, faults)
        case .gga: takeGGA(sentence, text, faults)
        case .gns: takeGNS(sentence, text, faults)
        case .gll:
            takeStatus(sentence.letter(text, 6), mode: sentence.letter(text, 7))
            takePosition(sentence, text, 1, faults)
        case .vtg: takeVTG(sentence, text, faults)
        case .zda: takeZDA(sentence, text, faults)
        case .gsa:
            setIfKnown(&horizontalDilution, faults.number(sentence, text, 16, "dilution"))
            setIfKnown(&verticalDilution, faults.number(sentence, text, 17, "dilution"))
        case .gst:
            takeErrors(sentence, text, 6, areTrue: true, faults)
        case .gbs:
            if !hasTrueErrors { takeErrors(sentence, text, 2, areTrue: false, faults) }
        case .other: break
        }
        if sentence.kind != .vtg, sentence.kind != .gsa { kinds |= bit(sentence.kind) }
    }

    /// The position with everything that is known of it.
    func finishedPoint() -> TrackPoint {
        var point = point
        if !rmcSpeed.isNaN { point.speed = rmcSpeed }
        if !rmcCourse.isNaN { point.course = rmcCourse }
        if point.horizontalAccuracy.isNaN {
            point.horizontalAccuracy = horizontalDilution * rangeError
            point.verticalAccuracy = verticalDilution * rangeError
        }
        return point
    }

    private mutating func takeRMC(
        _ sentence: NMEASentence,
        _ text: Span<UInt8>,
        _ faults: NMEAFaults
    ) {
        let isDoubtful = takeStatus(sentence.letter(text, 2), mode: sentence.letter(text, 12))
        takePosition(sentence, text, 3, faults)
        if let knots = faults.speed(sentence, text, 7) { rmcSpeed = knots * 1852 / 3600 }
        if let course = faults.course(sentence, text, 8) { rmcCourse = course }
        if let date = sentence.date(text, 9) {
            if isDoubtful { doubtfulDate = date } else { self.date = date }
        } else if !isDoubtful, !sentence.field(text, 9).isEmpty {
            // Before its first fix a receiver may fill the field with anything.
            hasInvalidDate = true
            faults.add(sentence, 9, "\(sentence.quoted(text, 9)) is no date, ddmmyy was expected")
        }
    }

    private mutating func takeGGA(
        _ sentence: NMEASentence,
        _ text: Span<UInt8>,
        _ faults: NMEAFaults
    ) {
        switch sentence.letter(text, 6) {
        case UInt8(ascii: "0"): saysNoFix = true
        case UInt8(ascii: "1"): rangeError = NMEAEpoch.autonomousError
        case UInt8(ascii: "2"), UInt8(ascii: "3"): rangeError = NMEAEpoch.differentialError
        // With carrier phase (4, 5) the error has nothing to do with the dilution; dead reckoning,
        // manual input and simulation (6 to 8) have no dilution.
        default: rangeError = .nan
        }
        takePosition(sentence, text, 2, faults)
        takeAltitude(sentence, text, dilution: 8, altitude: 9, separation: 11, faults)
    }

    private mutating func takeGNS(
        _ sentence: NMEASentence,
        _ text: Span<UInt8>,
        _ faults: NMEAFaults
    ) {
        if !sentence.field(text, 6).isEmpty, sentence.isAll(text, UInt8(ascii: "N"), 6) {
            saysNoFix = true
        }
        if rangeError.isNaN, kinds & bit(.gga) == 0 {
            switch sentence.letter(text, 6) {
            case UInt8(ascii: "A"), UInt8(ascii: "N"): rangeError = NMEAEpoch.autonomousError
            case UInt8(ascii: "D"): rangeError = NMEAEpoch.differentialError
            default: break
            }
        }
        takePosition(sentence, text, 2, faults)
        takeAltitude(sentence, text, dilution: 8, altitude: 9, separation: 10, faults)
    }

    private mutating func takeVTG(
        _ sentence: NMEASentence,
        _ text: Span<UInt8>,
        _ faults: NMEAFaults
    ) {
        if isEmpty { beginsWithVTG = true }
        setIfKnown(&point.course, faults.course(sentence, text, 1))
        if let knots = faults.speed(sentence, text, 5) {
            point.speed = knots * 1852 / 3600
        } else if let kilometresPerHour = faults.speed(sentence, text, 7) {
            point.speed = kilometresPerHour / 3.6
        }
    }

    private mutating func takeZDA(
        _ sentence: NMEASentence,
        _ text: Span<UInt8>,
        _ faults: NMEAFaults
    ) {
        if sentence.field(text, 2).isEmpty { return }
        // A number of days that a Double holds may be too large for an integer.
        if let day = sentence.number(text, 2), let month = sentence.number(text, 3),
            let year = sentence.number(text, 4), 1..<100 ~= day, 1..<100 ~= month,
            1..<10_000 ~= year,
            let date = CivilDate(year: Int(year), month: Int(month), day: Int(day))
        {
            self.date = date
            return
        }
        hasInvalidDate = true
        let fields = sentence.field(text, 2).lowerBound..<sentence.field(text, 4).upperBound
        faults.add(
            sentence,
            2,
            "\(quote(text.extracting(fields))) is no date, dd,mm,yyyy was expected"
        )
    }

    /// Takes the status of a sentence; whether it says that there is no fix.
    @discardableResult
    private mutating func takeStatus(_ status: UInt8, mode: UInt8) -> Bool {
        let isWithoutFix = NMEAEpoch.isWithoutFix(status, mode: mode)
        if isWithoutFix { saysNoFix = true }
        guard rangeError.isNaN, kinds & (bit(.gga) | bit(.gns)) == 0 else { return isWithoutFix }
        switch mode {
        case UInt8(ascii: "A"), 0: rangeError = NMEAEpoch.autonomousError
        case UInt8(ascii: "D"): rangeError = NMEAEpoch.differentialError
        default: break
        }
        return isWithoutFix
    }

    private static func isWithoutFix(_ status: UInt8, mode: UInt8) -> Bool {
        // Dead reckoning (E) has status V in some receivers; it is a position all the same.
        (status == UInt8(ascii: "V") && mode != UInt8(ascii: "E")) || mode == UInt8(ascii: "N")
    }

    private static func isWithoutFix(_ rmc: NMEASentence, _ text: Span<UInt8>) -> Bool {
        isWithoutFix(rmc.letter(text, 2), mode: rmc.letter(text, 12))
    }

    private mutating func takePosition(
        _ sentence: NMEASentence,
        _ text: Span<UInt8>,
        _ first: Int,
        _ faults: NMEAFaults
    ) {
        let isLatitudeEmpty = sentence.field(text, first).isEmpty
        if isLatitudeEmpty, sentence.field(text, first + 2).isEmpty { return }
        guard let latitude = degrees(sentence, text, first, .latitude, faults),
            let longitude = degrees(sentence, text, first + 2, .longitude, faults)
        else { return }
        if let range = TrackSink.rangeProblem(isLatitude: true, latitude) {
            problem = range
            problemPlace = faults.place(sentence, first)
            return
        }
        point.latitude = latitude
        point.longitude = longitude
        guard firstLatitude.isNaN, sentence.kind == firstKind else { return }
        firstLatitude = latitude
        firstLongitude = longitude
    }

    private mutating func degrees(
        _ sentence: NMEASentence,
        _ text: Span<UInt8>,
        _ field: Int,
        _ axis: NMEASentence.Axis,
        _ faults: NMEAFaults
    ) -> Double? {
        switch sentence.degrees(text, field, axis) {
        case .degrees(let degrees): return degrees
        case .none:
            setProblem(sentence, text, field, axis.format, faults)
        case .wrongHemisphere:
            problem =
                "\(sentence.quoted(text, field + 1)) is no hemisphere, \(axis.letters) was expected"
            problemPlace = faults.place(sentence, field + 1)
        }
        return nil
    }

    private mutating func setProblem(
        _ sentence: NMEASentence,
        _ text: Span<UInt8>,
        _ field: Int,
        _ wanted: String,
        _ faults: NMEAFaults
    ) {
        let name = wanted.prefix { $0 != "," }
        let isEmpty = sentence.field(text, field).isEmpty
        problem =
            (isEmpty
                ? "the \(name) is empty\(wanted.dropFirst(name.count))"
                : "\(sentence.quoted(text, field)) is no \(wanted)") + " was expected"
        problemPlace = faults.place(sentence, field)
    }

    private mutating func takeAltitude(
        _ sentence: NMEASentence,
        _ text: Span<UInt8>,
        dilution: Int,
        altitude: Int,
        separation: Int,
        _ faults: NMEAFaults
    ) {
        setIfKnown(&horizontalDilution, faults.number(sentence, text, dilution, "dilution"))
        guard let metres = faults.number(sentence, text, altitude, "altitude") else { return }
        point.altitude = metres
        if let separation = faults.number(sentence, text, separation, "separation of the geoid") {
            point.ellipsoidalAltitude = metres + separation
        }
    }

    private mutating func takeErrors(
        _ sentence: NMEASentence,
        _ text: Span<UInt8>,
        _ first: Int,
        areTrue: Bool,
        _ faults: NMEAFaults
    ) {
        guard let north = faults.number(sentence, text, first, "error"),
            let east = faults.number(sentence, text, first + 1, "error")
        else { return }
        // The root of the sum of both variances is the radius of about 68 %.
        point.horizontalAccuracy = (north * north + east * east).squareRoot()
        setIfKnown(
            &point.verticalAccuracy,
            faults.number(sentence, text, first + 2, "error")
        )
        hasTrueErrors = hasTrueErrors || areTrue
    }

    private func setIfKnown(_ value: inout Double, _ number: Double?) {
        if let number { value = number }
    }

    private func bit(_ kind: NMEASentence.Kind) -> UInt16 {
        switch kind {
        case .rmc: 1
        case .gga: 2
        case .gns: 4
        case .gll: 8
        case .zda: 16
        case .gst: 32
        case .gbs: 64
        case .vtg, .gsa, .other: 0
        }
    }
}
