/// What a format does with the tokens of its JSON.
///
/// Spans are valid during the call only.
protocol JSONHandler: AnyObject {
    /// `{`
    func beginObject(at place: Place)
    /// `}`
    func endObject(at place: Place)
    /// `[`
    func beginArray(at place: Place)
    /// `]`
    func endArray(at place: Place)
    /// The name of a member, its escapes resolved.
    func key(_ name: Span<UInt8>, at place: Place)
    /// A string, its escapes resolved; of a very long one only the beginning.
    func string(_ text: Span<UInt8>, at place: Place)
    /// A number as it stands.
    func number(_ text: Span<UInt8>, at place: Place)
    /// `true`, `false` or `null`.
    func literal(_ literal: JSONLiteral, at place: Place)
    /// Whether the tokenizer is to stop, and to go on when it is fed the rest.
    var isPaused: Bool { get }
}

extension JSONHandler {
    var isPaused: Bool { false }
}

/// A JSON value that is a word.
enum JSONLiteral {
    case `true`
    case `false`
    case null
}

/// Where and why a text is not JSON.
struct JSONFault: Error {
    var place: Place
    var message: String
}

/// JSON (RFC 8259) cut into tokens, fed in chunks of any size, with bounded memory and nesting.
struct JSONTokenizer {
    /// Deeper nesting is a fault.
    static let deepestNesting = 128
    /// Of longer strings only so much is kept.
    static let longestString = 4096

    private enum State {
        case value
        case valueOrEnd
        case keyOrEnd
        case key
        case colon
        case commaOrEnd
        case done
    }

    private enum Token {
        case none
        case string(isKey: Bool)
        case number
        case word
    }

    private enum Escape {
        case none
        case backslash
        case unicode(digits: Int, value: UInt32)
    }

    /// Whether one value may follow another.
    let allowsMany: Bool
    private var state = State.value
    private var token = Token.none
    private var escape = Escape.none
    private var highSurrogate: UInt32 = 0
    private var carry: [UInt8] = []
    private var tokenPlace = Place.none
    /// Where the chunk begins.
    private var base = 0
    private var line = 1
    /// How many bytes of the chunk were used when a fault was met.
    private var consumed = 0
    private var lineStart = 0
    /// One bit for each open container, the innermost lowest; set for an object.
    private var containers: UInt128 = 0
    private(set) var depth = 0

    init(allowsMany: Bool = false) {
        self.allowsMany = allowsMany
    }

    /// Whether a value has begun and not ended.
    var isInside: Bool {
        if case .none = token, depth == 0, state == .value || state == .done { return false }
        return true
    }

    /// The place of the next byte.
    var place: Place { place(0) }

    /// Begins anew with the next byte, which is at `place`; nil where places just go on.
    mutating func reset(at place: Place? = nil) {
        state = .value
        token = .none
        escape = .none
        highSurrogate = 0
        carry.removeAll(keepingCapacity: true)
        if let place {
            line = Int(place.line)
            lineStart = 1 - Int(place.column)
            base = 0
        }
        containers = 0
        depth = 0
    }

    /// Begins anew after a fault; how many bytes of the chunk lie before it.
    mutating func recover() -> Int {
        base += consumed
        reset()
        return consumed
    }

    /// Passes over bytes that are no JSON.
    mutating func pass(_ bytes: Span<UInt8>) {
        var index = 0
        while let found = bytes.firstIndex(of: 0x0A, from: index) {
            line += 1
            lineStart = base + found + 1
            index = found + 1
        }
        base += bytes.count
    }

    /// Begins anew after a byte that separates texts.
    mutating func passSeparator() {
        base += 1
        reset()
    }

