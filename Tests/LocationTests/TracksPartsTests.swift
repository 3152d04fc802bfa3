import Foundation
import Testing

@testable import Location

/// Files of several devices, each of many chunks, that are hard to read in part.
enum FleetFile: CaseIterable {
    case sortedByDevice
    case inBlocks
    case interleaved
    case withMark
    case cutOff
    case quotedLineFeeds
    case holes
    case rowNumbers
    case similarNames
    case clocksDecidedLate
    case objects
    case lostBreaks
    case events
    case classes

    private static let rows = 100
    private static let devices = ["veh 1", "veh-1", "veh10", "veh2"]

    /// The time of a row, two seconds after the one before.
    private static func time(_ row: Int) -> String {
        "\(Timestamp(milliseconds: 1_777_622_400_000 + Int64(row) * 2000))"
    }

    private static func row(_ device: String, _ row: Int, time: String? = nil) -> String {
        "\(46 + Double(row) / 10_000),7.\(row % 7),\(time ?? self.time(row)),\(device)\n"
    }

    private static func object(_ device: String, _ row: Int) -> String {
        "{\"device\":\"\(device)\",\"timestamp\":\"\(time(row))\",\n"
            + "\"latitude\":\(46 + Double(row) / 10_000),\"longitude\":7}"
    }

    private static func sorted(_ row: (String, Int) -> String) -> String {
        devices.map { device in (0..<rows).map { row(device, $0) }.joined() }.joined()
    }

    var text: String {
        let header = "lat,lon,time,device\n"
        switch self {
        case .sortedByDevice: return header + Self.sorted { Self.row($0, $1) }
        case .withMark: return "\u{FEFF}" + header + Self.sorted { Self.row($0, $1) }
        case .cutOff: return String((header + Self.sorted { Self.row($0, $1) }).dropLast())
        case .inBlocks:
            let blocks = (0..<5).map { block in
                Self.devices.map { device in
                    (0..<Self.rows).map { Self.row(device, block * Self.rows + $0) }.joined()
                }
            }
            return header + blocks.joined().joined()
        case .interleaved:
            let rounds = (0..<Self.rows).map { row in
                Self.devices.map { Self.row($0, row) }.joined()
            }
            return header + rounds.joined()
        case .quotedLineFeeds:
            return "note,lat,lon,time,device\n"
                + Self.sorted { device, row in
                    let rows = Self.devices.map { "x,1,1,\(Self.time(row)),\($0)\n" }
                    return "\"row \(row)\n\(rows.joined())its \"\"end\"\"\","
                        + Self.row(device, row)
                }
        case .holes:
            let devices = Self.devices.enumerated().map { index, device in
                (0..<650).map { row in
                    let isHole = 20..<600 ~= row || index == 2
                    return Self.row(device, row, time: isHole ? "" : nil)
                }
            }
            return header + devices.joined().joined()
        case .rowNumbers:
            return "lat,lon,time,id\n" + (0..<400).map { Self.row("\($0)", $0) }.joined()
                + (0..<400).map { Self.row("\($0 / 100)", 400 + $0) }.joined()
        case .similarNames:
            let devices = ["a b", "a-b", "a?b", "a-b-2"]
            return header
                + devices.map { name in (0..<Self.rows).map { Self.row(name, $0) }.joined() }
                .joined()
        case .clocksDecidedLate:
            return "lat,lon,time,device,date\n"
                + Self.sorted { device, row in
                    let clock = 100 * (1 + row / 60) + row % 60
                    let time = device == "veh10" && row < 3 ? "1\(clock)00" : "\(clock)"
                    return Self.row("\(device),2026-05-01", row, time: time)
                }
        case .objects:
            return Self.sorted { Self.object($0, $1).replacing("\n", with: "") + "\n" }
        case .lostBreaks:
            return Self.sorted { device, row in
                let object = Self.object(device, row).replacing("\n", with: "")
                guard row % 10 == 5 else { return object + "\n" }
                let latitude = row % 20 == 5 ? "95" : "\"north\""
                return "{\"discontinuity\":true,\"latitude\":\(latitude),"
                    + object.dropFirst()
                    .replacing("\"latitude\"", with: "\"height\"") + "\n"
            }
        case .events:
            return Self.sorted { device, row in
                let data = Self.object(device, row).replacing("\n", with: "\ndata: ")
                let name = row % 5 == 1 ? "event: other\n" : ""
                return "id: \(row)\n\(name)data: \(data)\n\n"
            }
        case .classes:
            // Of a class that gpsd's positions do not have they count before gpsd's own only.
            return Self.sorted { device, row in
                let isOther = row % 3 == 0 || device == "veh 1"
                let name = isOther ? "car" : device == "veh-1" ? "TPV" : ""
                let member = name.isEmpty ? "" : "\"class\":\"\(name)\","
                return "{\(member)\"mode\":3,\"lat\":46.\(1000 + row),\"lon\":7,"
                    + "\"time\":\"\(Self.time(row))\",\"device\":\"\(device)\"}\n"
            }
        }
    }
}

