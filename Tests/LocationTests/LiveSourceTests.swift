import Foundation
import Reactive
import Synchronization
import TestSupport
import Testing

@testable import Location

/// A folder that goes with the test.
private final class TemporaryFolder {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "fixcast-\(UUID())")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path()
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// A line as gpsd writes it.
private func line(_ latitude: Int) -> String {
    #"{"class":"TPV","device":"/dev/gps","mode":3,"lat":\#(latitude).5,"lon":7.5}"# + "\n"
}

private typealias Recorder = EventRecorder<SourceEvent, SourceFailure>

extension EventRecorder where Value == SourceEvent, Failure == SourceFailure {
    /// The whole degrees of the latitudes of the fixes so far.
    fileprivate var latitudes: [Int] {
        values.compactMap { event in
            switch event {
            case .fix(let fix), .lastKnown(let fix, _): Int(fix.latitude)
            case .status: nil
            }
        }
    }

    /// Whether the fixes become these.
    fileprivate func comesTo(_ latitudes: [Int]) -> Bool {
        eventually { self.latitudes == latitudes }
    }
}

@Suite struct FollowSourceTests {
    private let scheduler = TestScheduler()
    private let folder: TemporaryFolder
    private let path: String
    private let recorder = Recorder()

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/gps.json"
        try write(line(1) + line(2))
    }

    private func write(_ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    private func append(_ text: String) throws {
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }

    private func open() throws -> any FixSource {
        let clock = TestWallClock(scheduler)
        let sources = try Sources.open("follow:\(path)", scheduler: scheduler, clock: clock)
        return try #require(sources.first)
    }

    @Test func `a run begins with the newest fix and goes on with what is written`() throws {
        let source = try open()
        #expect(source.devices == ["gps"] && source.kind == .live && source.isLooping)
        let run = source.fixes.start(recorder.record)
        #expect(recorder.comesTo([2]))
        try append(line(3) + line(4))
        #expect(recorder.comesTo([2, 3, 4]))
        run.dispose()
        try append(line(5))
        let second = source.fixes.start(recorder.record)
        #expect(recorder.comesTo([2, 3, 4, 5]))
        second.dispose()
    }

    @Test func `a half-written line waits for its end`() throws {
        let run = try open().fixes.start(recorder.record)
        #expect(recorder.comesTo([2]))
        let text = line(3)
        try append(String(text.prefix(30)))
        try append(String(text.dropFirst(30)) + line(4))
        #expect(recorder.comesTo([2, 3, 4]))
        run.dispose()
    }

    @Test func `a file that is cut short is read from its beginning`() throws {
        let run = try open().fixes.start(recorder.record)
        #expect(recorder.comesTo([2]))
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.truncate(atOffset: 0)
        try handle.close()
        try append(line(7))
        #expect(recorder.comesTo([2, 7]))
        run.dispose()
    }

    @Test func `a file that is rotated is read to its end before the new one`() throws {
        let run = try open().fixes.start(recorder.record)
        #expect(recorder.comesTo([2]))
        try append(line(3))
        try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
        try write(line(4))
        #expect(recorder.comesTo([2, 3, 4]))
        try append(line(5))
        #expect(recorder.comesTo([2, 3, 4, 5]))
        run.dispose()
    }

    /// A line with a time of day.
    private func timedLine(_ latitude: Int, at clock: String) -> String {
        line(latitude).replacingOccurrences(
            of: "}",
            with: #","time":"2026-05-01T\#(clock)Z"}"#
        )
    }

    private func overwrite(at offset: Int, _ text: String) throws {
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }

    @Test func `of a file that takes the place of another only what is newer is sent`() throws {
        let old = timedLine(1, at: "08:00:00") + timedLine(2, at: "08:30:00")
        try write(old)
        let run = try open().fixes.start(recorder.record)
        #expect(recorder.comesTo([2]))
        let news = old + timedLine(3, at: "08:30:01")
        try Data(news.utf8).write(to: URL(filePath: path), options: .atomic)
        #expect(recorder.comesTo([2, 3]))
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.truncate(atOffset: 0)
        try handle.close()
        try append(news + timedLine(4, at: "08:30:02"))
        #expect(recorder.comesTo([2, 3, 4]))
        run.dispose()
    }

    @Test func `a file that is written over in the same length is read from its beginning`() throws
    {
        try write(timedLine(1, at: "08:00:00") + timedLine(2, at: "08:00:01"))
        let run = try open().fixes.start(recorder.record)
        #expect(recorder.comesTo([2]))
        try overwrite(at: 0, timedLine(3, at: "08:00:02") + timedLine(4, at: "08:00:03"))
        #expect(recorder.comesTo([2, 3, 4]))
        run.dispose()
    }

    @Test func `a short file that is written over counts however its end stays the same`() throws {
        let end = String(repeating: "#", count: 3_000) + "\n"
        try write(timedLine(1, at: "08:00:00") + end)
        let run = try open().fixes.start(recorder.record)
        #expect(recorder.comesTo([1]))
        try overwrite(at: 0, timedLine(2, at: "08:00:01"))
        #expect(recorder.comesTo([1, 2]))
        run.dispose()
    }

    @Test func `points written over the end of a GPX file come out once each`() throws {
        let end = "</trkseg></trk></gpx>\n"
        func point(_ latitude: Int) -> String {
            "<trkpt lat=\"\(latitude).5\" lon=\"7.5\"><time>2026-05-01T08:00:0\(latitude)Z</time>"
                + "</trkpt>\n"
        }
        var text = "<gpx><trk><trkseg>\n" + point(1)
        try write(text + end)
        let run = try open().fixes.start(recorder.record)
        #expect(recorder.comesTo([1]))
        for latitude in 2...5 {
            try overwrite(at: text.utf8.count, point(latitude) + end)
            text += point(latitude)
            #expect(recorder.comesTo(Array(1...latitude)))
        }
        run.dispose()
        let flags = recorder.values.map { event in
            if case .fix(let fix) = event { fix.discontinuity } else { false }
        }
        #expect(!flags.contains(true))
    }

    @Test func `a folder in place of the file fails the run, and the next one`() throws {
        let source = try open()
        source.fixes.start(recorder.record)
        #expect(recorder.comesTo([2]))
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: false
        )
        let message = "\(path): is a folder; expected a file"
        #expect(
            eventually {
                scheduler.advance(by: .seconds(1))
                return recorder.failure?.message == message
            }
        )
        recorder.clear()
        source.fixes.start(recorder.record)
        #expect(eventually { recorder.failure?.message == message })
    }

    @Test func `a file that has gone for long fails the run, and a later run finds it again`()
        throws
    {
        let source = try open()
        source.fixes.start(recorder.record)
        #expect(recorder.comesTo([2]))
        try FileManager.default.removeItem(atPath: path)
        #expect(
            eventually {
                scheduler.advance(by: .seconds(1))
                return recorder.failure != nil
            }
        )
        #expect(recorder.failure?.message == "\(path): the file has gone")
        recorder.clear()
        source.fixes.start(recorder.record)
        #expect(eventually { recorder.failure != nil })
        recorder.clear()
        try write(line(9))
        let run = source.fixes.start(recorder.record)
        #expect(recorder.comesTo([9]))
        run.dispose()
    }

    @Test func `a file may be empty at the start but must be there`() throws {
        try write("")
        let run = try open().fixes.start(recorder.record)
        try append(line(1))
        #expect(recorder.comesTo([1]))
        run.dispose()
        try FileManager.default.removeItem(atPath: path)
        #expect(throws: SourceError.self) { try open() }
    }

    @Test(
        arguments: [
            ("a gzip file", [0x1F, 0x8B, 0x08, 0x00]), ("a ZIP archive", [0x50, 0x4B, 0x03, 0x04]),
            ("an xz file", [0xFD, 0x37, 0x7A, 0x58, 0x5A]), ("UTF-16 text", [0xFF, 0xFE]),
        ] as [(String, [UInt8])]
    )
    func `a file that is no text cannot be followed, and ends the run that comes to it`(
        _ kind: String,
        _ bytes: [UInt8]
    ) throws {
        let run = try open().fixes.start(recorder.record)
        #expect(recorder.comesTo([2]))
        try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
        try Data(bytes).write(to: URL(filePath: path))
        let reason = "\(path): is \(kind), which cannot be followed while it is written"
        #expect(eventually { recorder.failure?.message.hasPrefix(reason) == true })
        run.dispose()
        let error = #expect(throws: SourceError.self) { try open() }
        #expect(error.map { "\($0)".contains(reason) } == true)
    }

    @Test func `rows of CSV go on under the header of the file before`() throws {
        try write("lat,lon,speed\n1.5,7.5,1\n")
        let run = try open().fixes.start(recorder.record)
        #expect(recorder.comesTo([1]))
        try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
        try write("2.5,7.5,2\n")
        #expect(recorder.comesTo([1, 2]))
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.truncate(atOffset: 0)
        try handle.close()
        try append("3.5,7.5,\n")
        #expect(recorder.comesTo([1, 2, 3]))
        try FileManager.default.moveItem(atPath: path, toPath: path + ".2")
        try write("lon,lat\n7.5,4.5\n")
        #expect(recorder.comesTo([1, 2, 3, 4]))
        try FileManager.default.moveItem(atPath: path, toPath: path + ".3")
        try write(line(5))
        #expect(recorder.comesTo([1, 2, 3, 4, 5]))
        run.dispose()
    }

    @Test func `disposing closes the files`() throws {
        let source = try open()
        let run = source.fixes.start(recorder.record)
        #expect(recorder.comesTo([2]))
        #expect(openFiles().contains(path))
        run.dispose()
        #expect(eventually { !openFiles().contains(path) })
    }

    private func openFiles() -> [String] {
        let folder = "/proc/self/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.compactMap { name in
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
        }
    }
}

