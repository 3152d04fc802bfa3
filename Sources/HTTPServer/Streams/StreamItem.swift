/// One piece of a stream, sent whole or, once the queue overflows, not at all.
public struct StreamItem: Sendable {
    /// What is sent.
    public var bytes: SharedBytes
    /// Whether it begins something: if it has to go when the queue overflows, the item of its key
    /// that stays begins that instead.
    public var begins: Bool
    /// From 0: a later item of the same key makes this one superfluous when the queue overflows.
    ///
    /// Negative: a control item, which is kept.
    public var key: Int

    /// An item; a control item if no key is given.
    public init(bytes: SharedBytes, key: Int = -1, begins: Bool = false) {
        self.bytes = bytes
        self.begins = begins
        self.key = key
    }
}
