/// Picks the positions of one device, which then is the only one and numbered so.
struct DeviceFilter {
    /// The devices after the filter.
    let devices: [TrackSink.Device]
    private let id: String?
    private var newest: UInt32?
    private var isWanted = false

    /// Picks the positions of the device that is called `id`; nil: those without a device.
    init(_ id: String?) {
        self.id = id
        devices = [TrackSink.Device(name: id)]
    }

    /// The position where it is of the device, one of the sink's.
    mutating func pick(_ point: TrackPoint, _ devices: [TrackSink.Device]) -> TrackPoint? {
        if point.device != newest {
            newest = point.device
            isWanted = devices[Int(point.device)].name == id
        }
        guard isWanted else { return nil }
        var point = point
        point.device = 0
        return point
    }
}

extension TrackSink {
    /// Takes away the points with the devices that they are of, all of them or those that a filter
    /// picks.
    func takePoints(_ filter: inout DeviceFilter?, _ take: (TrackPoint, [Device]) -> Void) {
        if let picked = filter?.devices {
            for point in points.compactMap({ filter?.pick($0, devices) }) { take(point, picked) }
        } else {
            for point in points { take(point, devices) }
        }
        points.removeAll(keepingCapacity: true)
    }
}
