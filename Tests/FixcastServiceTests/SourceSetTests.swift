import Testing

@testable import FixcastService

@Suite struct SourceSetTests {
    @Test func `standard input that is named twice is a usage error that names both`() {
        let failure = #expect(throws: StartFailure.self) {
            try SourceSet(opening: ["sim:", "-", "gps=-?date=2026-01-01"])
        }
        #expect(failure?.isUsage == true)
        #expect(failure?.message.hasPrefix("'-' and 'gps=-?date=2026-01-01' are both") == true)
    }
}
