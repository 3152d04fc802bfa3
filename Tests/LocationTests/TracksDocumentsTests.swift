import Testing

@testable import Location

@Suite struct TracksDocumentsTests {
    @Test(arguments: [
        ("{\n\"locations\": [\n{\"latitudeE7\": 460000000}]}", "Google Timeline"),
        ("{\"locations\":[{\"timestamp\":\"\",\"latitudeE7\":4}]}", "Google Timeline"),
        ("{\"semanticSegments\":[]}", "Google Timeline"),
        ("{\n \"rawSignals\":[]\n}", "Google Timeline"),
        ("{\"timelineObjects\":[]}", "Google Timeline"),
        ("[\n{\"endTime\":\"\",\"timelinePath\":[]}]", "Google Timeline"),
        ("{\n\"locations\": [\n{\"type\": \"Feature\"}]}", "neither GeoJSON nor"),
        ("[{\"type\":\"Feature\",\"geometry\":null}]", "neither GeoJSON nor"),
        ("{\n\"lat\":46,\n\"lon\":7}\n", "neither GeoJSON nor"),
        ("[]", "neither GeoJSON nor"),
        ("var track = {\"type\":\"FeatureCollection\"};", "JavaScript"),
        ("const x={\n\"a\":1}", "JavaScript"),
    ])
    func `a JSON document that is no track is called what it is`(
        _ text: String,
        _ name: String
    ) throws {
        let refusal = try #require(TracksFile(text).refusal())
        #expect(refusal.contains(name), "\(refusal)")
    }

    @Test(arguments: [
        "{\"lat\":46,\"lon\":7}\n{\"lat\":46.1,\"lon\":7}\n",
        "[08:00:00] {\"lat\":46,\"lon\":7}\n[08:00:01] {\"lat\":46.1,\"lon\":7}\n",
        "{\"lat\":4\n{\"lat\":46,\"lon\":7}\n{\"lat\":46.1,\"lon\":7}\n",
        "const {\"lat\":46,\"lon\":7}\n{\"lat\":46.1,\"lon\":7}\n",
    ])
    func `lines of objects are no document`(_ text: String) throws {
        #expect(try TracksFile(text).decode().fixes.count == 2)
    }
}