/// A clock that counts how often it is looked at.
private final class CountingScheduler: Scheduler {
    private let base = TestScheduler()
    private let looks = Atomic<Int>(0)

    var count: Int { looks.load(ordering: .acquiring) }

    var now: Duration {
        looks.add(1, ordering: .releasing)
        return base.now
    }

    func schedule(
        at deadline: Duration,
        _ action: @escaping @Sendable () -> Void
    ) -> any Disposable {
        base.schedule(at: deadline, action)
    }
}

@Suite struct StandardInputTests {
    private let scheduler = CountingScheduler()
    private let pipe = Pipe()
    private let recorder = Recorder()

    private func source(_ descriptor: CInt? = nil) throws -> StandardInputSource {
        let number = dup(descriptor ?? pipe.fileHandleForReading.fileDescriptor)
        let settings = LiveSettings(
            names: [(nil, "gps")],
            options: TrackOptions(),
            scheduler: scheduler,
            clock: TestWallClock(TestScheduler())
        )
        return try StandardInputSource(Descriptor(owning: number), settings: settings)
    }

    private func write(_ text: String) throws {
        try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    }

    @Test func `fixes come as they are written, and the run completes with the pipe`() throws {
        let source = try source()
        #expect(!source.isLooping && source.kind == .live)
        source.fixes.start(recorder.record)
        try write(line(1))
        #expect(recorder.comesTo([1]))
        try write(line(2))
        #expect(recorder.comesTo([1, 2]))
        try pipe.fileHandleForWriting.close()
        #expect(eventually { recorder.hasCompleted })
    }

