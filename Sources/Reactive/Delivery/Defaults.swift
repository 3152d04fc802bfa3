/// Numbers that several types share.
enum Defaults {
    /// How many events an observer whose callback is still running may lag behind.
    static let lagLimit = 4096
}
