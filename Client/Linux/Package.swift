// swift-tools-version: 6.0
import PackageDescription

// For tests on Linux alone, and no part of what apps fetch: the SDK's sources by symbolic links, beside targets that stand in for
// Apple's Combine, SwiftUI, StoreKit and Security, so that the adapter and the views compile and the adapter is played.
let package = Package(
    name: "TenureClientOnLinux",
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.1")
    ],
    targets: [
        .target(name: "Combine"),
        .target(name: "SwiftUI", dependencies: ["Combine"]),
        .target(name: "StoreKit", dependencies: ["SwiftUI"]),
        .target(name: "Security"),
        .target(
            name: "TenureClient", dependencies: ["Security", .product(name: "Crypto", package: "swift-crypto")],
            resources: [.copy("PrivacyInfo.xcprivacy")]),
        // Here the sheets of iOS are compiled, too.
        .target(
            name: "TenureStoreKit", dependencies: ["TenureClient", "StoreKit", "SwiftUI", "Combine"],
            swiftSettings: [.define("STAND_IN")]),
        .executableTarget(name: "Example", dependencies: ["TenureClient", "TenureStoreKit", "StoreKit", "SwiftUI", "Combine"]),
        // Also a target of the server's package: its demo's devices are devices of this store.
        .target(name: "TenureLocalStore", dependencies: ["TenureClient"]),
        .executableTarget(name: "tenure-device", dependencies: ["TenureClient", "TenureLocalStore"]),
        .executableTarget(name: "tenure-device-bench", dependencies: ["TenureClient", "TenureStoreKit"]),
        .testTarget(name: "TenureClientTests", dependencies: ["TenureClient"]),
        .testTarget(name: "TenureStoreKitTests", dependencies: ["TenureClient", "TenureStoreKit", "StoreKit", "Security"]),
    ],
    swiftLanguageModes: [.v6, .v5]
)
