import HTTPServer
import Testing

@testable import FixcastService

@Suite struct StreamQueryTests {
    private let catalogue = DeviceCatalogue(["car", "boat", "bike"])

    private func query(
        _ text: String,
        headers: [(name: String, value: String)] = []
    ) throws -> StreamQuery {
        let request = Request.get("/v1/locations?" + text, headers: headers)
        return try StreamQuery(request, asLines: false, catalogue: catalogue)
    }

    private func fault(_ text: String) -> ParameterFault? {
        do {
            _ = try query(text)
            return nil
        } catch {
            return error as? ParameterFault
        }
    }

    @Test func `devices may be repeated or a comma list, and none selects all`() throws {
        #expect(try query("device=car&device=bike").devices == [0, 2])
        #expect(try query("device=car,boat").devices == [0, 1])
        #expect(try query("").devices == [0, 1, 2])
    }

    @Test func `an unknown device is 404 and names it`() {
        #expect(fault("device=plane")?.status == 404)
        #expect(fault("device=")?.status == 404)
        #expect(fault("device=plane")?.detail.contains("'plane'") == true)
    }

    @Test(arguments: [
        ("nonsense=1", "nonsense"), ("limit=0", "limit"), ("limit=-1", "limit"),
        ("limit=1.5", "limit"), ("limit=99999999999999999999", "limit"), ("limit=", "limit"),
        ("limit=1&limit=2", "limit"), ("minInterval=5", "minInterval"),
        ("minInterval=-1s", "minInterval"), ("minInterval=1d", "minInterval"),
        ("minDistance=nan", "minDistance"), ("minDistance=0x1p3", "minDistance"),
        ("minDistance=1e999", "minDistance"), ("minDistance=-1", "minDistance"),
        ("bbox=1,2,3", "bbox"), ("bbox=1,2,3,4,5", "bbox"), ("bbox=0,91,1,92", "bbox"),
        ("bbox=0,5,1,4", "bbox"), ("bbox=a,b,c,d", "bbox"), ("format=xml", "format"),
        ("Device=car", "Device"),
    ])
    func `a bad value or an unknown parameter is 400 and is named`(text: String, name: String) {
        #expect(fault(text)?.status == 400)
        #expect(fault(text)?.parameter == name)
    }

    @Test func `the Last-Event-ID header wins over the parameter and an empty one is absent`()
        throws
    {
        let header = [(name: "Last-Event-ID", value: "e-2")]
        #expect(try query("lastEventId=e-1", headers: header).lastEventID == "e-2")
        #expect(try query("lastEventId=e-1").lastEventID == "e-1")
        #expect(try query("lastEventId=").lastEventID == nil)
        let empty = [(name: "Last-Event-ID", value: "")]
        #expect(try query("lastEventId=e-1", headers: empty).lastEventID == "e-1")
    }

    @Test(
        arguments: [
            ([], "text/event-stream"), (["*/*"], "text/event-stream"),
            (["text/event-stream"], "text/event-stream"), (["text/*"], "text/event-stream"),
            (["application/x-ndjson"], "application/x-ndjson"),
            (["application/x-ndjson, text/event-stream;q=0.5"], "application/x-ndjson"),
            (["*/*;q=0.1, application/x-ndjson"], "application/x-ndjson"),
            (["application/json"], nil), (["text/event-stream;q=0"], nil),
            (["TEXT/Event-Stream"], "text/event-stream"), ([""], "text/event-stream"),
            (["text/event-stream;x=\"a, b\";q=0"], nil), (["garbage"], nil),
            (["text/event-stream/x"], nil), (["*/event-stream"], nil), (["text/"], nil),
            (["a", "text/event-stream ; q=0.5"], "text/event-stream"),
        ] as [([String], String?)]
    )
    func `the answer's form follows Accept`(values: [String], media: String?) {
        let offers = [MediaType.eventStream, MediaType.lines]
        #expect(AcceptHeader(values).preferred(among: offers) == media)
    }
}
