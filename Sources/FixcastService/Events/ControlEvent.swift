internal import HTTPServer
internal import Location

/// The events of a stream that are not fixes: named, with JSON, and without an id, so that they
/// never move a client's `Last-Event-ID`.
enum ControlEvent {
    /// What a client asked to continue from cannot be continued; what follows is a fresh start.
    static func reset(reason: String, requested: String) -> SharedBytes {
        event("reset") { writer in
            writer.raw(#"{"reason":"#)
            writer.string(reason)
            writer.raw(#","requested":"#)
            writer.string(requested)
            writer.raw("}")
        }
    }

    /// So many fixes were left out because the client was too slow.
    static func gap(skipped: Int) -> SharedBytes {
        event("gap") { writer in
            writer.raw(#"{"skipped":"#)
            writer.integer(Int64(skipped))
            writer.raw("}")
        }
    }

    /// A device's source has changed in a way that explains silence.
    static func status(device: String, state: String, message: String?) -> SharedBytes {
        event("status") { writer in
            writer.raw(#"{"device":"#)
            writer.string(device)
            writer.raw(#","state":"#)
            writer.string(state)
            writer.raw(#","message":"#)
            if let message { writer.string(message) } else { writer.null() }
            writer.raw("}")
        }
    }

    /// A track that does not loop is over.
    static func end(device: String) -> SharedBytes {
        event("end") { writer in
            writer.raw(#"{"device":"#)
            writer.string(device)
            writer.raw("}")
        }
    }

    /// The service ends the stream, and why; the client is welcome again.
    static func bye(reason: String) -> SharedBytes {
        event("bye") { writer in
            writer.raw(#"{"reason":"#)
            writer.string(reason)
            writer.raw("}")
        }
    }

    /// The reconnection time, with ±20 % of jitter so that clients do not all return at once, and a
    /// comment, so that something arrives even when no fix does.
    static func opening(
        retry: Duration,
        using generator: inout some RandomNumberGenerator
    ) -> SharedBytes {
        let (seconds, attoseconds) = retry.components
        let milliseconds = Double(seconds) * 1000 + Double(attoseconds) / 1e15
        let jittered = milliseconds * Double.random(in: 0.8...1.2, using: &generator)
        return SharedBytes("retry: \(Int64(jittered.rounded()))\n: fixcast\n\n")
    }

    /// Sent after a time without traffic.
    static let heartbeat = SharedBytes(":\n\n")
    /// The same for a stream of lines, where an empty line is the only thing that means nothing.
    static let lineHeartbeat = SharedBytes("\n")

    private static func event(
        _ name: String,
        _ write: (inout JSONWriter) -> Void
    ) -> SharedBytes {
        var writer = JSONWriter(capacity: 160)
        writer.raw("event: \(name)\ndata: ")
        write(&writer)
        writer.raw("\n\n")
        return SharedBytes(writer.take())
    }
}
