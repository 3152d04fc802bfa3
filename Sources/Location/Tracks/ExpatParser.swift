private import CExpat
private import Glibc

/// What a format does with the elements of its XML; subclassed by each of them.
///
/// Elements are named by their index in the parser's vocabulary, 0 for all others, by their local
/// name: which prefix or namespace a writer chose does not matter.
class XMLHandler {
    /// Whether `text` is to be called at the moment.
    final var wantsText = false
    /// How many elements are open; in `start` and `end` that element counts.
    final fileprivate(set) var depth = 0

    /// The place of the element or text that is being handled.
    final var place: Place { context?.place ?? .none }

    /// How many bytes of the document lie before the element or text that is being handled.
    final var offset: Int { context?.offset ?? 0 }

    /// The place of the byte at an offset; none after that may have been asked for.
    final func place(of offset: Int) -> Place { context?.place(of: offset) ?? .none }

    fileprivate final unowned var context: ExpatContext?

    /// An element begins.
    func start(_ element: Int, _ attributes: XMLAttributes) {}
    /// An element ends.
    func end(_ element: Int) {}
    /// The document names an encoding that is not known; its bytes are read as Latin-1.
    func unknownEncoding(_ name: String) {}
    /// A piece of text in UTF-8; texts come in as many pieces as the parser likes.
    func text(_ piece: Span<UInt8>) {}
}

/// The attributes of the element that is being handled.
@safe
struct XMLAttributes {
    fileprivate let list: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?

    /// What `body` makes of the value of the attribute with that local name; nil where there is
    /// none of that name.
    @inline(__always)
    func value<Result>(_ name: StaticString, _ body: (Span<UInt8>) -> Result) -> Result? {
        guard var entry = unsafe list else { return nil }
        while let key = unsafe entry.pointee, let value = unsafe entry[1] {
            if unsafe matches(key, name) {
                let length = unsafe strlen(value)
                return unsafe value.withMemoryRebound(to: UInt8.self, capacity: length) { bytes in
                    unsafe body(Span(_unsafeStart: bytes, count: length))
                }
            }
            unsafe entry += 2
        }
        return nil
    }

    @inline(__always)
    private func matches(_ key: UnsafePointer<XML_Char>, _ name: StaticString) -> Bool {
        unsafe name.utf8Start.withMemoryRebound(to: CChar.self, capacity: 1) { name in
            if unsafe strcmp(key, name) == 0 { return true }
            guard let colon = unsafe strrchr(key, CInt(UInt8(ascii: ":"))) else { return false }
            return unsafe strcmp(colon + 1, name) == 0
        }
    }
}

/// Why XML stopped being read.
struct XMLFault: Error {
    enum Kind {
        /// A document type declaration: refused, because nothing that a track needs is in one and
        /// entities can be made to grow without bound.
        case doctype
        /// More open elements, a longer tag, or more different names than any track has.
        case excessive(String)
        /// The file ends too early.
        case truncated
        /// Not XML.
        case malformed(String)
    }

    var kind: Kind
    var place: Place
    /// How many bytes of the document lie before it.
    var offset = Int.max
}

/// The XML parser expat, fed in chunks.
///
/// The only place that calls expat. Its callbacks run inside `feed` on the caller's thread.
final class ExpatParser {
    /// Deeper nesting than this is an attack: KML nests folders, but not hundreds.
    static let deepestNesting = 256
    /// A tag, comment or attribute longer than this is an attack.
    static let longestToken = 1 << 20

    private let context: ExpatContext

    /// A parser that calls `handler`, for elements with the local names of `vocabulary` (index 0 is
    /// a placeholder for all others; at most 16 bytes each).
    init(vocabulary: [String], handler: XMLHandler) {
        context = ExpatContext(vocabulary: vocabulary, handler: handler)
        handler.context = context
    }

    /// Parses the next bytes of the document; after the first fault it does nothing.
    func feed(_ chunk: Span<UInt8>, isLast: Bool) throws(XMLFault) {
        try context.feed(chunk, isLast: isLast)
    }
}

@safe
private final class ExpatContext {
    private let handler: XMLHandler
    private let names: NameTable
    private var census = NameCensus()
    private let parser: XML_Parser?
    private var lines = LineCounter()
    private var chunk = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    private var fault: XMLFault?
    private var sawEvent = false
    private var bytesSinceEvent = 0