@Suite struct TracksPartsTests {
    private func all(_ reader: TrackReader) throws -> [TrackFix] {
        var fixes: [TrackFix] = []
        while let fix = try reader.next() { fixes.append(fix) }
        return fixes
    }

    private func reader(
        _ path: String,
        _ parts: TrackParts?,
        _ device: String?,
        _ options: TrackOptions = TrackOptions()
    ) throws -> TrackReader {
        let parts = try #require(parts)
        let file = try #require(try parts.open(path))
        let part = TrackPart(file: file, name: path, parts: parts, device: device)
        return TrackReader(part, options: options)
    }

    @Test(arguments: FleetFile.allCases, TrackOptions.Order.allCases)
    func `the part of a file that holds a device gives what the whole file gives for it`(
        _ fleet: FleetFile,
        _ order: TrackOptions.Order
    ) throws {
        let file = try TracksFile(fleet.text)
        var options = TrackOptions()
        options.order = order
        // With short chunks the first record of each device begins in another than it ends in.
        for chunkLength in [TrackParts.chunkLength, 61] {
            let survey = try TrackReader(
                .file(file.path),
                options: options,
                chunkLength: chunkLength,
                notesParts: true
            )
            let whole = try all(survey)
            let ids = Set(whole.map(\.device))
            #expect(ids.count > 2)
            for id in ids.prefix(4) {
                let fixes = try all(reader(file.path, survey.parts, id, options))
                #expect(fixes == whole.filter { $0.device == id })
            }
        }
    }

    @Test func `the parts of every track file of lines give what the whole file gives`() throws {
        var count = 0
        for fixture in Fixture.all {
            let options = try fixture.options
            let survey = try TrackReader(
                .file(fixture.path),
                options: options,
                chunkLength: 61,
                notesParts: true
            )
            let whole = try all(survey)
            guard survey.parts != nil else { continue }
            count += 1
            for id in Set(whole.map(\.device)) {
                let fixes = try all(reader(fixture.path, survey.parts, id, options))
                #expect(fixes == whole.filter { $0.device == id }, "\(fixture.name)")
            }
        }
        #expect(count > 10)
    }

    @Test(arguments: FleetFile.allCases)
    func `a device picked from a file is as it is among the others`(_ fleet: FleetFile) throws {
        let file = try TracksFile(fleet.text)
        let whole = try file.decode().fixes
        for id in Set(whole.map(\.device)).prefix(4) {
            let picked = try TrackReader(
                .file(file.path),
                options: TrackOptions(),
                filter: DeviceFilter(id)
            )
            #expect(try all(picked) == whole.filter { $0.device == id })
        }
    }

