/// Opens a recorded track, or a folder of them.
struct TrackOpener {
    /// How many devices may follow each other in one file: each is then read by a reader of its
    /// own.
    static let maximumReaders = 256

    /// How many files of a folder are named that hold no track.
    private static let mostWarnings = 10

    private let opener: SourceOpener
    private var text: String { opener.specification.text }

    init(_ opener: SourceOpener) {
        self.opener = opener
    }

    func open(_ path: String) throws(SourceError) -> [any FixSource] {
        let parameters = try SourceParameters(
            opener.specification,
            known: ReplaySettings.parameters + TrackOptions.parameters
        )
        let settings = try ReplaySettings(parameters)
        var options = try TrackOptions(parameters)
        options.maxGap = settings.maxGap
        switch try PathCheck.kind(of: path) {
        case .file:
            return try sources(
                path,
                device: opener.specification.device,
                settings: settings,
                options: options
            )
        case .folder(let names):
            return try sources(inFolder: path, names, settings: settings, options: options)
        }
    }

    private func sources(
        inFolder folder: String,
        _ names: [String],
        settings: ReplaySettings,
        options: TrackOptions
    ) throws(SourceError) -> [any FixSource] {
        var sources: [any FixSource] = []
        var refusals: [String] = []
        var files: [String: String] = [:]
        var shortened: Set<String> = []
        for name in names {
            let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
            guard (try? SystemCall.kind(of: path)) == .regular else { continue }
            let device = opener.specification.device.map { given in
                Self.device(given, file: name, shortened: &shortened)
            }
            let found: [any FixSource]
            do {
                found = try self.sources(
                    path,
                    device: device,
                    settings: settings,
                    options: options
                )
            } catch {
                refusals.append(error.message)
                continue
            }
            for device in found.flatMap(\.devices) {
                guard let other = files.updateValue(name, forKey: device), other != name else {
                    continue
                }
                throw .usage(
                    "\(folder): \(other) and \(name) both have a device \"\(device)\"; "
                        + "rename one of them or name the files one by one"
                )
            }
            sources += found
        }
        guard !sources.isEmpty else {
            let reason = refusals.first.map { "; \($0)" } ?? "; it has no files"
            throw .unusable("\(folder): a folder with at least one track was expected\(reason)")
        }
        for refusal in refusals.prefix(Self.mostWarnings) { opener.warn("left out: \(refusal)") }
        if refusals.count > Self.mostWarnings {
            opener.warn("left out: \(refusals.count - Self.mostWarnings) more files of \(folder)")
        }
        return sources
    }

    /// The name of a file in a folder after the one given; those that are cut off may be the same
    /// then, and are numbered.
    private static func device(
        _ given: String,
        file: String,
        shortened: inout Set<String>
    ) -> String {
        let own = DeviceName.ofFile(file)
        let name = DeviceName.joined(given, own)
        let isWhole = name.count == given.count + 1 + own.count
        return isWhole ? name : DeviceName.free(name, taken: &shortened)
    }

    private func sources(
        _ path: String,
        device: String?,
        settings: ReplaySettings,
        options: TrackOptions
    ) throws(SourceError) -> [any FixSource] {
        let contents: TrackFile.Contents
        do {
            contents = try TrackFile.scan(path, options: options)
        } catch {
            throw .unusable(error.description)
        }
        if let summary = contents.report.warning { opener.warn(summary) }
        let ids = contents.ids
        let file = TrackFile(
            path: path,
            names: TrackFile.names(ids, device: device, path: path),
            report: contents.report,
            settings: settings,
            options: options,
            parts: contents.parts
        )
        if options.split == .track, ids.count > 1 {
            return file.names.map { name in
                source(file, names: [name], opening: file.opening(only: name.id))
            }
        }
        let needsReaders = ids.count > 1 && (settings.interval != nil || !contents.isInOrder)
        guard needsReaders else {
            return [source(file, names: file.names, opening: file.opening())]
        }
        guard ids.count <= Self.maximumReaders else {
            let reason =
                contents.isInOrder
                ? "to re-sample, expected at most \(Self.maximumReaders); leave interval= out"
                : "that are not in the order of time together, expected at most"
                    + " \(Self.maximumReaders) of those; sort the file by time"
            throw .unusable("\(path): has \(ids.count) devices \(reason)")
        }
        return [source(file, names: file.names, opening: file.merging(ids))]
    }

    private func source(
        _ file: TrackFile,
        names: [(id: String?, device: String)],
        opening: @escaping TrackOpening
    ) -> ReplaySource {
        ReplaySource(
            path: file.path,
            names: names,
            report: file.report,
            notice: file.notice,
            settings: file.settings,
            scheduler: opener.runScheduler(names.first?.device ?? "track"),
            clock: opener.clock,
            opening: opening
        )
    }
}
