import Testing

@testable import Location

@Suite struct GeodesyTests {
    private typealias Position = Geodesy.Position

    /// New York to London, as `GeodSolve -i` prints it.
    @Test func `a long geodesic agrees with GeodSolve`() {
        let path = Geodesy.inverse(
            from: Position(latitude: 40.6, longitude: -73.8),
            to: Position(latitude: 51.6, longitude: -0.5)
        )
        #expect(abs(path.distance - 5_551_759.400) < 0.001)
        #expect(abs(path.initialCourse - 51.198_882_85) < 1e-6)
        #expect(abs(path.finalCourse - 107.821_776_74) < 1e-6)
    }

    @Test func `going the way that was measured ends where it was measured to`() {
        let pairs = [
            (Position(latitude: 0, longitude: 179.9), Position(latitude: 0.1, longitude: -179.9)),
            (Position(latitude: 89.9, longitude: 0), Position(latitude: 89.9, longitude: 179)),
            (Position(latitude: -90, longitude: 0), Position(latitude: -80, longitude: 33)),
            (Position(latitude: 0.2, longitude: 0), Position(latitude: -0.1, longitude: 179.8)),
        ]
        for (start, end) in pairs {
            let path = Geodesy.inverse(from: start, to: end)
            let reached = Geodesy.direct(
                from: start,
                course: path.initialCourse,
                distance: path.distance
            )
            #expect(Geodesy.inverse(from: reached.position, to: end).distance < 1e-6)
            #expect(-180..<180 ~= reached.position.longitude)
        }
    }

    @Test func `coincident points are no distance apart`() {
        let place = Position(latitude: 46.5, longitude: 7.5)
        let path = Geodesy.inverse(from: place, to: place)
        #expect(path.distance == 0)
        #expect(path.initialCourse.isFinite && path.finalCourse.isFinite)
    }

    @Test(arguments: [
        (180.0, -180.0), (-180, -180), (540, -180), (181, -179), (-181, 179), (0, 0), (359, -1),
    ])
    func `a longitude is brought into its range`(given: Double, expected: Double) {
        #expect(Geodesy.longitude(given) == expected)
    }

    @Test(arguments: [(360.0, 0.0), (-90, 270), (720.5, 0.5), (-1e-20, 0)])
    func `an angle is brought into one turn`(given: Double, expected: Double) {
        #expect(Geodesy.turn(given) == expected)
    }
}
