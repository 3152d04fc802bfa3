/// The id of an event: which start of the service gave it, and its place in the service's one
/// order.
///
/// On the wire `EPOCH-SEQUENCE`, all of it in `[A-Za-z0-9._-]`, so that a browser may send it back
/// as `Last-Event-ID` without a CORS preflight.
struct EventID: Sendable, Equatable {
    let epoch: String
    let sequence: UInt64

    init(epoch: String, sequence: UInt64) {
        self.epoch = epoch
        self.sequence = sequence
    }

    /// Reads an id as this service writes it; anything else, leading zeros included, is nil.
    init?(parsing text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= 64, let dash = bytes.lastIndex(of: UInt8(ascii: "-")) else {
            return nil
        }
        let digits = bytes[(dash + 1)...]
        guard dash > 0, let first = digits.first, digits.allSatisfy(Self.isDigit) else {
            return nil
        }
        if first == UInt8(ascii: "0"), digits.count > 1 { return nil }
        var sequence: UInt64 = 0
        for digit in digits {
            let (product, overflowed) = sequence.multipliedReportingOverflow(by: 10)
            let (sum, carried) = product.addingReportingOverflow(UInt64(digit - 48))
            if overflowed || carried { return nil }
            sequence = sum
        }
        self.epoch = String(decoding: bytes[..<dash], as: UTF8.self)
        self.sequence = sequence
    }

    /// The id as it stands in `id:` lines and in a fix.
    var text: String {
        "\(epoch)-\(sequence)"
    }

    func write(into writer: inout JSONWriter) {
        writer.raw(epoch)
        writer.raw(UInt8(ascii: "-"))
        writer.digits(sequence, atLeast: 1)
    }

    /// A new epoch: eight letters and digits, so that two starts of a service practically never
    /// share one.
    static func newEpoch(using generator: inout some RandomNumberGenerator) -> String {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
        let letters = (0..<8).map { _ in
            alphabet[Int.random(in: alphabet.indices, using: &generator)]
        }
        return String(decoding: letters, as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }
}
