/// A track file that has been looked through, and how it is to be played.
struct TrackFile: Sendable {
    var path: String
    /// The device for each id in the file; nil: fixes without one.
    var names: [(id: String?, device: String)]
    var report: TrackReport
    var settings: ReplaySettings
    var options: TrackOptions
    /// Where the positions of each device are; nil where the file must be read for it as a whole.
    var parts: TrackParts?

    /// What those who watch are told when a run begins: how what has no times is moved.
    var notice: String? {
        guard report.untimed > 0 else { return nil }
        let positions =
            report.untimed == report.fixes
            ? "the positions have no times" : "\(report.untimed) positions have no times"
        return "\(positions), they follow each other at \(options.speed) m/s"
    }

    /// How the file is opened when it is read in its own order.
    func opening() -> TrackOpening {
        { [path, options, interval = settings.interval] () throws(TrackError) in
            let track = FileTrack(try TrackReader(path: path, options: options))
            guard let interval else { return track }
            return ResampledTrack(track, interval: interval)
        }
    }

    /// How one device of the file is opened.
    func opening(only id: String?) -> TrackOpening {
        { [self] () throws(TrackError) in
            try track(of: id, in: parts?.open(path))
        }
    }

    /// How all its devices are opened, one reader for each, to be played in the order of time.
    func merging(_ ids: [String?]) -> TrackOpening {
        { [self] () throws(TrackError) in
            let file = try parts?.open(path)
            var tracks: [any TrackPoints] = []
            for id in ids { tracks.append(try track(of: id, in: file)) }
            return MergedTrack(tracks)
        }
    }

    /// The fixes of one device; `file` is open where its parts are known.
    private func track(of id: String?, in file: InputFile?) throws(TrackError) -> any TrackPoints {
        let track = try recordedTrack(of: id, in: file)
        guard let interval = settings.interval else { return track }
        return ResampledTrack(track, interval: interval)
    }

    private func recordedTrack(
        of id: String?,
        in file: InputFile?
    ) throws(TrackError) -> any TrackPoints {
        // What the window of sorting has lost depends on the positions of all devices in it.
        if options.order == .sort, report.outOfOrder > 0 {
            let reader = try TrackReader(path: path, options: options)
            return DeviceTrack(FileTrack(reader), device: id)
        }
        if let file, let parts {
            let part = TrackPart(file: file, name: path, parts: parts, device: id)
            return FileTrack(TrackReader(part, options: options))
        }
        let filter = DeviceFilter(id)
        return FileTrack(
            try TrackReader(
                .file(path),
                options: options,
                chunkLength: TrackParts.chunkLength,
                filter: filter
            )
        )
    }

    /// The device names for the ids of a file: one device, or none with an id, is called `device`
    /// or like the file; several are called by their ids, after `device-` where one was given.
    static func names(
        _ ids: [String?],
        device: String?,
        path: String
    ) -> [(id: String?, device: String)] {
        let single = device ?? DeviceName.ofFile(path)
        guard ids.count > 1 else { return [(ids.first ?? nil, single)] }
        var taken: Set<String> = []
        return ids.map { id in
            let plain =
                id.map { id in
                    device.map { DeviceName.joined($0, id) } ?? DeviceName.cleaned(id)
                } ?? single
            return (id, DeviceName.free(plain, taken: &taken))
        }
    }
}

extension TrackFile {
    /// What a look through a file has found.
    struct Contents: Sendable {
        var report: TrackReport
        /// The ids of the devices in the order of their first fix; nil: fixes without one.
        var ids: [String?]
        /// Whether the fixes of all devices together are in the order of time.
        var isInOrder: Bool
        /// Where the positions of each device are; nil where that is not known.
        var parts: TrackParts?
    }

    /// Reads a file to its end; an error when it has no fix.
    static func scan(_ path: String, options: TrackOptions) throws(TrackError) -> Contents {
        let reader = try TrackReader(
            .file(path),
            options: options,
            chunkLength: TrackParts.chunkLength,
            notesParts: true
        )
        var ids: [String?] = []
        var seen: Set<String?> = []
        var last: TrackFix?
        var isInOrder = true
        while let fix = try reader.next() {
            if let last, fix.trackTime < last.trackTime { isInOrder = false }
            if last?.device != fix.device || last == nil, seen.insert(fix.device).inserted {
                ids.append(fix.device)
            }
            last = fix
        }
        let report = reader.report
        guard report.fixes > 0 else { throw TrackError(emptiness: report) }
        return Contents(report: report, ids: ids, isInOrder: isInOrder, parts: reader.parts)
    }
}
