/// One SOURCE argument, `[DEVICE=]LOCATOR[?PARAMETER=VALUE&...]`, taken apart but not yet opened.
public struct SourceSpecification: Sendable, Equatable {
    /// What kind of source a locator names.
    public enum Locator: Sendable, Equatable {
        /// `sim:`, the motion simulator.
        case simulator
        /// A file, or a folder of files.
        case path(String)
        /// `follow:PATH`, a file that another program is still writing.
        case follow(String)
        /// `-`, standard input.
        case standardInput
        /// `gpsd://HOST[:PORT]`, a gpsd daemon.
        case gpsd(host: String, port: UInt16)
    }

    /// One `NAME=VALUE`, as written: nothing is decoded.
    public struct Parameter: Sendable, Equatable {
        /// What is set.
        public var name: String
        /// To what.
        public var value: String
    }

    /// The whole argument, for messages.
    public let text: String
    /// The device name given before the `=`.
    public let device: String?
    /// Where the fixes come from.
    public let locator: Locator
    /// The parameters in the order given, names unique.
    public let parameters: [Parameter]

    /// The locator with the parameters.
    var textAfterDevice: String { String(text.dropFirst(device.map { $0.count + 1 } ?? 0)) }

    /// Takes an argument apart; whether the parameters exist for this locator is checked when the
    /// source is opened.
    ///
    /// The text before the first `=` is a device only if it looks like a device name, so that
    /// `./a=b.gpx` is a path; the parameters begin at the last `?` that a `name=` follows.
    public init(parsing text: String) throws(SourceError) {
        self.text = text
        var rest = text[...]
        var device: String?
        if let sign = rest.firstIndex(of: "="), DeviceName.isValid(rest[..<sign]) {
            device = String(rest[..<sign])
            rest = rest[rest.index(after: sign)...]
        }
        self.device = device
        var query: Substring?
        if let mark = Self.parameterMark(in: rest) {
            query = rest[rest.index(after: mark)...]
            rest = rest[..<mark]
        }
        locator = try Self.locator(rest, of: text)
        parameters = try Self.parameters(query, of: text)
    }

    /// The last `?` that a `name=` follows.
    private static func parameterMark(in text: Substring) -> String.Index? {
        text.indices.last { index in
            guard text[index] == "?" else { return false }
            let after = text[text.index(after: index)...]
            let name = after.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
            return !name.isEmpty && after[name.endIndex...].first == "="
        }
    }

    private static func locator(
        _ text: Substring,
        of argument: String
    ) throws(SourceError) -> Locator {
        if text.isEmpty {
            let name = argument.isEmpty ? "\"\"" : argument
            throw .usage(
                "\(name): a source is missing; expected sim:, a path, follow:PATH, - or"
                    + " gpsd://HOST"
            )
        }
        if text == "-" { return .standardInput }
        if let name = text.dropping(prefix: "sim:") {
            guard name.isEmpty else {
                throw .usage(
                    "\(argument): expected nothing between \"sim:\" and the parameters, got"
                        + " \"\(name)\""
                )
            }
            return .simulator
        }
        if let path = text.dropping(prefix: "follow:") {
            guard !path.isEmpty else { throw .usage("\(argument): expected follow:PATH") }
            return .follow(String(path))
        }
        if let authority = text.dropping(prefix: "gpsd://") {
            return try gpsd(authority, of: argument)
        }
        return .path(String(text))
    }

    private static func gpsd(
        _ authority: Substring,
        of argument: String
    ) throws(SourceError) -> Locator {
        var authority = authority
        if authority.last == "/" { authority.removeLast() }
        var host = authority
        var port: Substring?
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else {
                throw .usage("\(argument): expected gpsd://[ADDRESS]:PORT, the ] is missing")
            }
            host = authority[authority.index(after: authority.startIndex)..<end]
            let after = authority[authority.index(after: end)...]
            guard after.isEmpty || after.first == ":" else {
                throw .usage(
                    "\(argument): expected gpsd://[ADDRESS]:PORT, got \"\(after)\" after ]"
                )
            }
            port = after.isEmpty ? nil : after.dropFirst()
        } else if let colon = authority.lastIndex(of: ":") {
            host = authority[..<colon]
            port = authority[authority.index(after: colon)...]
        }
        let isBracketed = authority.first == "["
        guard !host.isEmpty, !host.contains("/"), isBracketed || !host.contains(":") else {
            throw .usage("\(argument): expected gpsd://HOST or gpsd://HOST:PORT")
        }
        guard let port else { return .gpsd(host: String(host), port: 2947) }
        guard let number = UInt16(port), number > 0 else {
            throw .usage("\(argument): expected a port from 1 to 65535, got \"\(port)\"")
        }
        return .gpsd(host: String(host), port: number)
    }

    private static func parameters(
        _ query: Substring?,
        of argument: String
    ) throws(SourceError) -> [Parameter] {
        var parameters: [Parameter] = []
        guard let query else { return [] }
        for part in query.split(separator: "&", omittingEmptySubsequences: false) {
            guard let sign = part.firstIndex(of: "="), sign != part.startIndex else {
                throw .usage("\(argument): expected PARAMETER=VALUE, got \"\(part)\"")
            }
            let name = String(part[..<sign])
            if parameters.contains(where: { $0.name == name }) {
                throw .usage("\(argument): parameter \(name) is given twice")
            }
            let value = String(part[part.index(after: sign)...])
            parameters.append(Parameter(name: name, value: value))
        }
        return parameters
    }
}

extension Substring {
    /// What follows `prefix`, or nil when the text does not begin with it.
    fileprivate func dropping(prefix: String) -> Substring? {
        hasPrefix(prefix) ? dropFirst(prefix.count) : nil
    }
}
