/// A track file as an argument names it, `[DEVICE=]FILE[?PARAMETER=VALUE&...]`, to be read once
/// from its start to its end rather than played.
public struct NamedTrack: Sendable {
    /// The file, or `-` for standard input.
    public let path: String
    /// How it is to be read.
    public let options: TrackOptions
    /// The step of the track's time at which it is re-sampled; nil: the fixes as recorded.
    public let interval: Duration?
    private let device: String?
    /// The name of a device that the file does not name.
    private let ownName: String

    /// Reads an argument.
    ///
    /// The parameters are those of a track that is served. The ones that concern its playing
    /// (`rate`, `loop`, `resume`) are checked and have no effect.
    ///
    /// - Throws: When it is no file that can be read, or a parameter is wrong.
    public init(parsing text: String) throws(SourceError) {
        let specification = try SourceSpecification(parsing: text)
        let parameters = try SourceParameters(
            specification,
            known: ReplaySettings.parameters + TrackOptions.parameters
        )
        let settings = try ReplaySettings(parameters)
        var options = try TrackOptions(parameters)
        options.maxGap = settings.maxGap
        self.options = options
        self.interval = settings.interval
        self.device = specification.device
        switch specification.locator {
        case .standardInput:
            path = "-"
            ownName = specification.device ?? "stdin"
        case .path(let path):
            try PathCheck.requireFile(path)
            self.path = path
            ownName = specification.device ?? DeviceName.ofFile(path)
        case .simulator, .follow, .gpsd:
            throw .usage("\(text): expected a track file, or - for standard input")
        }
    }

    /// The name of the device that the file calls `id`, or nil where it names none.
    ///
    /// A file of one device keeps that device's own name here: whether there are more is only known
    /// at its end.
    public func deviceName(for id: String?) -> String {
        guard let id else { return ownName }
        return device.map { DeviceName.joined($0, id) } ?? DeviceName.cleaned(id)
    }
}
