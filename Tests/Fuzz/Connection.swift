// Any bytes on a connection: the server answers in HTTP or not at all, and goes on.
import Glibc
import HTTPServer
import Reactive
import Synchronization

private let server: Server = {
    signal(SIGPIPE, SIG_IGN)
    var router = Router()
    router.on("GET", "/stream") { _, _, responder in
        let body = StreamBody(preamble: SharedBytes(": hello\n\n")) { stream in
            stream.send(StreamItem(bytes: SharedBytes("data: 1\n\n"), key: 0))
            stream.end()
            return ActionDisposable {}
        }
        responder(Response(body: .stream(body)))
    }
    router.on("GET", "/{name}") { request, parameters, responder in
        responder(Response(contentType: "text/plain", text: parameters["name"] + request.target))
    }
    let finished = router
    do {
        return try Server(
            configuration: ServerConfiguration(listen: [ListenAddress(host: "127.0.0.1", port: 0)]),
            scheduler: DispatchScheduler(label: "fuzz"),
            log: { _ in },
            handler: { finished($0, $1) }
        )
    } catch {
        preconditionFailure("\(error)")
    }
}()

/// The connections made so far.
private let connections = Atomic<UInt32>(0)

/// Every 20,000 connections have a source address of their own: one address has 28,000 ports, and
/// each stays taken for a minute after its connection.
private func bindToFreshAddress(_ client: Int32) {
    let number = connections.add(1, ordering: .relaxed).newValue
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr = in_addr(s_addr: (0x7f00_0001 + (number / 20_000) << 8).bigEndian)
    var late: Int32 = 1
    setsockopt(client, Int32(IPPROTO_IP), IP_BIND_ADDRESS_NO_PORT, &late, 4)
    let bound = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    precondition(bound == 0, "a loopback address cannot be bound")
}

private let port = UInt16(server.addresses[0].split(separator: ":").last ?? "") ?? 0

/// One input of the fuzzer; 0 tells it that the input was of use.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr = in_addr(s_addr: UInt32(0x7f00_0001).bigEndian)
    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer {
        // Without RST the ports would run out.
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(client, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close(client)
    }
    bindToFreshAddress(client)
    let connected = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    // The fuzzer's own alarm may interrupt; the next input is as good.
    if connected != 0, errno == EINTR { return 0 }
    precondition(connected == 0, "the server accepts no connection")
    send(client, data, size, Int32(MSG_NOSIGNAL))
    shutdown(client, Int32(SHUT_WR))
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
        let count = recv(client, &buffer, buffer.count, 0)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        answer += buffer[..<count]
    }
    precondition(answer.isEmpty || answer.starts(with: Array("HTTP/1.1 ".utf8)), "no HTTP")
    return 0
}
