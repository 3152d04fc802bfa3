import Testing

@Test func `the suite builds`() {
    #expect(Bool(true))
}
