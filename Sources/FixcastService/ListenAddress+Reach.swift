internal import HTTPServer

extension ListenAddress {
    /// Whether only programs on this machine can reach it.
    var isLoopback: Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }

    /// Where to connect to reach it from this machine: an address that stands for all of the
    /// machine's becomes the loopback address of its family.
    var connectable: ListenAddress {
        switch host {
        case "0.0.0.0", "*": ListenAddress(host: "127.0.0.1", port: port)
        case "::": ListenAddress(host: "::1", port: port)
        default: self
        }
    }
}
