import Dispatch
import Glibc
import Reactive
import Synchronization
import TestSupport
import Testing

@testable import Location

/// A daemon on loopback that takes one connection after another.
final class FakeDaemon: Sendable {
    let port: UInt16
    private let listener: CInt
    private let connection = Atomic<Int>(-1)
    private let accepting = DispatchQueue(label: "test.gpsd")

    /// `isListening: false` only keeps the port from others: connecting to it is refused.
    init(isListening: Bool = true) throws {
        listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let number = listener
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(number, pointer, length) == 0
                    && (!isListening || listen(number, 4) == 0)
                    && getsockname(number, pointer, &length) == 0
            }
        }
        try #require(isBound)
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit {
        hangUp()
        close(listener)
    }

    /// Whether someone has connected whose connection was not taken.
    var isCalled: Bool {
        var entry = pollfd(fd: listener, events: CShort(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, 0) == 1
    }

    /// Takes the next connection and reads the first line it sends; nil when none has come in time.
    func accept() -> String? {
        guard isReadable(listener) else { return nil }
        let number = Glibc.accept(listener, nil, nil)
        connection.store(Int(number), ordering: .releasing)
        var text = ""
        while !text.hasSuffix("\n"), isReadable(number) {
            var byte: UInt8 = 0
            guard unsafe read(number, &byte, 1) == 1 else { return nil }
            text.unicodeScalars.append(Unicode.Scalar(byte))
        }
        return text
    }

    func say(_ text: String) {
        let bytes = Array(text.utf8)
        let number = CInt(connection.load(ordering: .acquiring))
        _ = unsafe send(number, bytes, bytes.count, CInt(MSG_NOSIGNAL))
    }

    /// Whether the client has closed its end.
    func isLeft() -> Bool {
        let number = CInt(connection.load(ordering: .acquiring))
        var byte: UInt8 = 0
        guard isReadable(number) else { return false }
        return unsafe read(number, &byte, 1) == 0
    }

    func hangUp() {
        let number = connection.exchange(-1, ordering: .acquiringAndReleasing)
        if number >= 0 { close(CInt(number)) }
    }

    private func isReadable(_ number: CInt) -> Bool {
        var entry = pollfd(fd: number, events: CShort(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, CInt(testPatience.components.seconds * 1_000)) == 1
    }
}

@Suite struct LiveGpsdTests {
    private let scheduler = TestScheduler()
    private let daemon: FakeDaemon
    private let recorder = EventRecorder<SourceEvent, SourceFailure>()

    init() throws {
        daemon = try FakeDaemon()
    }

    private func source(_ parameters: String = "") throws -> any FixSource {
        let sources = try Sources.open(
            "gpsd://127.0.0.1:\(daemon.port)\(parameters)",
            scheduler: scheduler,
            clock: TestWallClock(scheduler)
        )
        return try #require(sources.first)
    }

    private func tpv(_ latitude: Double) -> String {
        #"{"class":"TPV","device":"/dev/gps","mode":3,"lat":\#(latitude),"lon":7.5}"# + "\r\n"
    }

    private let version = #"{"class":"VERSION","release":"3.22","proto_major":3}"# + "\r\n"

    private var latitudes: [Double] {
        recorder.values.compactMap { event in
            guard case .fix(let fix) = event else { return nil }
            return fix.latitude
        }
    }

    @Test func `a run connects, asks for reports and sends the fixes`() throws {
        let source = try source()
        #expect(source.devices == ["127.0.0.1"] && source.kind == .live && source.isLooping)
        let run = source.fixes.start(recorder.record)
        #expect(daemon.accept() == "?WATCH={\"enable\":true,\"json\":true};\n")
        let text = tpv(46.25)
        daemon.say(version + tpv(46.5) + text.prefix(20))
        #expect(eventually { latitudes == [46.5] })
        daemon.say(String(text.dropFirst(20)))
        #expect(eventually { latitudes == [46.5, 46.25] })
        run.dispose()
        #expect(daemon.isLeft())
    }

    @Test func `one receiver of the daemon may be chosen`() throws {
        let run = try source("?device=/dev/ttyUSB0").fixes.start(recorder.record)
        #expect(
            daemon.accept()
                == "?WATCH={\"enable\":true,\"json\":true,\"device\":\"/dev/ttyUSB0\"};\n"
        )
        run.dispose()
    }

    @Test func `a daemon that hangs up fails the run, and a later run connects again`() throws {
        let source = try source()
        source.fixes.start(recorder.record)
        #expect(daemon.accept() != nil)
        daemon.hangUp()
        #expect(eventually { recorder.failure != nil })
        #expect(recorder.failure?.message.contains("127.0.0.1:\(daemon.port)") == true)
        let run = source.fixes.start(recorder.record)
        #expect(daemon.accept() != nil)
        run.dispose()
    }

    @Test func `a daemon that is not there fails the run in one sentence`() throws {
        let absent = try FakeDaemon(isListening: false)
        let sources = try Sources.open(
            "gpsd://127.0.0.1:\(absent.port)",
            scheduler: scheduler,
            clock: TestWallClock(scheduler)
        )
        sources.first?.fixes.start(recorder.record)
        #expect(eventually { recorder.failure != nil })
        #expect(
            recorder.failure?.message
                == "gpsd at 127.0.0.1:\(absent.port): cannot be reached: connection refused"
        )
    }

    @Test(arguments: ["?device=", "?device=a\"b", "?device=a b", "?rate=1"])
    func `a parameter that is wrong is a usage error`(parameters: String) {
        #expect {
            try source(parameters)
        } throws: { error in
            (error as? SourceError)?.isUsage == true
        }
    }
}
