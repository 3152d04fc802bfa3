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

let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "fixcast", path: "..")],
    targets: [
        .target(
            name: "CAllocations",
            cSettings: [
                .enableWarning("all"), .enableWarning("extra"), .enableWarning("conversion"),
                .treatAllWarnings(as: .error),
            ]
        ),
        .executableTarget(
            name: "reactive-benchmark",
            dependencies: ["CAllocations", .product(name: "Reactive", package: "fixcast")],
            swiftSettings: strictSwift
        ),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c11
)
