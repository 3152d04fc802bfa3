/// Opens the sources whose fixes come as they are found.
struct LiveOpener {
    private let opener: SourceOpener
    private var specification: SourceSpecification { opener.specification }
    private var text: String { specification.text }

    init(_ opener: SourceOpener) {
        self.opener = opener
    }

    /// A file that is being written; it may have no fix yet, but must be there.
    func follow(_ path: String) throws(SourceError) -> FollowSource {
        let options = try options(["tz", "date", "maxGap", "split"])
        try PathCheck.requireFile(path)
        try requireText(path)
        // Devices are those that the file names by now.
        let ids = (try? TrackFile.scan(path, options: options).ids) ?? []
        let names = TrackFile.names(ids, device: specification.device, path: path)
        return FollowSource(path: path, settings: settings(names, options))
    }

    private func requireText(_ path: String) throws(SourceError) {
        var head = [UInt8](repeating: 0, count: ForeignFile.headLength)
        do throws(SystemCall.Failure) {
            let file = try Descriptor.reading(path)
            let count = try file.read(into: &head) ?? 0
            head.removeSubrange(count...)
        } catch {
            throw .unusable("\(path): \(error.reason)")
        }
        if let reason = ForeignFile.refusal(of: head) { throw .unusable("\(path): \(reason)") }
    }

    /// Standard input, which is read from now on.
    func standardInput() throws(SourceError) -> StandardInputSource {
        let options = try options(["date"])
        do {
            return try StandardInputSource(
                Descriptor.standardInput(),
                settings: settings([(nil, specification.device ?? "stdin")], options)
            )
        } catch {
            throw .unusable(
                "\(text): standard input cannot be read: \(error.reason); expected lines of NMEA,"
                    + " NDJSON or gpsd JSON"
            )
        }
    }

    /// A gpsd daemon, which is not connected yet.
    func gpsd(host: String, port: UInt16) throws(SourceError) -> GpsdSource {
        let parameters = try SourceParameters(specification, known: ["device"])
        if let receiver = parameters["device"] {
            let isPlain = receiver.utf8.allSatisfy { byte in
                byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"")
                    && byte != UInt8(ascii: "\\")
            }
            guard isPlain, 1...128 ~= receiver.utf8.count else {
                throw parameters.wrong("device", "gpsd's name of a receiver, such as /dev/ttyUSB0")
            }
        }
        return GpsdSource(
            host: host,
            port: port,
            receiver: parameters["device"],
            settings: settings(
                [(nil, specification.device ?? DeviceName.cleaned(host))],
                TrackOptions()
            )
        )
    }

    private func options(_ known: [String]) throws(SourceError) -> TrackOptions {
        let parameters = try SourceParameters(specification, known: known)
        var options = try TrackOptions(parameters)
        options.maxGap = try ReplaySettings(parameters).maxGap
        return options
    }

    private func settings(
        _ names: [(id: String?, device: String)],
        _ options: TrackOptions
    ) -> LiveSettings {
        LiveSettings(
            names: names,
            options: options,
            scheduler: opener.scheduler,
            clock: opener.clock
        )
    }
}
