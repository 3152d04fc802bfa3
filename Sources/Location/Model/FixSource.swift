public import Reactive

/// What drives a source, as the service shows it.
public enum SourceKind: String, Sendable {
    /// Positions are made up by a model of motion.
    case simulator
    /// Positions come from a recorded track.
    case replay
    /// Positions come from a receiver, or from a program that has one, as they are found.
    case live
}

/// What a running source says.
public enum SourceEvent: Sendable, Equatable {
    /// A position of one of the source's devices.
    case fix(Fix)
    /// The newest position of a device from before the run began, and how old it was when this was
    /// said; a run begins with it. Where an earlier run has said it, it is that fix again, though
    /// as a discontinuity.
    case lastKnown(Fix, age: Duration)
    /// News that are no position, of one device or (nil) of the whole source: `nofix` when a
    /// receiver works but has no position.
    case status(device: String?, state: String, message: String?)
}

/// Why a run of a source ended before its time, in one sentence.
///
/// The source may be started again; whether and when is for its user to decide.
public struct SourceFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The sentence, naming the file or peer.
    public var message: String

    /// A failure told in one sentence.
    public init(message: String) {
        self.message = message
    }

    /// The message.
    public var description: String { message }
}

/// Somewhere fixes come from, for one or several devices.
public protocol FixSource: Sendable {
    /// What drives it.
    var kind: SourceKind { get }
    /// The names of its devices, fixed at construction.
    var devices: [String] { get }
    /// Whether a run goes on until it is disposed; false when a run completes by itself.
    var isLooping: Bool { get }
    /// Every start is one run; disposing it stops its timers and closes its files.
    ///
    /// Events come one after another, from a thread of the source's choosing; the start itself
    /// sends nothing and reads nothing.
    var fixes: SignalProducer<SourceEvent, SourceFailure> { get }
    /// What was found when a replay's file was scanned; nil for any other source.
    func report(for device: String) -> TrackReport?
}
