/// Reads a whole track for what a start needs to know.
public enum TrackScan {
    /// What a scan has found.
    public struct Result: Sendable, Equatable {
        /// The parse report of the file.
        public var report: TrackReport
        /// The names of the devices in the file, in the order of their first fix; empty where the
        /// file names none.
        public var devices: [String]
    }

    /// Reads the file to its end.
    ///
    /// - Throws: Where it cannot be read, or has no fix.
    public static func scan(
        path: String,
        options: TrackOptions = TrackOptions()
    ) throws(TrackError) -> Result {
        let reader = try TrackReader(path: path, options: options)
        var devices: [String] = []
        var seen: Set<String> = []
        var newest: String?
        while let fix = try reader.next() {
            guard let device = fix.device, device != newest else { continue }
            newest = device
            if seen.insert(device).inserted { devices.append(device) }
        }
        let report = reader.report
        guard report.fixes > 0 else { throw TrackError(emptiness: report) }
        return Result(report: report, devices: devices)
    }
}

extension TrackError {
    /// Why a file that could be read has no fix.
    public init(emptiness report: TrackReport) {
        var message = "has no fix: "
        if report.points == 0 {
            message += "no position of a track was found in it (read as \(report.format))"
        } else {
            message +=
                "of \(report.points) positions \(report.rejected) are unusable and "
                + "\(report.dropped) have no time"
        }
        let first = report.diagnostics.first
        if let first { message += "; \(first.message)" }
        if report.points == 0 {
            // What the file has instead is counted in notes, by kind.
            for other in report.diagnostics.dropFirst() where other.severity == .note {
                message += "; \(other.message)"
            }
        }
        self.init(file: report.file, message: message, line: first?.line, column: first?.column)
    }
}
