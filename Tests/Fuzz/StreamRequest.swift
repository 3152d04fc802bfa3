// What a client asks of its stream: query, Last-Event-ID and Accept in any bytes are a value or a
// fault, and an id is read only as it is written.
import Reactive

@testable import FixcastService
@testable import HTTPServer

/// One input of the fuzzer; 0 tells it that the input was of use.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = UnsafeBufferPointer(start: data, count: size)
    let lines = bytes.split(separator: 10, maxSplits: 2, omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
    let id = lines[0]
    if let parsed = EventID(parsing: id) {
        precondition(parsed.text.utf8.elementsEqual(id.utf8), "\(id) is read as \(parsed.text)")
    }
    let event = ServerSentEvent(id: id, event: id, data: id).bytes
    precondition(event.text.hasSuffix("\n\n"), "an event without its end")
    guard lines.count > 1 else { return 0 }
    let headers = Headers([("Last-Event-ID", id), ("Accept", lines.count > 2 ? lines[2] : "")])
    guard let request = Request(target: "/v1/locations?" + lines[1], headers: headers) else {
        return 0
    }
    _ = AcceptHeader(request.headers.all("Accept"))
    let catalogue = DeviceCatalogue(["demo", "car"])
    if let query = try? StreamQuery(request, asLines: false, catalogue: catalogue) {
        precondition(query.devices.isSubset(of: [0, 1]), "a device that does not exist")
        precondition((query.limit ?? 1) > 0, "a limit that is none")
        precondition(query.lastEventID?.isEmpty != true, "an empty Last-Event-ID is none")
    }
    return 0
}
