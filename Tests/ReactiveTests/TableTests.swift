import Testing

@testable import Reactive

@Suite struct TableTests {
    @Test(arguments: 1...20)
    func `a slot table behaves like a list`(seed: UInt64) {
        var random = Random(seed: seed)
        var table = SlotTable<Int>()
        var list: [(handle: SlotHandle, element: Int)] = []
        var gone: [SlotHandle] = []
        for step in 0..<400 {
            switch random.below(5) {
            case 0, 1:
                list.append((table.insert(step), step))
            case 2 where !list.isEmpty:
                let (handle, element) = list.remove(at: random.below(list.count))
                #expect(table.remove(handle) == element)
                gone.append(handle)
            case 3 where !gone.isEmpty:
                let handle = gone[random.below(gone.count)]
                #expect(table.remove(handle) == nil)
                #expect(table[handle] == nil)
            default:
                for (handle, element) in list.prefix(3) { #expect(table[handle] == element) }
            }
            #expect(table.count == list.count)
            #expect(table.isEmpty == list.isEmpty)
            #expect(table.elements == list.map(\.element), "seed \(seed), step \(step)")
        }
    }

    @Test(arguments: 1...20)
    func `a ring behaves like a queue`(seed: UInt64) {
        var random = Random(seed: seed)
        var ring = Ring<Int>()
        var queue: [Int] = []
        for step in 0..<400 {
            if random.below(5) < 3 {
                ring.append(step)
                queue.append(step)
            } else {
                #expect(ring.popFirst() == (queue.isEmpty ? nil : queue.removeFirst()))
            }
            #expect(ring.count == queue.count)
            #expect(queue.indices.map { ring[$0] } == queue, "seed \(seed), step \(step)")
        }
    }

    @Test func `the last handle of an emptied table removes nothing`() {
        var table = SlotTable<Int>()
        let handle = table.insert(1)
        #expect(table.remove(handle) == 1)
        #expect(table.remove(handle) == nil)
        #expect(table.elements.isEmpty)
    }
}
