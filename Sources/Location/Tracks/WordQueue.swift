/// A first-in first-out queue of integers that keeps at most a mebibyte in memory, and what is
/// longer in a temporary file without a name.
///
/// Coordinates and times of a line may stand in different parts of a file; one of the two has to
/// wait for the other.
struct WordQueue {
    private static let block = 65_536

    /// How many words are in the queue.
    private(set) var count = 0

    /// Why words were lost.
    private(set) var failure: TrackError?

    private var head: [Int64] = []
    private var headIndex = 0
    private var tail: [Int64] = []
    private var file: TemporaryFile?
    private var blocksInFile = 0

    /// Puts a word at the end.
    mutating func append(_ word: Int64) {
        guard failure == nil else { return }
        tail.append(word)
        count += 1
        guard tail.count == WordQueue.block else { return }
        if headIndex == head.count, blocksInFile == 0 {
            swap(&head, &tail)
            headIndex = 0
        } else {
            do throws(TrackError) {
                if file == nil { file = try TemporaryFile() }
                try file?.append(tail)
                blocksInFile += 1
            } catch {
                failure = error
                count = 0
            }
        }
        tail.removeAll(keepingCapacity: true)
    }

    /// Takes the first word; nil where there is none.
    mutating func popFirst() -> Int64? {
        guard count > 0 else { return nil }
        if headIndex == head.count {
            headIndex = 0
            if blocksInFile > 0, let file {
                do throws(TrackError) {
                    head = try file.next(WordQueue.block)
                    blocksInFile -= 1
                } catch {
                    failure = error
                    count = 0
                    return nil
                }
            } else {
                head.removeAll(keepingCapacity: true)
                swap(&head, &tail)
            }
        }
        count -= 1
        defer { headIndex += 1 }
        return head[headIndex]
    }

    /// Forgets all words.
    mutating func removeAll() {
        count = 0
        head.removeAll(keepingCapacity: true)
        headIndex = 0
        tail.removeAll(keepingCapacity: true)
        blocksInFile = 0
        file = nil
    }
}
