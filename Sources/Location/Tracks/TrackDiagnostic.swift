/// Something in a file that was not used, or not as it stands.
public struct TrackDiagnostic: Sendable, Equatable {
    /// How much it matters.
    public enum Severity: String, Sendable {
        /// Nothing is lost.
        case note
        /// A fix or a value of one was not used.
        case warning
        /// The file could not be read any further.
        case error
    }

    /// The line concerned, counted from 1; nil where it is about the file.
    public var line: Int?
    /// The column concerned, counted in bytes from 1.
    public var column: Int?
    /// How much it matters.
    public var severity: Severity
    /// What was found, what became of it, and what was expected.
    public var message: String
    /// Whether it says why the file was not read any further.
    var endsReading = false
}

/// The diagnostics of a file: the first 100 are kept, the others counted.
///
/// What ended the reading is always among those kept.
struct DiagnosticLog {
    static let limit = 100

    private(set) var kept: [TrackDiagnostic] = []
    private(set) var more = 0

    /// Keeps or counts a diagnostic; the message is only made where it is kept.
    ///
    /// With an error the reading ends, whatever `endsReading` says.
    mutating func add(
        _ severity: TrackDiagnostic.Severity,
        at place: Place,
        endsReading: Bool = false,
        _ message: @autoclosure () -> String
    ) {
        let endsReading = endsReading || severity == .error
        if kept.count >= DiagnosticLog.limit {
            more += 1
            guard endsReading, let index = kept.lastIndex(where: { !$0.endsReading }) else {
                return
            }
            kept.remove(at: index)
        }
        kept.append(
            TrackDiagnostic(
                line: place.line == 0 ? nil : Int(place.line),
                column: place.column == 0 ? nil : Int(place.column),
                severity: severity,
                message: message(),
                endsReading: endsReading
            )
        )
    }
}
