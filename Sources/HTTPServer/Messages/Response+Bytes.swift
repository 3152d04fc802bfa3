extension Response {
    /// The whole answer as HTTP/1.1, for a connection that is closed after it.
    func closingBytes(date: String, withBody: Bool = true) -> [UInt8] {
        let body = self.body.bytes
        var head = "HTTP/1.1 \(status) \(Problem.phrase(for: status))\r\nDate: \(date)\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        head += "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
        return Array(head.utf8) + (withBody ? body.bytes : [])
    }
}