    init(vocabulary: [String], handler: XMLHandler) {
        names = NameTable(vocabulary)
        self.handler = handler
        unsafe parser = XML_ParserCreate(nil)
        unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        unsafe XML_SetElementHandler(
            parser,
            { data, name, attributes in
                unsafe ExpatContext.of(data)?.start(name, attributes)
            },
            { data, name in
                unsafe ExpatContext.of(data)?.end(name)
            }
        )
        unsafe XML_SetCharacterDataHandler(parser) { data, bytes, count in
            unsafe ExpatContext.of(data)?.text(bytes, Int(count))
        }
        unsafe XML_SetCommentHandler(parser) { data, _ in
            unsafe ExpatContext.of(data)?.sawEvent = true
        }
        unsafe XML_SetProcessingInstructionHandler(parser) { data, _, _ in
            unsafe ExpatContext.of(data)?.sawEvent = true
        }
        // What no other handler is for; until the root element a declaration is in it, and unlike
        // the handler for document types this one is called where that begins.
        unsafe XML_SetDefaultHandler(parser) { data, bytes, count in
            unsafe ExpatContext.of(data)?.prologue(bytes, Int(count))
        }
        unsafe XML_SetUnknownEncodingHandler(
            parser,
            { data, name, encoding in
                if let name = unsafe name.map({ unsafe String(cString: $0) }),
                    !ExpatContext.isKnownEncoding(name)
                {
                    unsafe ExpatContext.of(data)?.handler.unknownEncoding(name)
                }
                // Numbers and tags are ASCII in every encoding that writes a byte a character; how
                // the other bytes read does not matter here.
                guard let map = unsafe encoding else { return CInt(XML_STATUS_ERROR.rawValue) }
                unsafe withUnsafeMutableBytes(of: &map.pointee.map) { bytes in
                    let entries = unsafe bytes.assumingMemoryBound(to: CInt.self)
                    for index in 0..<256 { unsafe entries[index] = CInt(index) }
                }
                return CInt(XML_STATUS_OK.rawValue)
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    deinit {
        unsafe XML_ParserFree(parser)
    }

    var place: Place { place(of: offset) }

    var offset: Int { unsafe Int(XML_GetCurrentByteIndex(parser)) }

    func place(of offset: Int) -> Place {
        unsafe lines.place(of: offset, in: Span(_unsafeElements: chunk))
    }

    func feed(_ bytes: Span<UInt8>, isLast: Bool) throws(XMLFault) {
        if let fault { throw fault }
        let status = unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe chunk = buffer
            sawEvent = false
            let status = unsafe buffer.withMemoryRebound(to: XML_Char.self) { characters in
                unsafe XML_Parse(
                    parser,
                    characters.baseAddress,
                    CInt(characters.count),
                    isLast ? 1 : 0
                )
            }
            if status != XML_STATUS_OK { recordError() }
            unsafe chunk = UnsafeBufferPointer(start: nil, count: 0)
            return status
        }
        lines.end(bytes)
        bytesSinceEvent = sawEvent ? 0 : bytesSinceEvent + bytes.count
        if status == XML_STATUS_OK, bytesSinceEvent > ExpatParser.longestToken {
            fault = XMLFault(
                kind: .excessive("a tag or comment is longer than 1 MiB"),
                place: .none
            )
        }
        if let fault { throw fault }
    }

    private func recordError() {
        guard fault == nil else { return }
        let code = unsafe XML_GetErrorCode(parser)
        var place = offset
        let kind: XMLFault.Kind
        switch code {
        case XML_ERROR_NO_ELEMENTS, XML_ERROR_UNCLOSED_TOKEN, XML_ERROR_PARTIAL_CHAR,
            XML_ERROR_UNCLOSED_CDATA_SECTION:
            kind = .truncated
        default:
            var words = unsafe XML_ErrorString(code).map { unsafe String(cString: $0) } ?? "not XML"
            if let length = lengthSinceAmpersand(code) {
                words += " (a \"&\" is written \"&amp;\" in XML)"
                place -= length
            }
            kind = .malformed(words)
        }
        fault = XMLFault(kind: kind, place: self.place(of: place), offset: offset)
    }

    /// How many bytes before the newest event the `&` stands whose reference it is in; nil where it
    /// is in none.
    private func lengthSinceAmpersand(_ code: XML_Error) -> Int? {
        guard code == XML_ERROR_INVALID_TOKEN || code == XML_ERROR_UNDEFINED_ENTITY else {
            return nil
        }
        var start: CInt = 0
        var size: CInt = 0
        guard let context = unsafe XML_GetInputContext(parser, &start, &size), start < size else {
            return nil
        }
        // A token that is none ends before the newest event, an entity begins there.
        var length = code == XML_ERROR_INVALID_TOKEN ? 1 : 0
        while length <= ExpatContext.longestReference, Int(start) >= length {
            let byte = unsafe UInt8(bitPattern: context[Int(start) - length])
            if byte == UInt8(ascii: "&") { return length }
            guard byte == UInt8(ascii: "#") || isNameByte(byte) else { return nil }
            length += 1
        }
        return nil
    }

    /// Whether an encoding that expat does not read itself is one whose letters are ASCII.
    private static func isKnownEncoding(_ name: String) -> Bool {
        let name = name.lowercased()
        return asciiEncodings.contains { name.hasPrefix($0) }
    }

    /// What names of encodings begin with that have ASCII's letters.
    private static let asciiEncodings = [
        "iso-8859-", "iso8859", "iso_8859", "windows-", "cp", "koi8", "latin", "l1", "mac", "x-mac",
        "ascii", "us-ascii", "ansi", "tis-620", "gb", "big5", "shift_jis", "shift-jis", "sjis",
        "euc-", "ibm", "utf8",
    ]

    private static let longestReference = 64

    private func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...:
            true
        default:
            byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
                || byte == UInt8(ascii: ":")
        }
    }