    @Test func `a folder as standard input is refused before anything is read`() throws {
        let folder = try TemporaryFolder()
        let number = unsafe open(folder.path, O_RDONLY)
        defer { close(number) }
        let failure = #expect(throws: SystemCall.Failure.self) { try source(number) }
        #expect(failure?.reason == "is a directory")
    }

    @Test func `while nobody listens only the newest fix is kept`() throws {
        let source = try source()
        try write((1...9).map(line).joined())
        // The time is asked for after each reading: when it has been after another one, what was
        // read before has been dealt with.
        #expect(eventually { scheduler.count >= 1 })
        try write("\n")
        #expect(eventually { scheduler.count >= 2 })
        let run = source.fixes.start(recorder.record)
        #expect(recorder.comesTo([9]))
        run.dispose()
        let next = Recorder()
        let second = source.fixes.start(next.record)
        try write(line(10))
        #expect(next.comesTo([10]))
        second.dispose()
    }

    @Test func `a run after the end completes at once`() throws {
        let source = try source()
        source.fixes.start(recorder.record)
        try pipe.fileHandleForWriting.close()
        #expect(eventually { recorder.hasCompleted })
        let next = Recorder()
        source.fixes.start(next.record)
        #expect(eventually { next.hasCompleted })
        #expect(next.values.isEmpty)
    }

    @Test func `a source that is released lets go of the pipe`() throws {
        var kept: StandardInputSource? = try source()
        kept?.fixes.start(recorder.record)
        try write(line(1))
        #expect(recorder.comesTo([1]))
        try pipe.fileHandleForReading.close()
        kept = nil
        // Once the last reading end is closed, a write fails.
        _ = signal(SIGPIPE, SIG_IGN)
        #expect(eventually { (try? write(line(2))) == nil })
    }
}
