import Testing

@testable import Location

@Suite struct SourceDurationTests {
    @Test(arguments: [
        ("0s", Duration.zero), ("1ms", .milliseconds(1)), ("1.5s", .milliseconds(1_500)),
        ("2m", .seconds(120)), ("0.25h", .seconds(900)), ("010s", .seconds(10)),
        ("0.0001ms", .nanoseconds(100)), ("1.9999999999s", .nanoseconds(1_999_999_999)),
    ])
    func `a duration is a decimal number and a unit`(text: String, duration: Duration) {
        #expect(Duration(parsing: text) == duration)
    }

    @Test(arguments: [
        "", "1", "s", "-1s", "+1s", "1.s", ".5s", "1 s", "1S", "1d", "1us", "1s ", "1,5s",
        "1e3s", "nans", "99999999999999999999s", "999999999999999h", "1.5", "١s",
    ])
    func `anything else is none`(text: String) {
        #expect(Duration(parsing: text) == nil)
    }

    @Test func `whole milliseconds are rounded down, below zero too`() {
        #expect(Duration.microseconds(1_999).wholeMilliseconds == 1)
        #expect(Duration.microseconds(-1).wholeMilliseconds == -1)
        #expect(Duration.milliseconds(-2).wholeMilliseconds == -2)
    }
}