    /// Hands the tokens in the next bytes to `handler`, until it pauses; how many bytes were used.
    @discardableResult
    mutating func feed(
        _ chunk: Span<UInt8>,
        to handler: some JSONHandler
    ) throws(JSONFault) -> Int {
        var index = 0
        consumed = 0
        switch token {
        case .none: break
        case .string(let isKey):
            index = try resumeString(chunk, 0, isKey: isKey, handler)
        case .number, .word:
            index = try resumePlain(chunk, 0, handler)
        }
        while index < chunk.count, !handler.isPaused {
            consumed = index
            let byte = chunk[index]
            if Decimal.isSpace(byte) {
                index += 1
                // Line feeds are nowhere else: in strings they are escaped.
                if byte == 0x0A {
                    line += 1
                    lineStart = base + index
                }
                continue
            }
            switch state {
            case .commaOrEnd:
                if byte == UInt8(ascii: ",") {
                    state = isInObject ? .key : .value
                    index += 1
                } else {
                    try close(byte, index, handler)
                    index += 1
                }
            case .value, .valueOrEnd:
                index = try beginValue(byte, chunk, index, handler)
            case .keyOrEnd, .key:
                if byte == UInt8(ascii: "\"") {
                    index = try beginString(chunk, index, isKey: true, handler)
                } else if state == .keyOrEnd {
                    try close(byte, index, handler)
                    index += 1
                } else {
                    throw fault(index, "the name of a member was expected")
                }
            case .colon:
                guard byte == UInt8(ascii: ":") else { throw fault(index, "\":\" was expected") }
                state = .value
                index += 1
            case .done:
                guard allowsMany else { throw fault(index, "nothing was expected here") }
                state = .value
            }
        }
        base += index
        return index
    }

    /// The text has ended.
    mutating func finish(_ handler: some JSONHandler) throws(JSONFault) {
        switch token {
        case .number, .word: try endPlain(handler)
        case .string: throw fault(0, "the text ends inside a string")
        case .none: break
        }
        guard !isInside, allowsMany || state == .done else {
            throw fault(0, "the text ends too early")
        }
    }

    private var isInObject: Bool { depth > 0 && containers & 1 == 1 }

    private func place(_ index: Int) -> Place {
        Place(line: line, column: base + index - lineStart + 1)
    }

    private func fault(_ index: Int, _ message: String) -> JSONFault {
        JSONFault(place: place(index), message: message)
    }

    private mutating func open(object: Bool, _ index: Int) throws(JSONFault) {
        guard depth < JSONTokenizer.deepestNesting else {
            throw fault(index, "it is nested deeper than \(JSONTokenizer.deepestNesting)")
        }
        depth += 1
        containers = containers << 1 | (object ? 1 : 0)
        state = object ? .keyOrEnd : .valueOrEnd
    }

    private mutating func close(
        _ byte: UInt8,
        _ index: Int,
        _ handler: some JSONHandler
    ) throws(JSONFault) {
        if isInObject {
            guard byte == UInt8(ascii: "}") else {
                throw fault(index, "\",\" or \"}\" was expected")
            }
            handler.endObject(at: place(index))
        } else {
            guard byte == UInt8(ascii: "]") else {
                throw fault(index, "\",\" or \"]\" was expected")
            }
            handler.endArray(at: place(index))
        }
        depth -= 1
        containers >>= 1
        state = depth == 0 ? .done : .commaOrEnd
    }

    private mutating func beginValue(
        _ byte: UInt8,
        _ chunk: Span<UInt8>,
        _ index: Int,
        _ handler: some JSONHandler
    ) throws(JSONFault) -> Int {
        switch byte {
        case UInt8(ascii: "{"):
            try open(object: true, index)
            handler.beginObject(at: place(index))
            return index + 1
        case UInt8(ascii: "["):
            try open(object: false, index)
            handler.beginArray(at: place(index))
            return index + 1
        case UInt8(ascii: "\""):
            return try beginString(chunk, index, isKey: false, handler)
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            token = .number
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
            token = .word
        case UInt8(ascii: "]") where state == .valueOrEnd:
            try close(byte, index, handler)
            return index + 1
        default:
            throw fault(index, "a value was expected")
        }
        tokenPlace = place(index)
        return try resumePlain(chunk, index, handler)
    }

    private mutating func endValue() {
        token = .none
        state = depth == 0 ? .done : .commaOrEnd
    }

    /// Numbers and words, which end where something else begins.
    private mutating func resumePlain(
        _ chunk: Span<UInt8>,
        _ start: Int,
        _ handler: some JSONHandler
    ) throws(JSONFault) -> Int {
        var index = start
        while index < chunk.count, isPlain(chunk[index]) { index += 1 }
        guard index < chunk.count, carry.isEmpty else {
            guard carry.count + index - start <= JSONTokenizer.longestString else {
                throw fault(start, "the number is too long")
            }
            for index in start..<index { carry.append(chunk[index]) }
            if index < chunk.count { try endPlain(handler) }
            return index
        }
        try deliverPlain(chunk.extracting(start..<index), handler)
        return index
    }

