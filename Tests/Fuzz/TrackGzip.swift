// Gzip files, of several members and damaged ones.

/// Tries one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    tryTrack([UInt8](UnsafeBufferPointer(start: data, count: size)))
    return 0
}
