// swift-tools-version: 6.2
import PackageDescription

let strictSwift: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

let strictC: [CSetting] = [
    .enableWarning("all"),
    .enableWarning("extra"),
    .enableWarning("conversion"),
    .treatAllWarnings(as: .error),
]

let strictCXX: [CXXSetting] = [
    .enableWarning("all"),
    .enableWarning("extra"),
    .enableWarning("conversion"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "fixcast",
    products: [
        .executable(name: "fixcast", targets: ["fixcast"]),
        .library(name: "Reactive", targets: ["Reactive"]),
    ],
    targets: [
        .systemLibrary(
            name: "CMicroHTTPD",
            pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"])]
        ),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "CHTTPShim", dependencies: ["CMicroHTTPD"], cSettings: strictC),
        .target(
            name: "CGeodesic",
            cxxSettings: strictCXX,
            linkerSettings: [
                .linkedLibrary("GeographicLib"),
                .linkedLibrary("m"),
                .linkedLibrary("stdc++"),
            ]
        ),
        .target(name: "Reactive", swiftSettings: strictSwift),
        .target(
            name: "Location",
            dependencies: ["Reactive", "CExpat", "CZlib", "CGeodesic"],
            swiftSettings: strictSwift
        ),
        .target(
            name: "HTTPServer",
            dependencies: ["CHTTPShim", "Reactive"],
            swiftSettings: strictSwift
        ),
        .target(
            name: "FixcastService",
            dependencies: ["HTTPServer", "Location", "Reactive"],
            swiftSettings: strictSwift
        ),
        .executableTarget(
            name: "fixcast",
            dependencies: ["FixcastService", "Location"],
            swiftSettings: strictSwift
        ),
        .target(
            name: "TestSupport",
            dependencies: ["Reactive"],
            path: "Tests/TestSupport",
            swiftSettings: strictSwift
        ),
        .testTarget(
            name: "ReactiveTests",
            dependencies: ["Reactive", "TestSupport"],
            swiftSettings: strictSwift
        ),
        .testTarget(
            name: "LocationTests",
            dependencies: ["Location", "Reactive", "TestSupport"],
            exclude: ["Fixtures"],
            swiftSettings: strictSwift
        ),
        .testTarget(
            name: "HTTPServerTests",
            dependencies: ["HTTPServer", "Reactive", "TestSupport"],
            swiftSettings: strictSwift
        ),
        .testTarget(
            name: "FixcastServiceTests",
            dependencies: [
                "fixcast", "FixcastService", "HTTPServer", "Location", "Reactive", "TestSupport",
            ],
            swiftSettings: strictSwift
        ),
        .testTarget(name: "TidyTests", swiftSettings: strictSwift),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c11,
    cxxLanguageStandard: .cxx17
)
