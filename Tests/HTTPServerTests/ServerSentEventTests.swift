import HTTPServer
import TestSupport
import Testing

@Suite struct ServerSentEventTests {
    @Test func `any bytes in any field encode to exactly one event`() {
        var random = SplitMix(seed: 20_261_130)
        for _ in 0..<3_000 {
            let data = random.text()
            let type = random.text()
            let id = random.text()
            let event = ServerSentEvent(id: id, event: type, data: data, retry: 100)
            var parser = EventStreamParser()
            parser.feed(event.bytes.array)
            #expect(String(validating: event.bytes.array, as: UTF8.self) != nil)
            #expect(parser.events.count == 1)
            #expect(parser.reconnectionTime == 100)
            #expect(
                parser.lastEventID.utf8.elementsEqual(id.utf8.filter { ![0, 10, 13].contains($0) })
            )
            guard let parsed = parser.events.first else { continue }
            #expect(parsed.data.utf8.elementsEqual(random.normalised(data)))
            let expected = type.utf8.filter { ![10, 13].contains($0) }
            #expect(
                parsed.type.utf8.elementsEqual(expected.isEmpty ? Array("message".utf8) : expected)
            )
        }
    }

    @Test func `a fix is an id and one line of data`() {
        let event = ServerSentEvent(id: "k3v9-1042", data: "{\"a\":1}")
        #expect(event.bytes.text == "id: k3v9-1042\ndata: {\"a\":1}\n\n")
    }

    @Test func `a comment cannot become an event`() {
        let bytes = ServerSentEvent.comment("one\r\ndata: two\rdata: three\n\ndata: four")
        var parser = EventStreamParser()
        parser.feed(bytes.array)
        #expect(parser.events.isEmpty)
        #expect(parser.comments == [" one", " data: two", " data: three", "", " data: four"])
    }

    @Test func `empty data is an event and no data is none`() {
        #expect(ServerSentEvent(event: "a", data: "").bytes.text == "event: a\ndata: \n\n")
        #expect(ServerSentEvent(retry: 2_000).bytes.text == "retry: 2000\n\n")
    }
}

/// A small generator with a seed, so that a failure can be repeated.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var result = state
        result = (result ^ (result >> 30)) &* 0xbf58_476d_1ce4_e5b9
        result = (result ^ (result >> 27)) &* 0x94d0_49bb_1331_11eb
        return result ^ (result >> 31)
    }

    /// A text of any bytes, biased towards those that mean something in an event stream.
    mutating func text() -> String {
        let special: [UInt8] = [
            0, 10, 13, 32, 58, 0xef, 0xbb, 0xbf, 0xff, 0x80, 0xe2, 0x80, 0xa8, 0xc2, 0x85,
        ]
        let count = Int.random(in: 0...12, using: &self)
        let bytes = (0..<count).map { _ -> UInt8 in
            if Bool.random(using: &self) { return special.randomElement(using: &self) ?? 0 }
            return UInt8.random(in: 0...255, using: &self)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A text as the client joins its lines: with LF.
    func normalised(_ text: String) -> [UInt8] {
        var result: [UInt8] = []
        var previous: UInt8 = 0
        for byte in text.utf8 {
            if byte == 13 {
                result.append(10)
            } else if byte != 10 || previous != 13 {
                result.append(byte)
            }
            previous = byte
        }
        return result
    }
}
