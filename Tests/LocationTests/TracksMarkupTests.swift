import Testing

@testable import Location

@Suite struct TracksMarkupTests {
    @Test func `a document type is placed at its beginning`() throws {
        for declaration in [
            "<!DOCTYPE gpx SYSTEM \"gpx.dtd\">", "<!DOCTYPE gpx>",
            "<!DOCTYPE\ngpx [<!ENTITY a \"b\">]>",
        ] {
            let file = try TracksFile(gpx("", before: "\n<!-- x -->  \(declaration)"))
            for chunkLength in [1, 8, 4096] {
                let error = #expect(throws: TrackError.self) {
                    try file.decode(chunkLength: chunkLength)
                }
                #expect(error?.message.contains("DOCTYPE") == true)
                #expect(error?.line == 2)
                #expect(error?.column == 13)
            }
        }
    }

    @Test(arguments: ["Tom & Jerry", "x?a=b&c=d", "a &nbsp; b", "A&", "&&", "\"a\" &\n b"])
    func `an ampersand that stands for itself is named with its place`(_ name: String) throws {
        let column = "<trk><name>".utf8.count + name.prefix { $0 != "&" }.utf8.count + 1
        let text = "<gpx>\n<trk><name>\(name)</name><trkseg>\(point(0))</trkseg></trk></gpx>"
        for chunkLength in [1, 4096] {
            let report = try TracksFile(text).decode(chunkLength: chunkLength).report
            let last = try #require(report.diagnostics.last)
            #expect(last.message.contains("\"&\" is written \"&amp;\""), "\(last.message)")
            #expect(last.line == 2)
            #expect(last.column == column)
        }
    }
}
