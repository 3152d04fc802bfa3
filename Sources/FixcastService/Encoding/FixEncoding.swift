internal import HTTPServer
import Location

/// How a fix looks on the wire: the keys, their order and the decimals of each number.
///
/// Degrees have seven decimals (11 mm), metres and metres per second three, courses two. A value
/// that rounds up to the end of its half-open range is its beginning: longitude 180 is -180, course
/// 360 is 0.
enum FixEncoding {
    /// Appends one fix as a JSON object on one line.
    static func json(_ fix: Fix, id: EventID, into writer: inout JSONWriter) {
        identity(of: fix, id: id, into: &writer)
        writer.raw(Keys.latitude)
        degrees(fix.latitude, into: &writer)
        writer.raw(Keys.longitude)
        longitude(fix.longitude, into: &writer)
        measures(of: fix, into: &writer)
        writer.raw(UInt8(ascii: "}"))
    }

    /// Appends one fix as a GeoJSON Feature (RFC 7946) on one line; its `id` is the device, so that
    /// a map moves one marker, and its third coordinate, where known, the height above the
    /// ellipsoid.
    static func geoJSON(_ fix: Fix, id: EventID, into writer: inout JSONWriter) {
        writer.raw(#"{"type":"Feature","id":"#)
        writer.string(fix.device)
        writer.raw(#","geometry":{"type":"Point","coordinates":["#)
        longitude(fix.longitude, into: &writer)
        writer.raw(UInt8(ascii: ","))
        degrees(fix.latitude, into: &writer)
        if let height = fix.ellipsoidalAltitude {
            writer.raw(UInt8(ascii: ","))
            writer.number(height, decimals: 3)
        }
        writer.raw(#"]},"properties":"#)
        identity(of: fix, id: id, into: &writer)
        measures(of: fix, into: &writer)
        writer.raw("}}")
    }

    /// The bytes of an event that holds one fix, with the fix saying that it does not continue the
    /// previous one.
    static func discontinuous(_ event: SharedBytes) -> SharedBytes {
        // The key is the object's last one in every form.
        let closing = "}\n".utf8
        let tail = event.bytes.reversed().prefix { closing.contains($0) }.count
        let object = event.bytes.dropLast(tail)
        let old = continuous.utf8
        guard object.suffix(old.count).elementsEqual(old) else { return event }
        let kept = object.dropLast(old.count)
        return SharedBytes(kept + Array(discontinuous.utf8) + event.bytes.suffix(tail))
    }

    /// Appends a time as RFC 3339 in UTC with three decimals, without quotes.
    ///
    /// A time outside the years 1 to 9999, which RFC 3339 cannot write, becomes the nearest inside.
    static func timestamp(_ time: Timestamp, into writer: inout JSONWriter) {
        let shown = min(max(time, .earliest), .latest).milliseconds
        let days = (shown >= 0 ? shown : shown - 86_399_999) / 86_400_000
        let inDay = UInt64(shown - days * 86_400_000)
        guard let date = CivilDate(daysSince1970: Int(days)) else {
            preconditionFailure("\(shown) ms is inside the years that a calendar day can have")
        }
        let day = DecimalDigits(UInt32(date.year * 10_000 + date.month * 100 + date.day)).last(8)
        let hours = inDay / 3_600_000
        let minutes = inDay / 60_000 % 60
        let seconds = inDay / 1000 % 60
        let clock = DecimalDigits(UInt32(hours * 10_000 + minutes * 100 + seconds)).last(6)
        let milliseconds = DecimalDigits(UInt32(inDay % 1000)).last(3)
        // `YYYY-MM-`, `DDTHH:MM` and `:SS.mmmZ`, each eight bytes with the first in the lowest.
        let yearAndMonth = day & 0xFFFF_FFFF | ((day >> 32) & 0xFFFF) << 40 | 0x2D00_002D_0000_0000
        let dayAndHour = day >> 48 | (clock & 0xFFFF) << 24 | 0x3A00_0054_0000
        writer.raw(word: yearAndMonth, length: 8)
        writer.raw(word: dayAndHour | ((clock >> 16) & 0xFFFF) << 48, length: 8)
        let second = (clock >> 32) << 8 | milliseconds << 32
        writer.raw(word: second | 0x5A00_0000_2E00_003A, length: 8)
    }

    private static func identity(of fix: Fix, id: EventID, into writer: inout JSONWriter) {
        writer.raw(Keys.id)
        id.write(into: &writer)
        writer.raw(Keys.device)
        writer.raw(fix.device)
        writer.raw(Keys.timestamp)
        timestamp(fix.timestamp, into: &writer)
        writer.raw(UInt8(ascii: "\""))
    }

    private static func measures(of fix: Fix, into writer: inout JSONWriter) {
        writer.raw(Keys.altitude)
        writer.number(fix.altitude, decimals: 3)
        writer.raw(Keys.ellipsoidalAltitude)
        writer.number(fix.ellipsoidalAltitude, decimals: 3)
        writer.raw(Keys.horizontalAccuracy)
        writer.number(fix.horizontalAccuracy, decimals: 3)
        writer.raw(Keys.verticalAccuracy)
        writer.number(fix.verticalAccuracy, decimals: 3)
        writer.raw(Keys.speed)
        writer.number(fix.speed, decimals: 3)
        writer.raw(Keys.course)
        course(of: fix, into: &writer)
        writer.raw(Keys.origin)
        writer.raw(fix.origin.rawValue)
        writer.raw(Keys.recordedAt)
        if let recordedAt = fix.recordedAt {
            writer.raw(UInt8(ascii: "\""))
            timestamp(recordedAt, into: &writer)
            writer.raw(UInt8(ascii: "\""))
        } else {
            writer.null()
        }
        writer.raw(Keys.lap)
        writer.integer(Int64(fix.lap))
        writer.raw(fix.discontinuity ? Keys.discontinuous : Keys.continuous)
    }

    private static func degrees(_ value: Double, into writer: inout JSONWriter) {
        writer.number(value, decimals: 7, trimmed: false)
    }

    private static func longitude(_ value: Double, into writer: inout JSONWriter) {
        let scaled = (value * 1e7).rounded()
        degrees(scaled >= 1_800_000_000 ? -180 : value, into: &writer)
    }

    /// The course is unknown where the speed is, and meaningless below 0.5 m/s.
    private static func course(of fix: Fix, into writer: inout JSONWriter) {
        guard let course = fix.course, let speed = fix.speed, speed >= 0.5 else {
            return writer.null()
        }
        writer.number(course >= 359.995 ? 0 : course, decimals: 2)
    }

    private static let continuous = #","discontinuity":false"#
    private static let discontinuous = #","discontinuity":true"#

    private enum Keys {
        static let id = JSONText(#"{"id":""#)
        static let device = JSONText(#"","device":""#)
        static let timestamp = JSONText(#"","timestamp":""#)
        static let latitude = JSONText(#","latitude":"#)
        static let longitude = JSONText(#","longitude":"#)
        static let altitude = JSONText(#","altitude":"#)
        static let ellipsoidalAltitude = JSONText(#","ellipsoidalAltitude":"#)
        static let horizontalAccuracy = JSONText(#","horizontalAccuracy":"#)
        static let verticalAccuracy = JSONText(#","verticalAccuracy":"#)
        static let speed = JSONText(#","speed":"#)
        static let course = JSONText(#","course":"#)
        static let origin = JSONText(#","origin":""#)
        static let recordedAt = JSONText(#"","recordedAt":"#)
        static let lap = JSONText(#","lap":"#)
        static let continuous = JSONText(FixEncoding.continuous)
        static let discontinuous = JSONText(FixEncoding.discontinuous)
    }
}
