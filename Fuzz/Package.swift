// swift-tools-version:6.2
// Fuzz targets over the sources that read untrusted input (symbolic links): `scripts/fuzz` builds them with libFuzzer and runs
// them. A separate package, because no product has its entry point and flags.
import PackageDescription

let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let x509: Target.Dependency = .product(name: "X509", package: "swift-certificates")
let asn1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")

func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: house)
}

let package = Package(
    name: "tenure-fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto.git", .upToNextMinor(from: "4.5.2")),
        .package(url: "https://github.com/apple/swift-certificates.git", .upToNextMinor(from: "1.21.1")),
        .package(url: "https://github.com/apple/swift-asn1.git", .upToNextMinor(from: "1.7.4")),
    ],
    targets: [
        room("Primitives"),
        room("StrictJSON", ["Primitives"]),
        room("AppStoreWire", ["Primitives", "StrictJSON", x509, asn1, crypto, cryptoExtras]),
        room("SimulatorPKI", ["Primitives", x509, asn1, crypto, cryptoExtras]),
        // libFuzzer provides `main`; the target is chosen by the environment variable TENURE_FUZZ.
        .executableTarget(
            name: "Fuzz", dependencies: ["Primitives", "StrictJSON", "AppStoreWire", "SimulatorPKI", asn1], path: "Targets/Fuzz",
            swiftSettings: house + [.unsafeFlags(["-parse-as-library"])]),
    ],
    swiftLanguageModes: [.v6]
)
