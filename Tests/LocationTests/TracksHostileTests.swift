import Foundation
import Testing

@testable import Location

@Suite struct TracksHostileTests {
    @Test func `a document type is refused with its place`() throws {
        let laughs = "<!DOCTYPE gpx [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;\">]>"
        let file = try TracksFile(gpx(point(0, at: 0), before: "\n" + laughs))
        let refusal = try #require(file.refusal())
        #expect(refusal.hasPrefix("FILE:2:1: has a document type declaration (DOCTYPE)"))
        let external = "<!DOCTYPE gpx SYSTEM \"file:///etc/passwd\">"
        #expect(try TracksFile(gpx("", before: external)).refusal() != nil)
    }

    @Test func `nothing that a file names is fetched`() throws {
        let server = try FakeDaemon()
        let url = "http://127.0.0.1:\(server.port)/x"
        let line = "<LineString><coordinates>7,46 7.1,46</coordinates></LineString>"
        let link = "<NetworkLink><Link><href>\(url)</href></Link></NetworkLink>"
        let points = point(0, at: 0) + "<link href=\"\(url)\"/>" + point(1, at: 1)
        for text in [
            "<kml><Document>\(link)<Placemark>\(line)</Placemark></Document></kml>",
            gpx(points, before: "<?xml-stylesheet href=\"\(url)\"?>"),
            gpx(points).replacing("<gpx", with: "<gpx xsi:schemaLocation=\"\(url) \(url)\""),
        ] {
            #expect(try TracksFile(text).decode().fixes.count == 2)
        }
        for type in ["SYSTEM \"\(url)\"", "[<!ENTITY % a SYSTEM \"\(url)\">%a;]"] {
            let isRefused =
                try TracksFile(gpx(points, before: "<!DOCTYPE gpx \(type)>")).refusal() != nil
            #expect(isRefused)
        }
        #expect(!server.isCalled)
    }

    @Test(arguments: [
        ("", "FILE: is empty, a track was expected"),
        (
            "<html><body/></html>",
            "FILE: is XML with the root element \"html\", which is not read"
        ),
        (
            "PK\u{3}\u{4}",
            "FILE: is a ZIP archive (KMZ is one: take the KML out), which is not read"
        ),
    ])
    func `what is no track is refused in one sentence`(_ text: String, _ wanted: String) throws {
        #expect(try TracksFile(text).refusal() == wanted)
    }

    @Test func `what is in no format is refused and the formats are named`() throws {
        for text in ["hello\n", "1,2,3\n", String(repeating: "\0", count: 100_000), "{"] {
            let file = try TracksFile(text)
            guard let refusal = file.refusal() else {
                #expect(try file.decode().fixes.isEmpty)
                continue
            }
            #expect(refusal.contains("is in none of the known formats: GPX, KML"))
        }
    }

    @Test func `a folder, a missing file and a named pipe are refused`() throws {
        #expect(throws: TrackError.self) { try TrackReader(path: "/") }
        #expect(throws: TrackError.self) { try TrackReader(path: "/nowhere/at/all") }
        let pipe = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        let status = unsafe mkfifo(pipe, 0o600)
        #expect(status == 0)
        defer { try? FileManager.default.removeItem(atPath: pipe) }
        #expect(throws: TrackError.self) { try TrackReader(path: pipe) }
    }

    @Test func `deep nesting ends the reading and keeps what was before`() throws {
        let deep = String(repeating: "<a>", count: 100_000)
        let (fixes, report) = try TracksFile(gpx(point(0, at: 0) + point(1, at: 1) + deep)).decode()
        #expect(fixes.count == 2)
        #expect(report.diagnostics.first?.severity == .error)
        let json =
            "{\"type\":\"Feature\",\"properties\":{\"x\":" + String(repeating: "[", count: 99_999)
        #expect(try TracksFile(json).decode().fixes.isEmpty)
    }

    @Test func `ever new names end the reading and keep what was before`() throws {
        let numbers = 0...NameCensus.mostNames
        let bodies = [
            numbers.map { "<a\($0)/>" }, numbers.map { "<a a\($0)=\"\"/>" },
            numbers.map { "<n\($0):ele/>" }, numbers.map { "<a xmlns:n\($0)=\"\"/>" },
            (0..<3).map { "<a" + String(repeating: "\($0)", count: 500_000) + "/>" },
        ]
        for body in bodies {
            let text = gpx(point(0, at: 0) + point(1, at: 1) + body.joined() + point(2, at: 2))
            let (fixes, report) = try TracksFile(text).decode()
            #expect(fixes.count == 2)
            #expect(report.diagnostics.map(\.severity) == [.error])
            #expect(report.diagnostics.first?.line == 3)
            #expect(report.diagnostics.first?.message.contains("different names") == true)
        }
        let few = numbers.dropFirst(4).map { "<a\($0)/>" }.joined()
        let text = gpx(point(0, at: 0) + few + few + point(1, at: 1))
        let (fixes, report) = try TracksFile(text).decode()
        #expect(fixes.count == 2)
        #expect(report.diagnostics.isEmpty)
    }

