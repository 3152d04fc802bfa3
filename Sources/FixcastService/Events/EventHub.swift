internal import Location
internal import Reactive
private import Synchronization

/// All sources of the service with what they share: the one order, the log of events and the
/// devices.
final class EventHub: Sendable {
    let catalogue: DeviceCatalogue
    let channels: [SourceChannel]
    let log: EventLog
    let step: OrderedStep
    let scheduler: any Scheduler
    let maximumFixAge: Duration
    /// For each device, how many streams and waits have selected it.
    private let subscribers: Mutex<[Int]>
    private let ending = Signal<Void, Never>.pipe()
    /// The channel of each device.
    private let channelOfDevice: [Int]

    init(
        sources: [any FixSource],
        epoch: String,
        configuration: Configuration,
        scheduler: any Scheduler
    ) {
        let names = sources.flatMap(\.devices)
        let log = EventLog(epoch: epoch, devices: names.count, capacity: configuration.history)
        let step = OrderedStep(relief: scheduler)
        var channels: [SourceChannel] = []
        var first = 0
        for source in sources {
            let devices = first..<first + source.devices.count
            first = devices.upperBound
            channels.append(
                SourceChannel(
                    source: source,
                    devices: devices,
                    log: log,
                    step: step,
                    configuration: configuration,
                    scheduler: scheduler
                )
            )
        }
        self.catalogue = DeviceCatalogue(names)
        self.channels = channels
        self.channelOfDevice = channels.indices.flatMap { index in
            Array(repeating: index, count: channels[index].devices.count)
        }
        self.log = log
        self.step = step
        self.scheduler = scheduler
        self.maximumFixAge = configuration.maximumFixAge
        self.subscribers = Mutex(Array(repeating: 0, count: names.count))
    }

    /// The channel that a device's fixes come through.
    func channel(of device: Int) -> SourceChannel {
        channels[channelOfDevice[device]]
    }

    /// The channels of some devices, in the order of the service's sources.
    func channels(of devices: Set<Int>) -> [SourceChannel] {
        channels.filter { channel in channel.devices.contains(where: devices.contains) }
    }

    /// Counts one subscriber of each of some devices until the result is disposed.
    func countSubscriber(of devices: Set<Int>) -> any Disposable {
        subscribers.withLock { counts in
            for device in devices { counts[device] += 1 }
        }
        return ActionDisposable { [self] in
            subscribers.withLock { counts in
                for device in devices { counts[device] -= 1 }
            }
        }
    }

    /// How many streams and waits have selected a device.
    func subscriberCount(of device: Int) -> Int {
        subscribers.withLock { $0[device] }
    }

    /// Calls `action` when the service begins to end.
    func observeEnding(_ action: @escaping @Sendable () -> Void) -> (any Disposable)? {
        ending.output.observe { event in
            if event.isTerminating { action() }
        }
    }

    /// Tells those who wait that the service begins to end.
    func beginEnding() {
        ending.input.sendCompleted()
    }

    /// The newest event of a device, unless it is older than `--max-fix-age`.
    func currentEvent(of device: Int) -> StreamEvent? {
        log.latest(of: device).flatMap { isCurrent($0) ? $0 : nil }
    }

    /// Whether an event's fix is young enough for a newcomer.
    func isCurrent(_ event: StreamEvent) -> Bool {
        scheduler.now - event.received <= maximumFixAge
    }
}
