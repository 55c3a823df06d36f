// swift-tools-version:6.2
// The pure rooms alone, over the same sources (symbolic links): they build without the server and its dependencies, so that a
// change of a rule is tried in seconds and `make rules` can build one mutation after another. See docs/decisions/0008.
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

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: house)
}

/// With `LEDGER_ALONE` set only what decides: it imports nothing but `Primitives`. With `rules` a mutation of it is judged in
/// seconds; with `lives` it is compared with the oracle.
let alone = Context.environment["LEDGER_ALONE"]
let oracle: [Target] = [
    .target(name: "LedgerOracle", path: "Tests/LedgerOracle", swiftSettings: house),
    tests("LedgerOracleTests", ["LedgerOracle", "Ledger", "Primitives"]),
]
let ledger: [Target] =
    [room("Primitives"), room("Ledger", ["Primitives"])]
    + (alone == "lives" ? oracle : [tests("LedgerTests", ["Ledger", "Primitives"])])

let package = Package(
    name: "tenure-rules",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: alone != nil
        ? []
        : [
            .package(url: "https://github.com/apple/swift-crypto.git", .upToNextMinor(from: "4.5.2")),
            .package(url: "https://github.com/apple/swift-certificates.git", .upToNextMinor(from: "1.21.1")),
            .package(url: "https://github.com/apple/swift-asn1.git", .upToNextMinor(from: "1.7.4")),
        ],
    targets: alone != nil
        ? ledger
        : ledger + oracle + [
            room("StrictJSON", ["Primitives"]),
            room("AppStoreWire", ["Primitives", "StrictJSON", x509, asn1, crypto, cryptoExtras]),
            room("SimulatorPKI", ["Primitives", x509, asn1, crypto, cryptoExtras]),
            room("Intake", ["Primitives", "AppStoreWire", "Ledger"]),
            room("Storage", ["Primitives", "StrictJSON", "Ledger", crypto]),
            tests("PrimitivesTests", ["Primitives"]),
            tests("StrictJSONTests", ["StrictJSON", "Primitives"]),
            tests(
                "AppStoreWireTests",
                ["AppStoreWire", "StrictJSON", "SimulatorPKI", "Primitives", x509, asn1, crypto, cryptoExtras]),
            tests("IntakeTests", ["Intake", "Ledger", "AppStoreWire", "SimulatorPKI", "Primitives"]),
            tests("StorageRecordTests", ["Storage", "Ledger", "Primitives", crypto]),
        ],
    swiftLanguageModes: [.v6]
)
