/// Turns byte offsets into lines and columns, for parsers that are fed in chunks and look back at
/// most `reach` bytes.
///
/// Lines end with a line feed; columns are bytes. Offsets are asked for in rising order.
struct LineCounter {
    /// How far before the newest chunk an offset may still lie.
    static let reach = 2 << 20

    private var line = 1
    private var lineStart = 0
    private var chunkStart = 0
    private var counted = 0
    /// Line feeds before `chunkStart` that are not counted yet, oldest first.
    private var pending: [Int] = []
    private var pendingIndex = 0

    /// The place of the byte at `offset` of the file; `chunk` is the newest chunk.
    mutating func place(of offset: Int, in chunk: Span<UInt8>) -> Place {
        while pendingIndex < pending.count, pending[pendingIndex] < offset {
            lineFeed(at: pending[pendingIndex])
            pendingIndex += 1
        }
        if offset > chunkStart {
            var index = max(counted - chunkStart, 0)
            let end = min(offset - chunkStart, chunk.count)
            while index < end, let found = chunk.firstIndex(of: 0x0A, from: index), found < end {
                lineFeed(at: chunkStart + found)
                index = found + 1
            }
            counted = max(counted, chunkStart + end)
        }
        return Place(line: line, column: max(1, offset - lineStart + 1))
    }

    /// Ends a chunk; keeps the line feeds in it that an offset to come may lie behind.
    mutating func end(_ chunk: Span<UInt8>) {
        while pendingIndex < pending.count,
            pending[pendingIndex] < chunkStart - LineCounter.reach
        {
            lineFeed(at: pending[pendingIndex])
            pendingIndex += 1
        }
        if pendingIndex > 0 {
            pending.removeSubrange(..<pendingIndex)
            pendingIndex = 0
        }
        var index = max(counted - chunkStart, 0)
        while let found = chunk.firstIndex(of: 0x0A, from: index) {
            pending.append(chunkStart + found)
            index = found + 1
        }
        chunkStart += chunk.count
        counted = chunkStart
    }

    private mutating func lineFeed(at offset: Int) {
        line += 1
        lineStart = offset + 1
    }
}

/// A place in a file, for messages.
struct Place: Equatable, Comparable {
    /// Counted from 1; 0 where there is none.
    var line: UInt32
    /// Counted in bytes from 1; 0 where there is none.
    var column: UInt32

    static let none = Place(line: 0, column: 0)

    static func < (left: Place, right: Place) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }

    /// The place, or the last one that can be told.
    init(line: Int, column: Int) {
        self.line = UInt32(clamping: line)
        self.column = UInt32(clamping: column)
    }
}
