/// What a format does with the lines of a file.
protocol LineHandler: AnyObject {
    /// A line without its line feed or carriage return, counted from 1.
    func line(_ text: Span<UInt8>, _ number: Int)
    /// A line that was longer than `LineSplitter.longestLine`, and was skipped.
    func overlongLine(_ number: Int)
    /// The last line, which has no line feed: it may have been cut off.
    func unterminatedLine(_ text: Span<UInt8>, _ number: Int)
    /// Nothing follows for a while.
    func flush()
    /// The file has ended; `isCutOff` says that its last line had no line feed.
    func finish(isCutOff: Bool)
    /// Why the file is refused.
    var error: TrackError? { get }
    /// Whether no record is open that goes on in the next line, and none is held back.
    var isBetweenRecords: Bool { get }
    /// What the lines so far have decided about all that follow; another number for another
    /// decision.
    var decisions: Int { get }
    /// After `finish`: why the file must be read once more.
    var rereadAs: String? { get }
}

extension LineHandler {
    func unterminatedLine(_ text: Span<UInt8>, _ number: Int) { line(text, number) }
    func flush() {}
    var error: TrackError? { nil }
    var isBetweenRecords: Bool { false }
    var decisions: Int { 0 }
    var rereadAs: String? { nil }
}

/// Cuts chunks into lines; copies only those that lie across two chunks.
///
/// Lines end with a line feed, or, where the first one does, with a carriage return alone.
struct LineSplitter {
    /// Longer lines are skipped: nothing that describes one fix is longer.
    static let longestLine = 1 << 16

    private var number = 1
    private var carry: [UInt8] = []
    private var isSkipping = false
    /// Whether it is known what lines end with.
    private var isDecided = false
    private var endsWithReturn = false
    /// Whether the newest byte was a carriage return: a line feed after it ends no other line.
    private var followsReturn = false
    /// Where in the newest chunk the line begins that goes on in the next; nil where none does, or
    /// where returns end lines.
    private(set) var openLineStart: Int?

    /// Hands the complete lines to `handler`, and keeps the rest.
    mutating func feed(_ chunk: Span<UInt8>, to handler: some LineHandler) {
        if !isDecided { decide(chunk, handler) }
        var start = 0
        while let end = lineEnd(chunk, &start) {
            if isSkipping {
                isSkipping = false
                handler.overlongLine(number)
            } else if !carry.isEmpty {
                keep(chunk, start..<end)
                if isSkipping {
                    isSkipping = false
                    handler.overlongLine(number)
                } else {
                    deliver(carry.span, 0..<carry.count, to: handler)
                }
                carry.removeAll(keepingCapacity: true)
            } else if end - start > LineSplitter.longestLine {
                handler.overlongLine(number)
            } else {
                deliver(chunk, start..<end, to: handler)
            }
            number += 1
            start = end + 1
        }
        openLineStart = start > 0 && !endsWithReturn ? start : nil
        if start < chunk.count, !isSkipping { keep(chunk, start..<chunk.count) }
    }

    /// Hands over the last line.
    mutating func finish(_ handler: some LineHandler) {
        let isCutOff = isSkipping || !carry.isEmpty
        if isSkipping {
            handler.overlongLine(number)
        } else if !carry.isEmpty {
            let end = LineSplitter.trimmedEnd(carry.span, 0..<carry.count)
            handler.unterminatedLine(carry.span.extracting(0..<end), number)
        }
        carry = []
        isSkipping = false
        handler.finish(isCutOff: isCutOff)
    }

    /// Where the next line ends.
    private mutating func lineEnd(_ chunk: Span<UInt8>, _ start: inout Int) -> Int? {
        guard endsWithReturn else { return chunk.firstIndex(of: 0x0A, from: start) }
        if followsReturn, start < chunk.count {
            followsReturn = false
            if chunk[start] == 0x0A { start += 1 }
        }
        for index in start..<chunk.count where chunk[index] == 0x0D || chunk[index] == 0x0A {
            followsReturn = chunk[index] == 0x0D
            return index
        }
        return nil
    }

    /// Finds out what the first line ends with: carriage returns with no line feed behind them, as
    /// of old computers and of receivers, end lines.
    private mutating func decide(_ chunk: Span<UInt8>, _ handler: some LineHandler) {
        for index in chunk.indices {
            if chunk[index] == 0x0A {
                isDecided = true
                return
            }
            guard followsReturn, chunk[index] != 0x0D else {
                followsReturn = chunk[index] == 0x0D
                continue
            }
            isDecided = true
            endsWithReturn = true
            followsReturn = false
            // Returns may be the last bytes of the chunk before, and each of them ends a line.
            let returns = carry.reversed().prefix { $0 == 0x0D }.count
            for line in 0..<returns {
                deliver(carry.span, 0..<(line == 0 ? carry.count : 0), to: handler)
                number += 1
            }
            if returns > 0 { carry.removeAll(keepingCapacity: true) }
            return
        }
    }

    private mutating func keep(_ chunk: Span<UInt8>, _ range: Range<Int>) {
        guard carry.count + range.count <= LineSplitter.longestLine else {
            carry.removeAll(keepingCapacity: true)
            isSkipping = true
            return
        }
        for index in range { carry.append(chunk[index]) }
    }

    private func deliver(_ text: Span<UInt8>, _ range: Range<Int>, to handler: some LineHandler) {
        let end = LineSplitter.trimmedEnd(text, range)
        handler.line(text.extracting(range.lowerBound..<end), number)
    }

    /// Where a line ends before its carriage returns.
    private static func trimmedEnd(_ text: Span<UInt8>, _ range: Range<Int>) -> Int {
        var end = range.upperBound
        while end > range.lowerBound, text[end - 1] == 0x0D { end -= 1 }
        return end
    }
}

extension TrackSink {
    /// Reports a line that was skipped for its length.
    func noteOverlongLine(_ number: Int) {
        log.add(
            .warning,
            at: Place(line: number, column: 1),
            "the line is longer than \(LineSplitter.longestLine) bytes and not used"
        )
    }
}

/// A parser of a format that is made of lines.
final class LineTrackParser<Handler: LineHandler>: TrackParser {
    private let handler: Handler
    private var lines = LineSplitter()
    private var length = 0
    private(set) var boundary: RecordBoundary?

    /// - Parameter handler: What is done with each line.
    init(_ handler: Handler) {
        self.handler = handler
    }

    func feed(_ chunk: Span<UInt8>) throws(TrackError) -> Int {
        lines.feed(chunk, to: handler)
        if let error = handler.error { throw error }
        if let start = lines.openLineStart, handler.isBetweenRecords {
            boundary = RecordBoundary(offset: length + start, decisions: handler.decisions)
        }
        length += chunk.count
        return chunk.count
    }

    func flush() {
        handler.flush()
    }

    func finish() throws(TrackError) -> Bool {
        lines.finish(handler)
        if let error = handler.error { throw error }
        return true
    }

    var rereadAs: String? { handler.rereadAs }
}
