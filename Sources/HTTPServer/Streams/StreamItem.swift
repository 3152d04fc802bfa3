/// One piece of a stream, sent whole or, once the queue overflows, not at all.
public struct StreamItem: Sendable {
    /// What is sent.
    public var bytes: SharedBytes
    /// From 0: a later item of the same key makes this one superfluous when the queue overflows.
    ///
    /// Negative: a control item, which is kept.
    public var key: Int

    /// An item; a control item if no key is given.
    public init(bytes: SharedBytes, key: Int = -1) {
        self.bytes = bytes
        self.key = key
    }
}
