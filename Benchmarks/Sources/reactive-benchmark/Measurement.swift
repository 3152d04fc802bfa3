import CAllocations
import Glibc

/// What one operation costs.
struct Measurement {
    var nanoseconds: Double
    var allocations: Double

    /// Runs `body`, which performs `count` operations, `rounds` times, and takes the best round.
    ///
    /// Measured is the processor time of the thread, and the best round taken, because whatever
    /// else the machine does can only add to it. A first round warms up.
    static func of(count: Int, rounds: Int = 15, _ body: () -> Void) -> Measurement {
        body()
        var best = Measurement(nanoseconds: .infinity, allocations: .infinity)
        for _ in 0..<rounds {
            let allocations = callocations_count()
            let start = threadTime()
            body()
            let time = threadTime() - start
            let allocated = callocations_count() - allocations
            best.nanoseconds = min(best.nanoseconds, time / Double(count))
            best.allocations = min(best.allocations, Double(allocated) / Double(count))
        }
        return best
    }

    /// The processor time that the calling thread has used, in nanoseconds.
    static func threadTime() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}

/// One line of the table: an operation and what it may cost at most.
struct Bar {
    var name: String
    var limit: Double
    var maximumAllocations: Double
    var measurement: Measurement

    var isMet: Bool {
        measurement.nanoseconds <= limit && measurement.allocations <= maximumAllocations
    }

    /// The columns of ``row``.
    static var heading: String {
        "operation                                               ns       bar    allocs"
    }

    var row: String {
        func column(_ value: Double, _ width: Int) -> String {
            let tenths = Int((value * 10).rounded())
            let text = "\(tenths / 10).\(tenths % 10)"
            return String(repeating: " ", count: max(0, width - text.count)) + text
        }
        return name + String(repeating: " ", count: max(0, 44 - name.count))
            + column(measurement.nanoseconds, 10) + column(limit, 10)
            + column(measurement.allocations, 10)
            + (isMet ? "" : "   above the bar")
    }
}
