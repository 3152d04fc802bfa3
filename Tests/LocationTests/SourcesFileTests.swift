import Foundation
import Reactive
import TestSupport
import Testing

@testable import Location

@Suite final class SourcesFileTests {
    private let scheduler = TestScheduler()
    private let folder: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "fixcast-\(UUID())")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        folder = url.path()
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func write(_ name: String, _ text: String) throws -> String {
        let path = "\(folder)/\(name)"
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    private func open(_ text: String) throws -> [any FixSource] {
        try Sources.open(text, scheduler: scheduler, clock: TestWallClock(scheduler))
    }

    private func failure(_ text: String) -> SourceError? {
        do {
            _ = try open(text)
            return nil
        } catch {
            return error as? SourceError
        }
    }

    private static func gpx(_ points: String...) -> String {
        let list = points.enumerated().map { index, point in
            let time = "2024-05-01T10:00:0\(index)Z"
            return "<trkpt \(point)><time>\(time)</time></trkpt>"
        }
        return "<gpx><trk><trkseg>\(list.joined())</trkseg></trk></gpx>"
    }

    private let track = gpx(#"lat="46" lon="7""#, #"lat="46.0001" lon="7""#)

    @Test func `a file is one device, called by its base name`() throws {
        let path = try write("my ride.v2.gpx", track)
        let sources = try open(path)
        #expect(sources.map(\.devices) == [["my-ride.v2"]])
        #expect(sources.map(\.kind) == [.replay])
        #expect(sources.first?.isLooping == true)
        #expect(sources.first?.report(for: "my-ride.v2")?.fixes == 2)
        #expect(sources.first?.report(for: "other") == nil)
        #expect(try open("car=\(path)?loop=false").map(\.devices) == [["car"]])
        #expect(try open("car=\(path)?loop=false").first?.isLooping == false)
    }

    @Test func `a file is replayed to its end`() throws {
        let source = try #require(try open(write("a.gpx", track) + "?loop=false&rate=2").first)
        let recorder = EventRecorder<SourceEvent, SourceFailure>()
        source.fixes.start(recorder.record)
        scheduler.advance(by: .seconds(1))
        #expect(recorder.values.count == 2)
        #expect(recorder.hasCompleted)
    }

    @Test func `a run of a track without times begins by saying so`() throws {
        let bare = #"<trkpt lat="1" lon="2"/><trkpt lat="1.1" lon="2"/>"#
        let timed = #"<trkpt lat="1" lon="2"><time>2026-05-01T08:00:0"#
        for (points, notice) in [
            (bare, "the positions have no times, they follow each other at 3.0 m/s"),
            (
                "\(timed)0Z</time></trkpt>\(timed)1Z</time></trkpt></trkseg><trkseg>\(bare)",
                "2 positions have no times, they follow each other at 3.0 m/s"
            ),
        ] {
            let path = try write("a.gpx", "<gpx><trk><trkseg>\(points)</trkseg></trk></gpx>")
            let source = try #require(try open(path + "?speed=3").first)
            let recorder = EventRecorder<SourceEvent, SourceFailure>()
            source.fixes.start(recorder.record)
            scheduler.advance()
            #expect(
                recorder.values.first == .status(device: nil, state: "running", message: notice)
            )
            #expect(recorder.values.count == 2)
        }
    }

    @Test func `what cannot be used of a file is said when it is opened`() throws {
        func warnings(_ text: String) throws -> [String] {
            var warnings: [String] = []
            _ = try Sources.open(
                text,
                scheduler: scheduler,
                clock: TestWallClock(scheduler),
                warn: { warnings.append($0) }
            )
            return warnings
        }
        #expect(try warnings(write("good.gpx", track)) == [])
        let rows = "time,lat,lon\n2026-05-01 08:00:00,46,7\n2026-05-01 08:00:01,95,7\n"
        let path = try write("bad.csv", rows)
        #expect(
            try warnings(path) == [
                "\(path):2:1: times do not name their zone, UTC is taken (tz= names it); "
                    + "check tells 1 more"
            ]
        )
        #expect(
            try warnings(path + "?tz=UTC") == [
                "\(path):3:21: latitude 95.0 is not a latitude, -90 to 90 was expected"
            ]
        )
    }

    @Test func `a path that leads nowhere is told what else it may have been meant for`() {
        let nowhere = failure("sim")?.message ?? ""
        #expect(nowhere.contains("or one of sim:, follow:FILE, gpsd://HOST and -"))
        let badName = failure("a b=track.gpx")?.message ?? ""
        #expect(badName.contains("what is before = is no device name, 1 to 64 of A-Z"))
    }

    @Test func `a folder gives one source for each track, sorted, and skips the rest`() throws {
        _ = try write("b.gpx", track)
        _ = try write("a.xml", track)
        _ = try write("notes.txt", "no track at all")
        _ = try write(".hidden.gpx", track)
        try FileManager.default.createDirectory(
            atPath: "\(folder)/more.gpx",
            withIntermediateDirectories: false
        )
        #expect(try open(folder).map(\.devices) == [["a"], ["b"]])
        #expect(try open("fleet=\(folder)/").map(\.devices) == [["fleet-a"], ["fleet-b"]])
    }

    @Test func `a long name keeps the given device whole, and its own end is cut`() throws {
        let long = String(repeating: "x", count: 70)
        _ = try write("\(long).gpx", track)
        _ = try write("\(long)y.gpx", track)
        for given in ["A", "B", String(repeating: "C", count: 60)] {
            let names = try open("\(given)=\(folder)").flatMap(\.devices)
            let beginning = "\(given)-" + String(repeating: "x", count: 62 - given.count)
            #expect(names == [beginning + "x", beginning.dropLast() + "-2"])
        }
        let several = try write(
            "several.csv",
            "device,lat,lon\n\(long)1,46,7\n\(long)2,46,7\n"
        )
        let names = try open("fleet=\(several)").flatMap(\.devices)
        let beginning = "fleet-" + String(repeating: "x", count: 56)
        #expect(names == [beginning + "xx", beginning + "-2"])
    }

    @Test func `a file whose name ends like parameters is told how it can be named`() throws {
        let path = try write("q?r=1.gpx", track)
        for text in [path, "car=\(path)"] {
            let refusal = try #require(failure(text))
            #expect(refusal.isUsage)
            #expect(refusal.message.hasSuffix("; for the file \(path) append ?rate=1"))
        }
        #expect(try open("\(path)?rate=1").flatMap(\.devices) == ["q-r-1"])
        #expect(failure("\(folder)/p?r=1.gpx")?.message.contains("append") == false)
    }

    @Test func `two files of one name in a folder are a usage error`() throws {
        _ = try write("a.gpx", track)
        _ = try write("a.xml", track)
        let refusal = failure(folder)
        #expect(refusal?.isUsage == true)
        let expected = "a.gpx and a.xml both have a device \"a\""
        #expect(refusal?.message.contains(expected) == true)
    }

    @Test func `what a folder has beside its tracks is named, but not without end`() throws {
        _ = try write("a.gpx", track)
        for number in 10..<25 { _ = try write("\(number).txt", "no track at all") }
        var warnings: [String] = []
        let clock = TestWallClock(scheduler)
        let sources = try Sources.open(folder, scheduler: scheduler, clock: clock) {
            warnings.append($0)
        }
        #expect(sources.map(\.devices) == [["a"]] && warnings.count == 11)
        #expect(warnings[0].hasPrefix("left out: \(folder)/10.txt"))
        #expect(warnings[10] == "left out: 5 more files of \(folder)")
    }

    @Test func `what cannot be used fails with one sentence that names it`() throws {
        let missing = "\(folder)/missing.gpx"
        let pipe = "\(folder)/pipe"
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        let paths = [
            missing, pipe, folder, try write("empty.gpx", ""),
            try write("none.gpx", "<gpx><trk><trkseg/></trk></gpx>"), "/dev/null",
        ]
        for path in paths {
            let error = try #require(failure(path))
            #expect(!error.isUsage)
            #expect(error.message.contains(path))
            #expect(!error.message.contains("\n"))
        }
    }

    @Test func `disposing closes the file`() throws {
        let path = try write("a.gpx", track)
        let source = try #require(try open(path).first)
        let recorder = EventRecorder<SourceEvent, SourceFailure>()
        let run = source.fixes.start(recorder.record)
        scheduler.advance()
        #expect(recorder.values.count == 1)
        #expect(openFiles().contains(path))
        run.dispose()
        #expect(!openFiles().contains(path))
        #expect(scheduler.pendingCount == 0)
    }

    private func openFiles() -> [String] {
        let folder = "/proc/self/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.compactMap { name in
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
        }
    }

    @Test func `runs on real time start and stop at any moment`() throws {
        let text = "\(try write("a.gpx", track))?rate=1000000"
        let real = DispatchScheduler(label: "test")
        for argument in [text, "sim:?interval=1ms&count=3"] {
            let sources = try Sources.open(argument, scheduler: real, clock: SystemWallClock())
            let source = try #require(sources.first)
            for round in 0..<100 {
                let recorder = EventRecorder<SourceEvent, SourceFailure>()
                let run = source.fixes.start(recorder.record)
                if round % 2 == 0 { #expect(eventually { !recorder.values.isEmpty }) }
                run.dispose()
            }
        }
        #expect(eventually { !openFiles().contains { $0.hasPrefix(folder) } })
    }

    @Test func `the fixes of several devices are played as they were recorded`() throws {
        func line(_ device: String, _ second: Int) -> String {
            let time = "2024-05-01T10:00:0\(second)Z"
            return "{\"device\":\"\(device)\",\"timestamp\":\"\(time)\","
                + "\"latitude\":46.\(second),\"longitude\":7}\n"
        }
        let mixed = line("a", 0) + line("b", 1) + line("a", 2) + line("b", 3)
        let grouped = line("a", 0) + line("a", 2) + line("b", 1) + line("b", 3)
        for text in [mixed, grouped] {
            let path = try write("fleet.ndjson", text)
            let sources = try open("\(path)?loop=false")
            #expect(sources.map(\.devices) == [["a", "b"]])
            #expect(try open("x=\(path)").map(\.devices) == [["x-a", "x-b"]])
            let recorder = EventRecorder<SourceEvent, SourceFailure>()
            sources.first?.fixes.start(recorder.record)
            scheduler.advance(by: .seconds(3))
            let fixes = recorder.values.compactMap { event -> Fix? in
                guard case .fix(let fix) = event else { return nil }
                return fix
            }
            #expect(fixes.map(\.device) == ["a", "b", "a", "b"])
            #expect(fixes.map(\.latitude) == [46, 46.1, 46.2, 46.3])
            #expect(recorder.hasCompleted)
        }
    }

    @Test func `more than 256 devices that follow each other in a file are refused`() throws {
        func fleet(_ count: Int) -> String {
            let rows = (0..<count * 3).map { row in
                "veh\(row / 3),2024-05-01T10:00:0\(row % 3)Z,46.\(row % 3),7\n"
            }
            return "device,time,lat,lon\n" + rows.joined()
        }
        let path = try write("fleet.csv", fleet(TrackOpener.maximumReaders))
        let source = try #require(try open(path).first)
        #expect(source.devices.count == 256)
        let recorder = EventRecorder<SourceEvent, SourceFailure>()
        let run = source.fixes.start(recorder.record)
        scheduler.advance(by: .milliseconds(500))
        #expect(recorder.values.count == 256)
        #expect(openFiles().count { $0 == path } == 1)
        run.dispose()
        let refusal = failure(try write("more.csv", fleet(TrackOpener.maximumReaders + 1)))
        #expect(refusal?.message.contains("at most 256 of those") == true)
    }

    @Test func `with split=track every track is a source of its own`() throws {
        func track(_ name: String) -> String {
            "<trk><name>\(name)</name><trkseg><trkpt lat=\"1\" lon=\"2\"/></trkseg></trk>"
        }
        let path = try write("days.gpx", "<gpx>\(track("day 1"))\(track("day 2"))</gpx>")
        #expect(try open(path).map(\.devices) == [["days"]])
        let split = try open("\(path)?split=track")
        #expect(split.map(\.devices) == [["day-1"], ["day-2"]])
        let recorder = EventRecorder<SourceEvent, SourceFailure>()
        split.last?.fixes.start(recorder.record)
        scheduler.advance()
        // What it says of its times, and its only position.
        #expect(recorder.values.count == 2)
    }

    @Test func `a file is read through as its argument asks`() throws {
        let path = try write("a.gpx", track)
        var reader = try NamedTrackReader(NamedTrack(parsing: "\(path)?interval=250ms"))
        var latitudes: [Double] = []
        while let fix = try reader.next() { latitudes.append(fix.latitude) }
        #expect(latitudes.count == 5)
        #expect(reader.report.fixes == 2)
        reader = try NamedTrackReader(NamedTrack(parsing: path))
        latitudes = []
        while let fix = try reader.next() { latitudes.append(fix.latitude) }
        #expect(latitudes == [46, 46.0001])
    }

    @Test func `a file that is lost later fails its run`() throws {
        let path = try write("a.gpx", track)
        let source = try #require(try open(path).first)
        try FileManager.default.removeItem(atPath: path)
        let recorder = EventRecorder<SourceEvent, SourceFailure>()
        source.fixes.start(recorder.record)
        scheduler.advance()
        #expect(recorder.failure?.message.contains(path) == true)
        _ = try write("a.gpx", track)
        recorder.clear()
        source.fixes.start(recorder.record)
        scheduler.advance()
        #expect(recorder.values.count == 1)
    }
}
