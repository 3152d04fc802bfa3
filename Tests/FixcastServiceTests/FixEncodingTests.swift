import Location
import Testing

@testable import FixcastService

@Suite struct FixEncodingTests {
    static func fix(latitude: Double = 46.4982934, longitude: Double = 7.5674117) -> Fix {
        var fix = Fix(
            device: "demo",
            timestamp: Timestamp(milliseconds: 1_796_047_647_000),
            latitude: latitude,
            longitude: longitude,
            origin: .simulated
        )
        fix.altitude = 1343.1
        fix.horizontalAccuracy = 4.8
        fix.verticalAccuracy = 8.1
        fix.speed = 1.42
        fix.course = 37.5
        return fix
    }

    private func json(_ fix: Fix) -> String {
        var writer = JSONWriter()
        FixEncoding.json(fix, id: EventID(epoch: "k3v9", sequence: 1042), into: &writer)
        return String(decoding: writer.take(), as: UTF8.self)
    }

    private func timestamp(_ milliseconds: Int64) -> String {
        var writer = JSONWriter()
        FixEncoding.timestamp(Timestamp(milliseconds: milliseconds), into: &writer)
        return String(decoding: writer.take(), as: UTF8.self)
    }

    @Test func `a fix has its keys in the promised order and unknown values are null`() {
        let expected =
            #"{"id":"k3v9-1042","device":"demo","timestamp":"2026-11-30T14:07:27.000Z","#
            + #""latitude":46.4982934,"longitude":7.5674117,"altitude":1343.1,"#
            + #""ellipsoidalAltitude":null,"horizontalAccuracy":4.8,"verticalAccuracy":8.1,"#
            + #""speed":1.42,"course":37.5,"origin":"simulated","recordedAt":null,"lap":0,"#
            + #""discontinuity":false}"#
        #expect(json(Self.fix()) == expected)
    }

    @Test(arguments: [
        (0.0, "0.0000000"), (-0.0, "0.0000000"), (-1e-9, "0.0000000"), (-5e-8, "-0.0000001"),
        (1e-7, "0.0000001"), (-89.99999999, "-90.0000000"), (45.5, "45.5000000"),
    ])
    func `degrees have seven decimals, no exponent and no negative zero`(
        value: Double,
        text: String
    ) {
        #expect(json(Self.fix(latitude: value)).contains(#""latitude":\#(text),"#))
    }

    @Test func `a longitude that rounds up to 180 is the antimeridian's other name`() {
        #expect(json(Self.fix(longitude: 179.99999999)).contains(#""longitude":-180.0000000,"#))
        #expect(json(Self.fix(longitude: 179.9999999)).contains(#""longitude":179.9999999,"#))
    }

    @Test func `a course that rounds up to 360 is north`() {
        var fix = Self.fix()
        fix.course = 359.996
        #expect(json(fix).contains(#""course":0,"#))
        fix.course = 359.99
        #expect(json(fix).contains(#""course":359.99,"#))
    }

    @Test func `the course is null when the speed is unknown or below half a metre a second`() {
        var fix = Self.fix()
        fix.speed = 0.49
        #expect(json(fix).contains(#""course":null"#))
        fix.speed = nil
        #expect(json(fix).contains(#""course":null"#))
        fix.speed = 0.5
        #expect(json(fix).contains(#""course":37.5"#))
    }

    @Test func `numbers that JSON cannot hold are null`() {
        var fix = Self.fix()
        fix.altitude = .infinity
        fix.verticalAccuracy = .nan
        #expect(json(fix).contains(#""altitude":null,"#))
        #expect(json(fix).contains(#""verticalAccuracy":null,"#))
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
            (-2_203_891_200_000, "1900-03-01T00:00:00.000Z"),
            (Int64.max, "9999-12-31T23:59:59.999Z"), (Int64.min, "0001-01-01T00:00:00.000Z"),
        ] as [(Int64, String)]
    )
    func `times are RFC 3339 in UTC with three decimals`(milliseconds: Int64, text: String) {
        #expect(timestamp(milliseconds) == text)
    }

    @Test func `a GeoJSON feature has the device as its id and longitude first`() {
        var writer = JSONWriter()
        FixEncoding.geoJSON(
            Self.fix(),
            id: EventID(epoch: "k3v9", sequence: 7),
            into: &writer
        )
        let text = String(decoding: writer.take(), as: UTF8.self)
        let start =
            #"{"type":"Feature","id":"demo","geometry":{"type":"Point","coordinates":"#
            + #"[7.5674117,46.4982934]},"properties":{"id":"k3v9-7","device":"demo","#
        #expect(text.hasPrefix(start))
        #expect(text.hasSuffix(#""discontinuity":false}}"#))
    }

    @Test func `text in JSON is always one line of valid escapes`() {
        var writer = JSONWriter()
        writer.string("a\"b\\c\n\r\t\u{0}\u{1B}\u{7F}é\u{2028}")
        #expect(
            String(decoding: writer.take(), as: UTF8.self)
                == "\"a\\\"b\\\\c\\n\\r\\t\\u0000\\u001b\\u007fé\u{2028}\""
        )
    }

    @Test func `numbers of up to nine digits are written digit by digit`() {
        let values = stride(from: 0, through: 999_999_999, by: 99_991)
        for value in values {
            var writer = JSONWriter()
            writer.digits(UInt64(value), atLeast: 1)
            writer.raw(UInt8(ascii: " "))
            writer.decimal(Int64(-value), decimals: 3, trimmed: true)
            let fraction = String(value % 1000 + 1000).dropFirst()
            let digits = fraction.reversed().drop { $0 == "0" }.reversed()
            let decimals = digits.isEmpty ? "" : "." + String(digits)
            let sign = value == 0 ? "" : "-"
            let expected = "\(value) \(sign)\(value / 1000)\(decimals)"
            #expect(String(decoding: writer.take(), as: UTF8.self) == expected)
        }
    }

    @Test func `what is written grows with its room and is handed over whole`() {
        var writer = JSONWriter(capacity: 3)
        for _ in 0..<100 { writer.raw("0123456789") }
        let taken = writer.take()
        #expect(taken.count == 1000 && taken.starts(with: Array("0123456789012".utf8)))
        #expect(writer.count == 0)
        writer.null()
        #expect(writer.take() == Array("null".utf8))
    }

    @Test(arguments: [0, 9, 10, 99, 100, UInt64(Int64.max), UInt64.max])
    func `whole numbers are written in full`(value: UInt64) {
        var writer = JSONWriter()
        writer.digits(value, atLeast: 1)
        #expect(String(decoding: writer.take(), as: UTF8.self) == "\(value)")
    }
}