    @Test func `an endless tag ends the reading`() throws {
        let endless = "<trkpt lat=\"1\" x=\"" + String(repeating: "y", count: 5_000_000)
        let (fixes, report) = try TracksFile(gpx(point(0, at: 0) + point(1, at: 1) + endless))
            .decode()
        #expect(fixes.count == 2)
        #expect(report.diagnostics.contains { $0.message.contains("longer than 1 MiB") })
    }

    @Test func `an endless line is skipped`() throws {
        let endless = String(repeating: "x", count: 200_000)
        let lines = [
            "{\"lat\":46.5,\"lon\":7.5,\"time\":1777622400}", "{\"x\":\"\(endless)\"}",
            "{\"lat\":46.6,\"lon\":7.5,\"time\":1777622401}", endless,
        ]
        let (fixes, report) = try TracksFile(lines.joined(separator: "\n")).decode()
        #expect(fixes.count == 2)
        #expect(report.diagnostics.map(\.line) == [2, 4])
    }

    @Test func `a file that expands without bound is not read on`() throws {
        // A gzip member of a GPX document with 40 MB of spaces in it.
        let head = Array(gpx(point(0, at: 0) + point(1, at: 1)).utf8).dropLast(21)
        let bomb = try #require(gzip(Array(head), spaces: 40_000_000))
        #expect(bomb.count < 100_000)
        let (fixes, report) = try TracksFile(bomb).decode()
        #expect(fixes.count == 2)
        #expect(report.diagnostics.contains { $0.message.contains("expands more than 150-fold") })
    }

    @Test func `zeros and damage in gzip are refused or noted`() throws {
        let zeros = try #require(gzip([], spaces: 0, zeros: 30_000_000))
        #expect(try TracksFile(zeros).refusal()?.contains("none of the known formats") == true)
        var damaged = try #require(
            gzip(Array(gpx((0..<5000).map { point($0, at: $0) }.joined()).utf8))
        )
        damaged[damaged.count / 2] ^= 0xFF
        let (fixes, report) = try TracksFile(damaged).decode()
        #expect(!fixes.isEmpty)
        #expect(!report.diagnostics.isEmpty)
    }

    @Test func `no more than a hundred diagnostics are kept and the others counted`() throws {
        let points = (0..<250).map { _ in "<trkpt lat=\"x\" lon=\"1\"/>\n" }.joined()
        let (fixes, report) = try TracksFile(gpx(points)).decode()
        #expect(fixes.isEmpty)
        #expect(report.rejected == 250)
        #expect(report.diagnostics.count == 100)
        #expect(report.moreDiagnostics == 150)
    }

    @Test func `more than a thousand devices are refused`() throws {
        let rows = (0..<1500).map { "d\($0),46.5,7.5" }
        let (fixes, report) = try TracksFile("device,lat,lon\n" + rows.joined(separator: "\n"))
            .decode()
        #expect(fixes.count == 1000)
        #expect(report.rejected == 500)
    }

    @Test func `an unknown unit is refused with line and column`() throws {
        let file = try TracksFile("lat,lon (gon),speed\n1,2,3\n")
        #expect(
            file.refusal() == "FILE:1:5: the unit \"gon\" of column \"lon\" is not known"
        )
    }

    @Test func `a file without a fix says why`() throws {
        let file = try TracksFile(gpx("<trkpt lat=\"91\" lon=\"1\"/>"))
        let error = #expect(throws: TrackError.self) { try TrackScan.scan(path: file.path) }
        let sentence = error?.description.replacing(file.path, with: "FILE")
        #expect(
            sentence
                == "FILE:1:54: has no fix: of 1 positions 1 are unusable and 0 have no time; "
                + "latitude 91.0 is not a latitude, -90 to 90 was expected"
        )
    }

    /// A gzip file of some bytes and then many of one kind, made by the system's gzip.
    private func gzip(_ head: [UInt8], spaces: Int = 0, zeros: Int = 0) -> [UInt8]? {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/gzip")
        process.arguments = ["-c"]
        let input = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: input) }
        var bytes = Data(head)
        bytes.append(Data(repeating: 0x20, count: spaces))
        bytes.append(Data(repeating: 0, count: zeros))
        let output = Pipe()
        guard (try? bytes.write(to: input)) != nil,
            let handle = try? FileHandle(forReadingFrom: input)
        else { return nil }
        process.standardInput = handle
        process.standardOutput = output
        guard (try? process.run()) != nil else { return nil }
        let result = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Array(result)
    }
}
