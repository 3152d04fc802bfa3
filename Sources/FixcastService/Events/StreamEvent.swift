internal import HTTPServer
internal import Location
private import Synchronization

/// The forms in which a stream may carry its fixes.
enum StreamFormat: Int, CaseIterable, Sendable {
    /// Server-Sent Events with a JSON object.
    case eventStream
    /// Server-Sent Events with a GeoJSON Feature.
    case eventStreamGeoJSON
    /// One JSON object a line.
    case lines
    /// One GeoJSON Feature a line.
    case linesGeoJSON

    var isEventStream: Bool {
        self == .eventStream || self == .eventStreamGeoJSON
    }
}

/// One fix with its id, encoded once for all streams.
///
/// The common form is written when the event is made; the others, and those that say that the fix
/// does not continue the previous one although it does, when a stream first asks for them.
final class StreamEvent: Sendable {
    let id: EventID
    /// The index of the device among all of the service's.
    let device: Int
    let fix: Fix
    /// When the service got the fix, on the scheduler's monotonic scale: its age does not depend on
    /// anybody's wall clock.
    let received: Duration
    private let common: SharedBytes
    /// Where the JSON object begins in the common form, which ends with an empty line.
    private let objectStart: Int
    private let others = Mutex<[SharedBytes?]>([])

    init(id: EventID, device: Int, fix: Fix, received: Duration) {
        self.id = id
        self.device = device
        self.fix = fix
        self.received = received
        var writer = JSONWriter(capacity: Self.usualSize)
        Self.beginEvent(id, into: &writer)
        self.objectStart = writer.count
        FixEncoding.json(fix, id: id, into: &writer)
        writer.raw("\n\n")
        self.common = SharedBytes(writer.take())
    }

    /// The fix as a JSON object, without a copy.
    var object: ArraySlice<UInt8> { common.bytes.dropFirst(objectStart).dropLast(2) }

    /// The event's bytes in one form, as they go onto the wire.
    ///
    /// With `isDiscontinuous` the fix says that it does not continue the previous one, whether or
    /// not it does.
    func bytes(_ format: StreamFormat, isDiscontinuous: Bool = false) -> SharedBytes {
        let isChanged = isDiscontinuous && !fix.discontinuity
        if format == .eventStream, !isChanged { return common }
        let forms = StreamFormat.allCases.count
        let place = format.rawValue + (isChanged ? forms : 0)
        if let known = others.withLock({ $0.isEmpty ? nil : $0[place] }) { return known }
        let encoded =
            isChanged ? FixEncoding.discontinuous(bytes(format)) : encode(as: format)
        others.withLock { others in
            if others.isEmpty { others = Array(repeating: nil, count: 2 * forms) }
            others[place] = encoded
        }
        return encoded
    }

    private func encode(as format: StreamFormat) -> SharedBytes {
        var writer = JSONWriter(capacity: Self.usualSize)
        if format.isEventStream { Self.beginEvent(id, into: &writer) }
        switch format {
        case .eventStream, .lines: writer.raw(object)
        case .eventStreamGeoJSON, .linesGeoJSON:
            FixEncoding.geoJSON(fix, id: id, into: &writer)
        }
        writer.raw(format.isEventStream ? "\n\n" : "\n")
        return SharedBytes(writer.take())
    }

    /// The bytes that most events do not exceed.
    private static let usualSize = 480

    private static func beginEvent(_ id: EventID, into writer: inout JSONWriter) {
        writer.raw("id: ")
        id.write(into: &writer)
        writer.raw("\ndata: ")
    }
}
