private import Glibc

/// The environment variables of the process.
struct Environment: Sendable {
    private let lookUp: @Sendable (String) -> String?

    /// The real environment.
    static let current = Environment { name in
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// An environment of given variables.
    init(_ variables: [String: String]) {
        lookUp = { variables[$0] }
    }

    private init(lookUp: @escaping @Sendable (String) -> String?) {
        self.lookUp = lookUp
    }

    /// The value of a variable; nil where it is absent or empty, as Docker and systemd leave those
    /// that are not set.
    subscript(name: String) -> String? {
        guard let value = lookUp(name), !value.isEmpty else { return nil }
        return value
    }
}
