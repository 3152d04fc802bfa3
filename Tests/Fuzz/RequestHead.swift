// The head of a request: it never traps, it is read the same however it is cut into packets, and
// nothing that follows it changes what it is.
@testable import HTTPServer

/// One input of the fuzzer; 0 tells it that the input was of use.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    guard case .request(let request, _) = RequestHead(bytes) else { return 0 }
    guard let end = endOfHead(bytes) else {
        preconditionFailure("a request without an end of its head")
    }
    let head = Array(bytes[..<end])
    for cut in Set([0, 1, end / 3, end / 2, end - 3, end - 1]) where cut < end && cut >= 0 {
        guard case .incomplete = RequestHead(Array(head[..<cut])) else {
            preconditionFailure("the first \(cut) of \(end) bytes are not incomplete")
        }
    }
    let followed = head + Array("GET /second HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    guard case .request(let again, _) = RequestHead(followed), again.target == request.target,
        again.headers.fields.count == request.headers.fields.count
    else { preconditionFailure("what follows the head changes it") }
    let isClean = request.headers.fields.allSatisfy { field in
        !field.name.isEmpty && (field.name + field.value).utf8.allSatisfy { $0 >= 32 || $0 == 9 }
    }
    precondition(isClean && request.headers.all("host").count <= 1, "a field that hides another")
    precondition(request.path.utf8.first == UInt8(ascii: "/") || request.path == "*", "the path")
    return 0
}

private func endOfHead(_ bytes: [UInt8]) -> Int? {
    let start = bytes.starts(with: [13, 10]) ? 2 : 0
    return bytes.indices.dropFirst(start).first { bytes[$0...].starts(with: [13, 10, 13, 10]) }
        .map { $0 + 4 }
}