    @Test func `of a file sorted by device little more is read than what holds the device`() throws
    {
        let rows = (0..<3000).map { row in
            "veh\(row / 300),\(1_777_622_400 + row % 300),46.123456,7.\(row)\n"
        }
        let text = "device,time,lat,lon\n" + rows.joined()
        let file = try TracksFile(text)
        let contents = try TrackFile.scan(file.path, options: TrackOptions())
        let length = text.utf8.count
        var sum = 0
        for id in contents.ids {
            let reader = try reader(file.path, contents.parts, id)
            #expect(try all(reader).count == 300)
            sum += reader.bytesRead
        }
        // The head, and at each end of the range the rest of a chunk.
        let excess = 3 * TrackParts.chunkLength
        #expect(sum <= length + contents.ids.count * excess)
        #expect(sum < 3 * length)
    }

    @Test func `of a device in very many stretches the nearest are read as one`() throws {
        var text = "lat,lon,time,device\n"
        for block in 0..<80 {
            for row in 0..<200 {
                let time = Timestamp(milliseconds: Int64(block * 200 + row) * 1000)
                text += "46.123456,7.123456,\(time),veh\(block % 2)\n"
            }
        }
        let file = try TracksFile(text)
        let contents = try TrackFile.scan(file.path, options: TrackOptions())
        let parts = try #require(contents.parts)
        let whole = try file.decode().fixes
        for id in contents.ids {
            #expect(parts.ranges(of: id).count <= TrackParts.mostRanges + 1)
            #expect(parts.ranges(of: id).count >= TrackParts.mostRanges)
            let expected = whole.filter { $0.device == id }
            #expect(try all(reader(file.path, contents.parts, id)) == expected)
        }
    }

    @Test func `a file has no parts where records have no place of their own`() throws {
        let returns = FleetFile.sortedByDevice.text.replacing("\n", with: "\r")
        let utf16 = FleetFile.sortedByDevice.text.data(using: .utf16) ?? Data()
        // A gzip file whose only block, of 32 KiB, is stored as it is.
        let stored: [UInt8] =
            [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1, 0x00, 0x80, 0xFF, 0x7F]
            + Array(FleetFile.sortedByDevice.text.utf8.prefix(32_768))
        let files = [
            try TracksFile(returns), try TracksFile(Array(utf16)), try TracksFile(stored),
            try TracksFile(gpx(point(0, at: 0) + point(1, at: 1))),
        ]
        for file in files {
            let contents = try TrackFile.scan(file.path, options: TrackOptions())
            #expect(contents.parts == nil)
        }
    }

    private func track(
        _ path: String,
        _ contents: TrackFile.Contents,
        _ options: TrackOptions = TrackOptions()
    ) -> TrackFile {
        TrackFile(
            path: path,
            names: [],
            report: contents.report,
            settings: ReplaySettings(),
            options: options,
            parts: contents.parts
        )
    }

    @Test func `a file that has changed since is read as a whole`() throws {
        let file = try TracksFile(FleetFile.sortedByDevice.text)
        let contents = try TrackFile.scan(file.path, options: TrackOptions())
        let changed = FleetFile.inBlocks.text
        try Data(changed.utf8).write(to: URL(filePath: file.path))
        #expect(try contents.parts?.open(file.path) == nil)
        let whole = try file.decode().fixes
        for id in contents.ids {
            let fixes = try track(file.path, contents).opening(only: id)().all()
            #expect(fixes == whole.filter { $0.device == id })
        }
    }

    @Test func `what sorting a whole file has lost is lost for a device of it too`() throws {
        let others = (0...NormaliserOutput.sortWindow).map { "b,\(1_777_622_400 + $0),46,7\n" }
        let first = "device,time,lat,lon\na,1777622300,46,7\na,1777622301,46,7\n"
        let text = first + others.joined() + "a,1777622200,46,7\n"
        let file = try TracksFile(text)
        var options = TrackOptions()
        options.order = .sort
        let contents = try TrackFile.scan(file.path, options: options)
        #expect(contents.report.outOfOrder == 1)
        let fixes = try track(file.path, contents, options).opening(only: "a")().all()
        #expect(fixes.map(\.trackTime.milliseconds) == [1_777_622_300_000, 1_777_622_301_000])
    }
}
