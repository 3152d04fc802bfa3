import Foundation
@testable import Location

/// Reads bytes as a track, whatever they are.
///
/// All positions are accounted for, every fix can be shown, and it makes no difference how the
/// bytes are cut into chunks, nor whether a device is read by its parts of the file. The last byte
/// chooses the options and the chunks.
func tryTrack(_ bytes: [UInt8]) {
    guard let choice = bytes.last else { return }
    var options = TrackOptions()
    options.order = TrackOptions.Order.allCases[Int(choice) % 3]
    options.split = choice & 4 == 0 ? .none : .track
    let whole = read(bytes, options, TrackPipeline.chunkLength)
    precondition(whole == read(bytes, options, 1 + Int(choice) % 50), "chunks matter")
    tryParts(bytes, whole, options, 1 + Int(choice) % 50)
    let live = LiveTrackParser(options: options)
    for fix in live.feed(bytes) + live.beginAnew() { check(fix) }
    for fix in live.feed(bytes) + live.flush() + live.finish() { check(fix) }
}

/// Reads each device of a track by itself.
private func tryParts(
    _ bytes: [UInt8],
    _ whole: Outcome,
    _ options: TrackOptions,
    _ chunkLength: Int
) {
    let devices = Set(whole.fixes.map(\.device))
    // What sorting has lost depends on all devices; such files are not read by their parts.
    guard devices.count > 1, options.order != .sort || whole.report.outOfOrder == 0 else { return }
    let process = ProcessInfo.processInfo.processIdentifier
    let url = FileManager.default.temporaryDirectory.appending(path: "fixcast-fuzz-\(process)")
    do {
        try Data(bytes).write(to: url)
        let input = TrackInput.file(url.path)
        let survey = try TrackReader(
            input,
            options: options,
            chunkLength: chunkLength,
            notesParts: true
        )
        var whole: [TrackFix] = []
        while let fix = try survey.next() { whole.append(fix) }
        guard let parts = survey.parts else { return }
        for device in devices.prefix(3) {
            guard let file = try parts.open(url.path) else { return }
            let part = TrackPart(file: file, name: url.path, parts: parts, device: device)
            let reader = TrackReader(part, options: options)
            var fixes: [TrackFix] = []
            while let fix = try reader.next() { fixes.append(fix) }
            precondition(fixes == whole.filter { $0.device == device }, "parts matter")
        }
    } catch {
        preconditionFailure("a track that was read cannot be read by its parts: \(error)")
    }
}

/// What a track gives: its fixes and report, or the sentence with which it is refused.
private struct Outcome: Equatable {
    var fixes: [TrackFix] = []
    var report = TrackReport()
    var refusal = ""
}

private func read(_ bytes: [UInt8], _ options: TrackOptions, _ chunkLength: Int) -> Outcome {
    var outcome = Outcome()
    do {
        let reader = try TrackReader(.bytes(bytes), options: options, chunkLength: chunkLength)
        while let fix = try reader.next() {
            check(fix)
            outcome.fixes.append(fix)
        }
        let report = reader.report
        let unused = report.duplicates + report.outOfOrder + report.dropped + report.rejected
        precondition(report.points == report.fixes + unused, "a position is missing")
        precondition(report.fixes == outcome.fixes.count, "a fix is missing")
        precondition(!report.json.isEmpty && !report.text.isEmpty)
        outcome.report = report
    } catch {
        outcome.refusal = "\(error)"
    }
    return outcome
}

private func check(_ fix: TrackFix) {
    precondition(fix.latitude >= -90 && fix.latitude <= 90, "no latitude")
    precondition(fix.longitude >= -180 && fix.longitude < 180, "no longitude")
    let numbers = [
        fix.altitude, fix.ellipsoidalAltitude, fix.horizontalAccuracy, fix.verticalAccuracy,
        fix.speed, fix.course,
    ]
    precondition(numbers.allSatisfy { $0?.isFinite != false }, "a number is not finite")
    precondition(fix.course.map { $0 >= 0 && $0 < 360 } != false, "no course")
    precondition(fix.course == nil || fix.speed.map { $0 >= 0.5 } == true, "a course at rest")
    precondition(fix.trackTime >= .earliest && fix.trackTime <= .latest, "no time to show")
    precondition(fix.device.map { (1...64).contains($0.utf8.count) } != false, "no device name")
}
