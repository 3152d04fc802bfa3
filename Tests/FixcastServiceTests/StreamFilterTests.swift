import HTTPServer
import Location
import Testing

@testable import FixcastService

@Suite struct StreamFilterTests {
    private let catalogue = DeviceCatalogue(["a", "b"])

    private func filter(_ query: String) throws -> StreamFilter {
        let request = Request.get("/v1/locations?" + query)
        return StreamFilter(try StreamQuery(request, asLines: false, catalogue: catalogue))
    }

    private func event(
        _ sequence: UInt64,
        device: Int = 0,
        latitude: Double = 0,
        longitude: Double = 0,
        isDiscontinuous: Bool = false
    ) -> StreamEvent {
        var fix = FixEncodingTests.fix(latitude: latitude, longitude: longitude)
        fix.discontinuity = isDiscontinuous
        return StreamEvent(
            id: EventID(epoch: "e", sequence: sequence),
            device: device,
            fix: fix,
            received: .zero
        )
    }

    private func ids(_ output: StreamFilter.Output) -> [UInt64] {
        output.items.map(\.event.id.sequence)
    }

    @Test func `the first fix leaves at once and then the newest at the end of each interval`()
        throws
    {
        var filter = try filter("minInterval=10s")
        let first = filter.receive(event(1), now: .zero)
        #expect(ids(first) == [1])
        #expect(first.window == .seconds(10))
        #expect(ids(filter.receive(event(2), now: .seconds(3))) == [])
        #expect(ids(filter.receive(event(3), now: .seconds(9))) == [])
        let second = filter.closeWindow(at: .seconds(10))
        #expect(ids(second) == [3])
        #expect(second.window == .seconds(20))
        #expect(filter.closeWindow(at: .seconds(20)).window == nil)
        #expect(ids(filter.receive(event(4), now: .seconds(25))) == [4])
    }

    @Test func `the last fix that is held back is never lost`() throws {
        var filter = try filter("minInterval=10s")
        _ = filter.receive(event(1), now: .zero)
        _ = filter.receive(event(2), now: .seconds(1))
        #expect(ids(filter.flush()) == [2])
    }

    @Test func `ids grow although several devices are held back`() throws {
        var filter = try filter("minInterval=10s")
        _ = filter.receive(event(1, device: 0), now: .zero)
        _ = filter.receive(event(2, device: 0), now: .seconds(1))
        #expect(ids(filter.receive(event(3, device: 1), now: .seconds(2))) == [2, 3])
        _ = filter.receive(event(4, device: 1), now: .seconds(3))
        _ = filter.receive(event(5, device: 0), now: .seconds(4))
        #expect(ids(filter.closeWindow(at: .seconds(12))) == [4, 5])
    }

    @Test func `the first fix of another device begins a whole interval for both`() throws {
        var filter = try filter("minInterval=10s")
        _ = filter.receive(event(1, device: 0), now: .zero)
        #expect(filter.receive(event(2, device: 1), now: .seconds(4)).window == .seconds(14))
        _ = filter.receive(event(3, device: 0), now: .seconds(5))
        _ = filter.receive(event(4, device: 1), now: .seconds(6))
        #expect(ids(filter.closeWindow(at: .seconds(10))) == [])
        #expect(ids(filter.closeWindow(at: .seconds(14))) == [3, 4])
    }

    @Test func `distance is measured from the last fix that was sent`() throws {
        var filter = try filter("minDistance=100")
        #expect(ids(filter.receive(event(1), now: .zero)) == [1])
        #expect(ids(filter.receive(event(2, latitude: 0.0006), now: .zero)) == [])
        #expect(ids(filter.receive(event(3, latitude: 0.0012), now: .zero)) == [3])
        #expect(ids(filter.receive(event(4, latitude: 0.0006), now: .zero)) == [])
    }

    @Test func `a box whose west is above its east crosses the antimeridian`() throws {
        var filter = try filter("bbox=170,-10,-170,10")
        #expect(ids(filter.receive(event(1, longitude: 175), now: .zero)) == [1])
        #expect(ids(filter.receive(event(2, longitude: -175), now: .zero)) == [2])
        #expect(ids(filter.receive(event(3, longitude: 0), now: .zero)) == [])
        #expect(ids(filter.receive(event(4, latitude: 11, longitude: 175), now: .zero)) == [])
    }

    @Test func `a limit lets exactly so many fixes through and then ends`() throws {
        var filter = try filter("limit=2")
        #expect(!filter.receive(event(1), now: .zero).isLast)
        let last = filter.receive(event(2), now: .zero)
        #expect(last.isLast)
        #expect(ids(last) == [2])
    }

    @Test(arguments: ["minDistance=1000", "bbox=-1,-1,1,1"])
    func `a fix says that it is discontinuous for one that was left out before it`(
        query: String
    ) throws {
        var filter = try filter(query)
        var sent: [Bool] = []
        func receive(
            _ sequence: UInt64,
            device: Int = 0,
            _ latitude: Double,
            isDiscontinuous: Bool = false
        ) {
            let event = event(
                sequence,
                device: device,
                latitude: latitude,
                isDiscontinuous: isDiscontinuous
            )
            sent += filter.receive(event, now: .zero).items.map(\.isDiscontinuous)
        }
        receive(1, 0.999)
        // Too near to the first one, and outside of the box.
        receive(2, 1.001, isDiscontinuous: true)
        receive(3, 1.001)
        receive(4, device: 1, 0.5)
        receive(5, 0.5)
        receive(6, 0.2)
        #expect(sent == [false, false, true, false])
    }

    @Test func `a fix that is held back says that one before it was discontinuous`() throws {
        var filter = try filter("minInterval=10s")
        #expect(filter.receive(event(1), now: .zero).items.map(\.isDiscontinuous) == [false])
        _ = filter.receive(event(2, isDiscontinuous: true), now: .seconds(1))
        _ = filter.receive(event(3), now: .seconds(2))
        let held = filter.closeWindow(at: .seconds(10))
        #expect(ids(held) == [3] && held.items.map(\.isDiscontinuous) == [true])
        _ = filter.receive(event(4), now: .seconds(12))
        #expect(filter.closeWindow(at: .seconds(20)).items.map(\.isDiscontinuous) == [false])
    }

    @Test func `a fix that is held back says nothing of one that was left out after it`() throws {
        var filter = try filter("minInterval=10s&bbox=-1,-1,1,1")
        _ = filter.receive(event(1), now: .zero)
        _ = filter.receive(event(2), now: .seconds(1))
        _ = filter.receive(event(3, latitude: 5, isDiscontinuous: true), now: .seconds(2))
        #expect(filter.closeWindow(at: .seconds(10)).items.map(\.isDiscontinuous) == [false])
        _ = filter.receive(event(4), now: .seconds(12))
        #expect(filter.closeWindow(at: .seconds(20)).items.map(\.isDiscontinuous) == [true])
    }
}