    private mutating func endPlain(_ handler: some JSONHandler) throws(JSONFault) {
        let text = carry
        carry.removeAll(keepingCapacity: true)
        try deliverPlain(text.span, handler)
    }

    private mutating func deliverPlain(
        _ text: Span<UInt8>,
        _ handler: some JSONHandler
    ) throws(JSONFault) {
        if case .number = token {
            handler.number(text, at: tokenPlace)
        } else if text.isWord("null") {
            handler.literal(.null, at: tokenPlace)
        } else if text.isWord("true") {
            handler.literal(.true, at: tokenPlace)
        } else if text.isWord("false") {
            handler.literal(.false, at: tokenPlace)
        } else {
            throw JSONFault(place: tokenPlace, message: "\(quote(text)) is no JSON value")
        }
        endValue()
    }

    private func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default:
            byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") || byte == UInt8(ascii: ".")
        }
    }

    private mutating func beginString(
        _ chunk: Span<UInt8>,
        _ index: Int,
        isKey: Bool,
        _ handler: some JSONHandler
    ) throws(JSONFault) -> Int {
        tokenPlace = place(index)
        var end = index + 1
        while end < chunk.count {
            let byte = chunk[end]
            if byte == UInt8(ascii: "\"") {
                deliverString(chunk.extracting(index + 1..<end), isKey: isKey, handler)
                return end + 1
            }
            if byte == UInt8(ascii: "\\") { break }
            guard byte >= 0x20 else { throw fault(end, "a control character is in a string") }
            end += 1
        }
        token = .string(isKey: isKey)
        return try resumeString(chunk, index + 1, isKey: isKey, handler)
    }

    private mutating func deliverString(
        _ text: Span<UInt8>,
        isKey: Bool,
        _ handler: some JSONHandler
    ) {
        if isKey {
            handler.key(text, at: tokenPlace)
            token = .none
            state = .colon
        } else {
            handler.string(text, at: tokenPlace)
            endValue()
        }
    }

    /// The slow way through a string that has escapes or lies across chunks.
    private mutating func resumeString(
        _ chunk: Span<UInt8>,
        _ start: Int,
        isKey: Bool,
        _ handler: some JSONHandler
    ) throws(JSONFault) -> Int {
        var index = start
        while index < chunk.count {
            let byte = chunk[index]
            index += 1
            switch escape {
            case .none:
                if byte == UInt8(ascii: "\"") {
                    let text = carry
                    carry.removeAll(keepingCapacity: true)
                    deliverString(text.span, isKey: isKey, handler)
                    return index
                }
                if byte == UInt8(ascii: "\\") {
                    escape = .backslash
                } else {
                    guard byte >= 0x20 else {
                        throw fault(index - 1, "a control character is in a string")
                    }
                    keep(byte)
                }
            case .backslash:
                try takeEscape(byte, index - 1)
            case .unicode(let digits, let value):
                guard let digit = hexadecimal(byte) else {
                    throw fault(index - 1, "four hexadecimal digits were expected")
                }
                let value = value << 4 | UInt32(digit)
                escape = digits == 3 ? .none : .unicode(digits: digits + 1, value: value)
                if digits == 3 { keepScalar(value) }
            }
        }
        return index
    }

    private mutating func takeEscape(_ byte: UInt8, _ index: Int) throws(JSONFault) {
        escape = .none
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): keep(byte)
        case UInt8(ascii: "b"): keep(0x08)
        case UInt8(ascii: "f"): keep(0x0C)
        case UInt8(ascii: "n"): keep(0x0A)
        case UInt8(ascii: "r"): keep(0x0D)
        case UInt8(ascii: "t"): keep(0x09)
        case UInt8(ascii: "u"): escape = .unicode(digits: 0, value: 0)
        default: throw fault(index, "an escape was expected")
        }
    }

    private mutating func keep(_ byte: UInt8) {
        if carry.count < JSONTokenizer.longestString { carry.append(byte) }
    }

    private mutating func keepScalar(_ unit: UInt32) {
        if unit >= 0xD800, unit < 0xDC00 {
            highSurrogate = unit
            return
        }
        var scalar = unit
        if unit >= 0xDC00, unit < 0xE000, highSurrogate != 0 {
            scalar = 0x1_0000 + ((highSurrogate - 0xD800) << 10) + (unit - 0xDC00)
        }
        highSurrogate = 0
        for byte in String(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8 { keep(byte) }
    }
}

/// The value of a hexadecimal digit.
func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
}
