// swift-tools-version: 6.0
import PackageDescription

// For tests on Linux alone, and no part of what apps fetch: the SDK's sources by symbolic links, beside a target that stands in
// for Apple's StoreKit, so that the adapter compiles and is played.
let package = Package(
    name: "TenureClientOnLinux",
    dependencies: [.package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.1")],
    targets: [
        .target(name: "StoreKit"),
        .target(
            name: "TenureClient", dependencies: [.product(name: "Crypto", package: "swift-crypto")],
            resources: [.copy("PrivacyInfo.xcprivacy")]),
        .target(name: "TenureStoreKit", dependencies: ["TenureClient", "StoreKit"]),
        // Also a target of the server's package: its demo's devices are devices of this store.
        .target(name: "TenureLocalStore", dependencies: ["TenureClient"]),
        .executableTarget(name: "tenure-device", dependencies: ["TenureClient", "TenureLocalStore"]),
        .testTarget(name: "TenureClientTests", dependencies: ["TenureClient"]),
        .testTarget(name: "TenureStoreKitTests", dependencies: ["TenureClient", "TenureStoreKit", "StoreKit"]),
    ],
    swiftLanguageModes: [.v6, .v5]
)
