/// An ordered set with stable handles: contiguous slots, a free list, O(1) insertion and removal.
///
/// A handle carries the generation of its slot, so one that has been removed is never mistaken for
/// the slot's next occupant. The order is that of insertion, kept by links between the slots.
struct SlotTable<Element> {
    private struct Slot {
        var element: Element?
        var generation: UInt32
        /// Neighbours in order of insertion; `next` links the free slots when unoccupied.
        var previous: Int
        var next: Int
    }

    private static var none: Int { -1 }

    private var slots: [Slot] = []
    private var first = Self.none
    private var last = Self.none
    private var firstFree = Self.none
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// The elements in the order of their insertion.
    var elements: [Element] {
        var elements: [Element] = []
        elements.reserveCapacity(count)
        var index = first
        while index != Self.none {
            if let element = slots[index].element { elements.append(element) }
            index = slots[index].next
        }
        return elements
    }

    subscript(handle: SlotHandle) -> Element? {
        guard handle.index < slots.count, slots[handle.index].generation == handle.generation
        else { return nil }
        return slots[handle.index].element
    }

    mutating func insert(_ element: Element) -> SlotHandle {
        let index: Int
        if firstFree == Self.none {
            index = slots.count
            slots.append(
                Slot(element: element, generation: 0, previous: last, next: Self.none)
            )
        } else {
            index = firstFree
            firstFree = slots[index].next
            slots[index].element = element
            slots[index].previous = last
            slots[index].next = Self.none
        }
        if last == Self.none {
            first = index
        } else {
            slots[last].next = index
        }
        last = index
        count += 1
        return SlotHandle(index: index, generation: slots[index].generation)
    }

    mutating func remove(_ handle: SlotHandle) -> Element? {
        let index = handle.index
        guard index < slots.count, slots[index].generation == handle.generation,
            let element = slots[index].element
        else { return nil }
        let (previous, next) = (slots[index].previous, slots[index].next)
        if previous == Self.none { first = next } else { slots[previous].next = next }
        if next == Self.none { last = previous } else { slots[next].previous = previous }
        slots[index].element = nil
        slots[index].generation &+= 1
        slots[index].next = firstFree
        firstFree = index
        count -= 1
        return element
    }
}

/// Names one element of a ``SlotTable`` for as long as it is in the table.
struct SlotHandle: Sendable, Equatable {
    /// The slot's index in the upper half, its generation in the lower one.
    let rawValue: UInt64

    init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    init(index: Int, generation: UInt32) {
        rawValue = UInt64(UInt32(index)) << 32 | UInt64(generation)
    }

    var index: Int { Int(rawValue >> 32) }
    var generation: UInt32 { UInt32(truncatingIfNeeded: rawValue) }
}
