/// A track as it is played: fixes one after another, got by pulling.
///
/// A pull does a bounded amount of work, so that a run that is disposed while a long file is being
/// searched notices soon.
protocol TrackPoints {
    /// Pulls once.
    mutating func pull() throws(TrackError) -> TrackPull
}

/// What came of one pull.
enum TrackPull {
    case fix(TrackFix)
    /// Nothing yet; pull again.
    case pending
    case end
}

/// Opens a track anew, from its beginning.
typealias TrackOpening = @Sendable () throws(TrackError) -> any TrackPoints

/// What a reader reads, in its order.
struct FileTrack: TrackPoints {
    private let reader: TrackReader

    /// The fixes that `reader` has not given yet.
    init(_ reader: TrackReader) {
        self.reader = reader
    }

    mutating func pull() throws(TrackError) -> TrackPull {
        try reader.pull()
    }
}

/// The fixes of one device of a file.
struct DeviceTrack: TrackPoints {
    private static let pullsAtOnce = 1_000

    private var base: any TrackPoints
    private let device: String?

    /// The fixes in `base` whose device is `device`, an id as the file has it.
    init(_ base: any TrackPoints, device: String?) {
        self.base = base
        self.device = device
    }

    mutating func pull() throws(TrackError) -> TrackPull {
        for _ in 0..<Self.pullsAtOnce {
            switch try base.pull() {
            case .fix(let fix) where fix.device == device: return .fix(fix)
            case .fix: continue
            case .pending: return .pending
            case .end: return .end
            }
        }
        return .pending
    }
}

/// Several tracks as one, in the order of their times.
struct MergedTrack: TrackPoints {
    private enum Head {
        case unknown
        case fix(TrackFix)
        case end
    }

    /// Those that have ended are let go, with what they hold.
    private var tracks: [(any TrackPoints)?]
    private var heads: [Head]

    /// The fixes of all tracks; of two with equal times, that of the earlier track comes first.
    init(_ tracks: [any TrackPoints]) {
        self.tracks = tracks
        heads = Array(repeating: .unknown, count: tracks.count)
    }

    mutating func pull() throws(TrackError) -> TrackPull {
        var earliest: (index: Int, fix: TrackFix)?
        for index in tracks.indices {
            if case .unknown = heads[index] {
                switch try tracks[index]?.pull() {
                case .fix(let fix): heads[index] = .fix(fix)
                case .pending: return .pending
                case .end, nil:
                    heads[index] = .end
                    tracks[index] = nil
                }
            }
            guard case .fix(let fix) = heads[index] else { continue }
            if earliest.map({ fix.trackTime < $0.fix.trackTime }) ?? true {
                earliest = (index, fix)
            }
        }
        guard let earliest else { return .end }
        heads[earliest.index] = .unknown
        return .fix(earliest.fix)
    }
}
