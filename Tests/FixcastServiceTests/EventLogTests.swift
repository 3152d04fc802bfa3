import HTTPServer
import Location
import Testing

@testable import FixcastService

@Suite struct EventLogTests {
    private func log(capacity: Int, events: Int) -> EventLog {
        let log = EventLog(epoch: "e", devices: 2, capacity: capacity)
        for number in 0..<events {
            _ = log.append(FixEncodingTests.fix(), device: number % 2, received: .zero)
        }
        return log
    }

    private func sequences(_ resumption: EventLog.Resumption) -> [UInt64]? {
        guard case .events(let events) = resumption else { return nil }
        return events.map(\.id.sequence)
    }

    @Test func `ids start at one and grow by one over all devices`() {
        #expect(
            log(capacity: 8, events: 5).kept.map(\.id.text) == ["e-1", "e-2", "e-3", "e-4", "e-5"]
        )
    }

    @Test(arguments: 0...12)
    func `every id in the history gives exactly what came after it`(seen: UInt64) {
        let log = log(capacity: 5, events: 12)
        if seen < 7 {
            #expect(sequences(log.events(after: "e-\(seen)")) == nil)
        } else {
            #expect(sequences(log.events(after: "e-\(seen)")) == Array((seen + 1)..<13))
        }
    }

    @Test func `an id that is too old is expired and one of elsewhere is unknown`() {
        let log = log(capacity: 5, events: 12)
        guard case .expired = log.events(after: "e-3") else {
            Issue.record("e-3 is not expired")
            return
        }
        let strangers = [
            "e-13", "f-9", "e", "-9", "e-", "e-09", "e-9x", "e- 9", "e-99999999999999999999", "9",
            "", String(repeating: "e", count: 70) + "-1", "é-9", "e-\u{0}9",
        ]
        for id in strangers {
            guard case .unknown = log.events(after: id) else {
                Issue.record("\(id) is not unknown")
                return
            }
        }
    }

    @Test func `before the first event nothing was missed and every other id is unknown`() {
        for capacity in [0, 5] {
            let log = log(capacity: capacity, events: 0)
            #expect(sequences(log.events(after: "e-0")) == [])
            for id in ["e-1", "e-\(UInt64.max)", "f-0", "0", "now:0", ""] {
                guard case .unknown = log.events(after: id) else {
                    Issue.record("\(id) is not unknown")
                    return
                }
            }
            #expect(log.kept.isEmpty)
        }
    }

    @Test(arguments: StreamFormat.allCases)
    func `streams that carry the same event share its bytes`(format: StreamFormat) {
        func address(_ bytes: SharedBytes) -> UInt {
            unsafe bytes.bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        }
        let event = log(capacity: 1, events: 1).kept[0]
        for isDiscontinuous in [false, true] {
            let first = event.bytes(format, isDiscontinuous: isDiscontinuous)
            let second = event.bytes(format, isDiscontinuous: isDiscontinuous)
            #expect(address(first) == address(second))
        }
    }

    @Test(arguments: StreamFormat.allCases)
    func `an event that is said to be discontinuous differs in nothing else`(
        format: StreamFormat
    ) {
        let event = log(capacity: 1, events: 1).kept[0]
        var fix = event.fix
        fix.discontinuity = true
        let other = StreamEvent(id: event.id, device: 0, fix: fix, received: .zero)
        #expect(event.bytes(format) != other.bytes(format))
        #expect(event.bytes(format, isDiscontinuous: true) == other.bytes(format))
        #expect(other.bytes(format, isDiscontinuous: true) == other.bytes(format))
        #expect(event.bytes(format).text.contains(#""discontinuity":false}"#))
    }

    @Test func `a log without history still knows that nothing was missed`() {
        let log = log(capacity: 0, events: 3)
        #expect(sequences(log.events(after: "e-3")) == [])
        #expect(sequences(log.events(after: "e-2")) == nil)
        #expect(log.kept.isEmpty)
    }

    @Test func `the time of a device never falls back while another's may be earlier`() {
        let log = EventLog(epoch: "e", devices: 2, capacity: 8)
        var late = FixEncodingTests.fix()
        late.timestamp = Timestamp(milliseconds: 2000)
        var early = late
        early.timestamp = Timestamp(milliseconds: 1000)
        _ = log.append(late, device: 0, received: .zero)
        #expect(log.append(early, device: 0, received: .zero).fix.timestamp.milliseconds == 2000)
        #expect(log.append(early, device: 1, received: .zero).fix.timestamp.milliseconds == 1000)
    }

    @Test func `the newest event and the count are kept for each device`() {
        let log = log(capacity: 2, events: 7)
        #expect(log.latest(of: 0)?.id.sequence == 7)
        #expect(log.latest(of: 1)?.id.sequence == 6)
        #expect(log.count(of: 0) == 4)
        #expect(log.newestSequence == 7)
    }
}