    /// What stands before the root element: nothing in it is used, a document type is refused.
    private func prologue(_ bytes: UnsafePointer<XML_Char>?, _ count: Int) {
        guard count > 1, let bytes = unsafe bytes else { return }
        let isDeclaration =
            unsafe bytes[0] == CChar(UInt8(ascii: "<")) && bytes[1] == CChar(UInt8(ascii: "!"))
        if handler.depth == 0, isDeclaration { stop(.doctype) }
    }

    private static func of(_ data: UnsafeMutableRawPointer?) -> ExpatContext? {
        unsafe data.map { unsafe Unmanaged<ExpatContext>.fromOpaque($0).takeUnretainedValue() }
    }

    private func stop(_ kind: XMLFault.Kind) {
        fault = XMLFault(kind: kind, place: place, offset: offset)
        _ = unsafe XML_StopParser(parser, XML_Bool(0))
    }

    private func start(
        _ name: UnsafePointer<XML_Char>?,
        _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
    ) {
        sawEvent = true
        if handler.depth == 0 { unsafe XML_SetDefaultHandler(parser, nil) }
        handler.depth += 1
        guard handler.depth <= ExpatParser.deepestNesting else {
            return stop(.excessive("elements are nested deeper than \(ExpatParser.deepestNesting)"))
        }
        let element = unsafe names.index(of: name)
        let attributes = unsafe XMLAttributes(list: attributes)
        guard unsafe !element.isUncommon || admits(name), admits(attributes) else {
            return stop(
                .excessive(
                    "there are more than \(NameCensus.mostNames) different names, or 1 MiB of them"
                )
            )
        }
        handler.start(element.index, attributes)
    }

    private func end(_ name: UnsafePointer<XML_Char>?) {
        sawEvent = true
        handler.end(unsafe names.index(of: name).index)
        handler.depth -= 1
    }

    @inline(__always)
    private func admits(_ attributes: XMLAttributes) -> Bool {
        guard var entry = unsafe attributes.list else { return true }
        while let key = unsafe entry.pointee {
            guard unsafe isCoordinate(key) || admits(key) else { return false }
            unsafe entry += 2
        }
        return true
    }

    /// Whether an attribute is one of those that each point has, which need not be counted.
    @inline(__always)
    private func isCoordinate(_ name: UnsafePointer<XML_Char>) -> Bool {
        guard unsafe name[0] == CChar(UInt8(ascii: "l")) else { return false }
        if unsafe name[1] == CChar(UInt8(ascii: "a")) {
            return unsafe name[2] == CChar(UInt8(ascii: "t")) && name[3] == 0
        }
        return unsafe name[1] == CChar(UInt8(ascii: "o")) && name[2] == CChar(UInt8(ascii: "n"))
            && name[3] == 0
    }

    private func admits(_ name: UnsafePointer<XML_Char>?) -> Bool {
        guard let name = unsafe name else { return true }
        let length = unsafe strlen(name)
        return unsafe name.withMemoryRebound(to: UInt8.self, capacity: length) { bytes in
            unsafe census.admits(Span(_unsafeStart: bytes, count: length))
        }
    }

    private func text(_ bytes: UnsafePointer<XML_Char>?, _ count: Int) {
        sawEvent = true
        guard handler.wantsText, let bytes = unsafe bytes else { return }
        unsafe bytes.withMemoryRebound(to: UInt8.self, capacity: count) { bytes in
            unsafe handler.text(Span(_unsafeStart: bytes, count: count))
        }
    }
}

extension NameTable {
    /// The index of an element's local name, 0 for one that is not in the vocabulary; and whether
    /// it is that or has a prefix, so that there may be ever more such names.
    @inline(__always)
    fileprivate func index(of name: UnsafePointer<XML_Char>?) -> (index: Int, isUncommon: Bool) {
        guard var next = unsafe name else { return (0, false) }
        var key = Key()
        var hasPrefix = false
        while true {
            let byte = unsafe UInt8(bitPattern: next.pointee)
            if byte == 0 { break }
            if byte == UInt8(ascii: ":") {
                key = Key()
                hasPrefix = true
            } else {
                key.append(byte)
            }
            unsafe next += 1
        }
        let index = index(of: key)
        return (index, index == 0 || hasPrefix)
    }
}
