// swift-tools-version: 6.0
import PackageDescription

// Apple's platforms have CryptoKit; elsewhere, where the tests run, swift-crypto has the same calls.
#if os(Linux)
    let cryptography: [Package.Dependency] = [.package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.1")]
    let crypto: [Target.Dependency] = [.product(name: "Crypto", package: "swift-crypto")]
#else
    let cryptography: [Package.Dependency] = []
    let crypto: [Target.Dependency] = []
#endif

let package = Package(
    name: "TenureClient",
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    products: [
        .library(name: "TenureClient", targets: ["TenureClient"]),
        .library(name: "TenureStoreKit", targets: ["TenureStoreKit"]),
    ],
    dependencies: cryptography,
    targets: [
        .target(name: "TenureClient", dependencies: crypto, resources: [.copy("PrivacyInfo.xcprivacy")]),
        .target(name: "TenureStoreKit", dependencies: ["TenureClient"]),
        .testTarget(name: "TenureClientTests", dependencies: ["TenureClient"]),
    ],
    swiftLanguageModes: [.v6, .v5]
)
