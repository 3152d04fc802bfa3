/// An ordered set with stable handles: contiguous slots, a free list, O(1) insertion and removal.
///
/// A handle carries the generation of its slot, so one that has been removed is never mistaken for
/// the slot's next occupant. The order is that of insertion, kept by links between the slots.
@usableFromInline
struct SlotTable<Element> {
    @usableFromInline
    struct Slot {
        @usableFromInline
        var element: Element?
        @usableFromInline
        var generation: UInt32 = 0
        /// Neighbours in order of insertion; `next` links the free slots when unoccupied.
        @usableFromInline
        var previous: Int32
        @usableFromInline
        var next: Int32 = -1

        @inlinable
        init(element: Element, previous: Int32) {
            self.element = element
            self.previous = previous
        }
    }

    /// The index of no slot.
    @inlinable
    static var none: Int32 { -1 }

    @usableFromInline
    var slots: [Slot] = []
    @usableFromInline
    var first = SlotTable.none
    @usableFromInline
    var last = SlotTable.none
    @usableFromInline
    var firstFree = SlotTable.none
    @usableFromInline
    var count = 0

    @inlinable
    init() {}

    @inlinable
    var isEmpty: Bool { count == 0 }

    /// The elements in the order of their insertion.
    @inlinable
    var elements: [Element] {
        var elements: [Element] = []
        elements.reserveCapacity(count)
        var index = first
        while index != Self.none {
            if let element = slots[Int(index)].element { elements.append(element) }
            index = slots[Int(index)].next
        }
        return elements
    }

    @inlinable
    subscript(handle: SlotHandle) -> Element? {
        guard handle.index < slots.count, slots[handle.index].generation == handle.generation
        else { return nil }
        return slots[handle.index].element
    }

    @inlinable
    mutating func insert(_ element: Element) -> SlotHandle {
        let index: Int32
        if firstFree == Self.none {
            index = Int32(slots.count)
            slots.append(Slot(element: element, previous: last))
        } else {
            index = firstFree
            firstFree = slots[Int(index)].next
            slots[Int(index)].element = element
            slots[Int(index)].previous = last
            slots[Int(index)].next = Self.none
        }
        if last == Self.none {
            first = index
        } else {
            slots[Int(last)].next = index
        }
        last = index
        count += 1
        return SlotHandle(index: index, generation: slots[Int(index)].generation)
    }

    /// Removes an element, which must be in the table, and hands it back.
    @inlinable
    mutating func remove(_ handle: SlotHandle) -> Element? {
        let index = handle.index
        guard index < slots.count, slots[index].generation == handle.generation,
            let element = slots[index].element.take()
        else { return nil }
        let (previous, next) = (slots[index].previous, slots[index].next)
        if previous == Self.none {
            first = next
        } else {
            slots[Int(previous)].next = next
        }
        if next == Self.none {
            last = previous
        } else {
            slots[Int(next)].previous = previous
        }
        slots[index].generation &+= 1
        slots[index].next = firstFree
        firstFree = Int32(index)
        count -= 1
        return element
    }
}

/// Names one element of a ``SlotTable`` for as long as it is in the table.
@usableFromInline
struct SlotHandle: Sendable, Equatable {
    /// The slot's index in the upper half, its generation in the lower one.
    @usableFromInline
    let rawValue: UInt64

    @inlinable
    init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    @inlinable
    init(index: Int32, generation: UInt32) {
        rawValue = UInt64(UInt32(bitPattern: index)) << 32 | UInt64(generation)
    }

    @inlinable
    var index: Int { Int(rawValue >> 32) }
    @inlinable
    var generation: UInt32 { UInt32(truncatingIfNeeded: rawValue) }
}
