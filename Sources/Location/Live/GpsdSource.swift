import Reactive

/// A gpsd daemon: connected, and so its receiver powered, only while a run goes on.
final class GpsdSource: FixSource {
    let kind = SourceKind.live
    let isLooping = true
    var devices: [String] { settings.devices }

    private let host: String
    private let port: UInt16
    /// The receiver to watch, by gpsd's name for it; nil: all of them.
    private let receiver: String?
    private let settings: LiveSettings
    private let progress: LiveProgress

    /// A source over the daemon at an address; each run connects to it.
    init(host: String, port: UInt16, receiver: String?, settings: LiveSettings) {
        self.host = host
        self.port = port
        self.receiver = receiver
        self.settings = settings
        progress = LiveProgress(devices: settings.devices)
    }

    var fixes: SignalProducer<SourceEvent, SourceFailure> {
        LiveRun.producer(label: "fixcast.gpsd.\(devices.first ?? "")") {
            [self] (run) throws(SourceFailure) in
            try watch(run)
        }
    }

    func report(for device: String) -> TrackReport? { nil }

    private var address: String {
        host.contains(":") ? "gpsd at [\(host)]:\(port)" : "gpsd at \(host):\(port)"
    }

    private var request: String {
        let device = receiver.map { ",\"device\":\"\($0)\"" } ?? ""
        return "?WATCH={\"enable\":true,\"json\":true\(device)};\n"
    }

    private func watch(_ run: LiveRun) throws(SourceFailure) {
        let connection: TCPConnection
        do throws(TCPConnection.Failure) {
            connection = try TCPConnection.open(
                host: host,
                port: port,
                wakeUp: run.wakeUp,
                timeout: .seconds(10)
            )
        } catch {
            switch error {
            case .woken: return
            case .because(let reason):
                throw SourceFailure(message: "\(address): cannot be reached: \(reason)")
            }
        }
        guard connection.send(request) else {
            throw SourceFailure(message: "\(address): does not take a request")
        }
        var decoder = LiveDecoder(settings, progress: progress)
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while try run.wait(for: connection.number) != .disposed {
            let received: Int?
            do {
                received = try connection.read(into: &buffer)
            } catch {
                throw SourceFailure(message: "\(address): \(error.reason)")
            }
            guard let received else { continue }
            guard received > 0 else {
                throw SourceFailure(message: "\(address): has closed the connection")
            }
            do {
                for event in try decoder.feed(buffer[..<received]) { run.send(event) }
            } catch {
                throw SourceFailure(message: "\(address): \(error.message)")
            }
        }
    }
}
