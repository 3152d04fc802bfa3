import Reactive
import TestSupport
import Testing

@testable import Location

@Suite struct SourceSpecificationTests {
    @Test func `an argument is taken apart at its first sign and its last mark`() throws {
        let car = try SourceSpecification(parsing: "car=tracks/a=b?.gpx?rate=20&loop=false")
        #expect(car.device == "car")
        #expect(car.locator == .path("tracks/a=b?.gpx"))
        #expect(car.parameters.map(\.name) == ["rate", "loop"])
        #expect(car.parameters.map(\.value) == ["20", "false"])
    }

    @Test(arguments: [
        ("./a=b.gpx", nil, "./a=b.gpx"),
        ("a=b.gpx", "a", "b.gpx"),
        ("a=./a=b.gpx", "a", "./a=b.gpx"),
        ("what?.gpx", nil, "what?.gpx"),
        ("x.gpx?", nil, "x.gpx?"),
        ("x.gpx?rate=1?loop=true", nil, "x.gpx?rate=1"),
        ("é=x.gpx", nil, "é=x.gpx"),
    ])
    func `a path may hold signs and marks`(text: String, device: String?, path: String) throws {
        let specification = try SourceSpecification(parsing: text)
        #expect(specification.device == device)
        #expect(specification.locator == .path(path))
    }

    @Test func `a device name has at most 64 characters`() throws {
        let name = String(repeating: "n", count: 64)
        #expect(try SourceSpecification(parsing: "\(name)=sim:").device == name)
        #expect(try SourceSpecification(parsing: "\(name)n=sim:").device == nil)
    }

    @Test(arguments: [
        ("sim:", SourceSpecification.Locator.simulator),
        ("sim:?seed=1", .simulator),
        ("-", .standardInput),
        ("gps=-", .standardInput),
        ("follow:/var/log/gps.nmea", .follow("/var/log/gps.nmea")),
        ("gpsd://localhost", .gpsd(host: "localhost", port: 2947)),
        ("gpsd://10.0.0.1:3000?device=/dev/ttyUSB0", .gpsd(host: "10.0.0.1", port: 3000)),
        ("gpsd://[::1]:3000/", .gpsd(host: "::1", port: 3000)),
        ("gpsd://[::1]", .gpsd(host: "::1", port: 2947)),
    ])
    func `a locator is recognised`(
        text: String,
        locator: SourceSpecification.Locator
    ) throws {
        #expect(try SourceSpecification(parsing: text).locator == locator)
    }

    @Test(arguments: [
        "a=", "sim:x", "follow:", "gpsd://", "gpsd://h:0", "gpsd://h:70000", "gpsd://::1",
        "gpsd://[::1", "sim:?seed=1&seed=2", "sim:?seed=1&&count=2", "sim:?seed=1&=2",
    ])
    func `a malformed argument is a usage error that names it`(text: String) {
        #expect {
            try SourceSpecification(parsing: text)
        } throws: { error in
            guard let error = error as? SourceError else { return false }
            return error.isUsage && error.message.hasPrefix(text + ":")
        }
    }

    @Test(arguments: [
        ("sim:?speed=1", "speed"),
        ("sim:?interval=0s", "interval"),
        ("sim:?interval=1", "interval"),
        ("sim:?interval=-1s", "interval"),
        ("sim:?profile=fly", "profile"),
        ("sim:?seed=-1", "seed"),
        ("sim:?seed=18446744073709551616", "seed"),
        ("sim:?count=0", "count"),
        ("sim:?count=1e3", "count"),
        ("sim:?noise=", "noise"),
        ("sim:?ttff=soon", "ttff"),
        ("sim:?outages=1s", "outages"),
        ("sim:?resume=never", "resume"),
        ("sim:?route=1,2;3", "route"),
        ("x.gpx?rate=0", "rate"),
        ("x.gpx?rate=nan", "rate"),
        ("x.gpx?rate=1,5", "rate"),
        ("x.gpx?loop=yes", "loop"),
        ("x.gpx?maxGap=0s", "maxGap"),
        ("x.gpx?speed=0", "speed"),
        ("x.gpx?interval=1us", "interval"),
        ("x.gpx?tz=Mars/Olympus", "tz"),
        ("x.gpx?date=2026-02-30", "date"),
        ("x.gpx?split=tracks", "split"),
        ("x.gpx?order=random", "order"),
        ("x.gpx?Rate=1", "Rate"),
        ("x.gpx?seed=1", "seed"),
    ])
    func `an unknown parameter or a wrong value is a usage error that names it`(
        text: String,
        parameter: String
    ) {
        let scheduler = TestScheduler()
        #expect {
            try Sources.open(text, scheduler: scheduler, clock: TestWallClock(scheduler))
        } throws: { error in
            guard let error = error as? SourceError else { return false }
            return error.isUsage && error.message.hasPrefix(text + ":")
                && error.message.contains(parameter) && error.message.contains("expected")
        }
    }

    @Test func `a simulator is called demo unless it is given a name`() throws {
        let scheduler = TestScheduler()
        let clock = TestWallClock(scheduler)
        func devices(_ text: String) throws -> [String] {
            try Sources.open(text, scheduler: scheduler, clock: clock).flatMap(\.devices)
        }
        #expect(try devices("sim:") == ["demo"])
        #expect(try devices("ship=sim:?profile=ship") == ["ship"])
        #expect(try devices("sim:?count=2") == ["demo-1", "demo-2"])
    }
}
