internal import HTTPServer
internal import Location
internal import Reactive

/// `GET /v1/devices` and `GET /v1/devices/{device}`: what there is to follow, and how its source
/// is.
struct DevicesRoute: Sendable {
    let hub: EventHub

    func answerAll(_ request: Request) -> Response {
        do throws(ParameterFault) {
            try QueryReader(request).finish()
        } catch {
            return error.problem.response()
        }
        var writer = JSONWriter(capacity: 512 * hub.catalogue.names.count)
        writer.raw(#"{"devices":["#)
        for device in hub.catalogue.names.indices {
            if device > 0 { writer.raw(UInt8(ascii: ",")) }
            describe(device, into: &writer)
            writer.raw("}")
        }
        writer.raw("]}\n")
        return .json(writer.take())
    }

    func answer(_ request: Request, device name: String) -> Response {
        do throws(ParameterFault) {
            try QueryReader(request).finish()
        } catch {
            return error.problem.response()
        }
        guard let device = hub.catalogue.index(of: name) else {
            return Problem(
                status: 404,
                detail: "there is no device '\(name)'; GET /v1/devices lists them"
            ).response()
        }
        var writer = JSONWriter(capacity: 1024)
        describe(device, into: &writer)
        writer.raw(#","report":"#)
        if let report = hub.channel(of: device).source.report(for: name) {
            writer.raw(report.json)
        } else {
            writer.null()
        }
        writer.raw("}\n")
        return .json(writer.take())
    }

    /// Writes the members of one device's object, without its closing brace.
    private func describe(_ device: Int, into writer: inout JSONWriter) {
        let channel = hub.channel(of: device)
        let snapshot = channel.signal.snapshot
        writer.raw(#"{"device":"#)
        writer.string(hub.catalogue.names[device])
        writer.raw(#","kind":"#)
        writer.string(channel.source.kind.rawValue)
        writer.raw(#","state":"#)
        writer.string(snapshot.state.rawValue)
        writer.raw(#","subscribers":"#)
        writer.integer(Int64(hub.subscriberCount(of: device)))
        writer.raw(#","runs":"#)
        writer.integer(Int64(snapshot.runs))
        writer.raw(#","fixes":"#)
        writer.integer(Int64(hub.log.count(of: device)))
        writer.raw(#","latest":"#)
        if let event = hub.log.latest(of: device) {
            writer.raw(event.object)
        } else {
            writer.null()
        }
        writer.raw(#","error":"#)
        if let failure = snapshot.failure {
            writer.string(failure)
        } else {
            writer.null()
        }
    }
}

extension Response {
    /// A JSON answer that no cache keeps.
    static func json(_ bytes: [UInt8], status: Int = 200) -> Response {
        Response(
            status: status,
            headers: [
                (name: "Content-Type", value: MediaType.json),
                (name: "Cache-Control", value: "no-store"),
            ],
            body: .bytes(SharedBytes(bytes))
        )
    }
}
