// swift-tools-version:6.2
import PackageDescription

/// What every target of ours is compiled with. An async function runs where its caller does, so that a call costs no change of
/// executor; what must not is marked `@concurrent`.
let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

let x509: Target.Dependency = .product(name: "X509", package: "swift-certificates")
let asn1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let grdbSQLite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird")
let hummingbirdTesting: Target.Dependency = .product(name: "HummingbirdTesting", package: "hummingbird")
let asyncHTTPClient: Target.Dependency = .product(name: "AsyncHTTPClient", package: "async-http-client")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics: Target.Dependency = .product(name: "Metrics", package: "swift-metrics")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioEmbedded: Target.Dependency = .product(name: "NIOEmbedded", package: "swift-nio")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let nioHTTPTypes: Target.Dependency = .product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")

/// Optimised in the debug build, too: the properties of the rules are tested on hundreds of thousands of random histories, and
/// without it they are a third of the tests' time. Not for what a library product contains: who depends on it may have no such flags.
let optimised = house + [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// A room of the house; the table in docs/architecture.md says what it may import and `TidyTests` checks it.
func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: house)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: house)
}

let package = Package(
    name: "tenure",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "AppStoreWire", targets: ["AppStoreWire"]),
        .library(name: "AppStoreSimulatorTesting", targets: ["AppStoreSimulatorTesting"]),
        .executable(name: "tenure", targets: ["tenure"]),
    ],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", .upToNextMinor(from: "2.28.1")),
        .package(url: "https://github.com/groue/GRDB.swift.git", .upToNextMinor(from: "7.10.0")),
        .package(url: "https://github.com/apple/swift-crypto.git", .upToNextMinor(from: "4.5.2")),
        .package(url: "https://github.com/apple/swift-certificates.git", .upToNextMinor(from: "1.21.1")),
        .package(url: "https://github.com/apple/swift-asn1.git", .upToNextMinor(from: "1.7.4")),
        .package(url: "https://github.com/swift-server/async-http-client.git", .upToNextMinor(from: "1.37.0")),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", .upToNextMinor(from: "2.13.0")),
        .package(url: "https://github.com/apple/swift-nio.git", .upToNextMinor(from: "2.101.2")),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", .upToNextMinor(from: "2.37.6")),
        .package(url: "https://github.com/apple/swift-nio-extras.git", .upToNextMinor(from: "1.35.2")),
        .package(url: "https://github.com/apple/swift-argument-parser.git", .upToNextMinor(from: "1.8.2")),
        .package(url: "https://github.com/apple/swift-log.git", .upToNextMinor(from: "1.16.2")),
        .package(url: "https://github.com/apple/swift-metrics.git", .upToNextMinor(from: "2.13.0")),
    ],
    targets: [
        room("Primitives"),
        room("StrictJSON", ["Primitives"]),
        room("AppStoreWire", ["Primitives", "StrictJSON", x509, asn1, crypto, cryptoExtras]),
        room("SimulatorPKI", ["Primitives", x509, asn1, crypto, cryptoExtras]),
        room(
            "AppStoreGateway",
            [
                "Primitives", "AppStoreWire", "Backend", "Ledger", "PrometheusMetrics", asyncHTTPClient, nioCore, nioHTTP1,
                nioPosix, nioSSL,
            ]),
        room(
            "Delivery",
            ["Primitives", "Backend", asyncHTTPClient, crypto, nioCore, nioHTTP1, nioPosix, nioSSL]),
        .target(name: "Ledger", dependencies: ["Primitives"], swiftSettings: optimised),
        room("APIContract", ["Primitives", "StrictJSON", "CAPIExamples"]),
        room("Intake", ["Primitives", "AppStoreWire", "Ledger"]),
        room("Storage", ["Primitives", "StrictJSON", "Ledger", crypto]),
        room("StorageSQLite", ["Primitives", "StrictJSON", "Storage", "Ledger", grdb, grdbSQLite]),
        // Only headers: libpq itself is loaded when PostgreSQL is configured.
        .systemLibrary(name: "CLibpq", providers: [.apt(["libpq-dev"])]),
        room("StoragePostgres", ["Primitives", "StrictJSON", "Storage", "Ledger", "CLibpq"]),
        room("StorageConformance", ["Primitives", "Storage", "Ledger"]),
        room("OperatorFactors", ["Primitives", crypto, cryptoExtras]),
        room("PrometheusMetrics", [metrics]),
        room(
            "Backend",
            ["Primitives", "AppStoreWire", "Ledger", "Intake", "OperatorFactors", "Storage", "PrometheusMetrics", metrics]),
        room(
            "Server",
            [
                "Primitives", "StrictJSON", "Backend", "APIContract", "Ledger", "PrometheusMetrics", metrics, crypto,
                hummingbird, logging, nioCore, nioHTTPTypes,
            ]),
        room("ArtifactInspection", ["Primitives", "StrictJSON", "AppStoreWire", crypto]),
        .target(
            name: "Console",
            dependencies: [
                "Primitives", "StrictJSON", "AppStoreWire", "ArtifactInspection", "Ledger", "Backend", "OperatorFactors",
                "Server",
                "PrometheusMetrics", metrics, hummingbird, logging, nioCore,
            ],
            resources: [
                .embedInCode("Assets/console.css"), .embedInCode("Assets/console.js"), .embedInCode("Assets/console.svg"),
                // Symbolic links to docs/rules.md and its translation: what the product cites and what it shows are one text.
                .embedInCode("Rules/rules.md"), .embedInCode("Rules/rules.zh-Hans.md"),
            ],
            swiftSettings: house),
        room("NativeFace", ["Primitives", "Server", "Backend", "APIContract", "Ledger"]),
        room("AppStoreModel", ["Primitives", "StrictJSON"]),
        // One function of C: Swift has no way of its own to hold a file of a hundred KB that compiles in no time.
        .target(name: "CControlDocument"),
        .target(name: "CAPIExamples", exclude: ["examples.txt"]),
        .target(name: "CDescriptorLimit"),
        .target(
            name: "AppStoreSimulator",
            dependencies: [
                "Primitives", "StrictJSON", "SimulatorPKI", "AppStoreModel", "CControlDocument", crypto, hummingbird,
                hummingbirdCore,
                asyncHTTPClient, logging, nioCore, nioHTTP1, lifecycle,
            ],
            exclude: ["Control/openapi.json"],
            resources: [.embedInCode("Page/page.html"), .embedInCode("Page/page.js")],
            swiftSettings: house),
        room("AppStoreSimulatorTesting", ["Primitives", "AppStoreModel", "AppStoreSimulator", logging, lifecycle]),
        // The device SDK's core, from the package that apps fetch: the demo's devices run it (decision 0061). Its own transport
        // would bring libcurl into the server's program.
        .target(
            name: "TenureClient", dependencies: [crypto], path: "Client/Sources/TenureClient",
            exclude: ["PrivacyInfo.xcprivacy", "Server/URLSessionTransport.swift"]),
        .target(name: "TenureLocalStore", dependencies: ["TenureClient"], path: "Client/Linux/Sources/TenureLocalStore"),
        // The receiver of docs/operations/webhooks.md, which a test runs.
        .executableTarget(
            name: "webhook-receiver", dependencies: [hummingbird, crypto], path: "Examples/webhook-receiver"),
        .executableTarget(
            name: "tenure",
            dependencies: [
                "Primitives", "StrictJSON", "AppStoreWire", "ArtifactInspection", "SimulatorPKI", "Ledger", "APIContract",
                "Intake", "Storage", "StorageSQLite", "StoragePostgres", "CDescriptorLimit",
                "AppStoreGateway", "Delivery", "OperatorFactors", "Console",
                "Backend", "Server", "NativeFace", "AppStoreModel", "AppStoreSimulator", "PrometheusMetrics", metrics,
                "TenureClient", "TenureLocalStore",
                hummingbird, asyncHTTPClient, lifecycle,
                argumentParser, logging,
                crypto, asn1, unixSignals, nioCore, nioHTTP1,
            ],
            swiftSettings: house),
        // What benchmarks and counted costs begin with.
        .target(
            name: "BenchmarkSamples",
            dependencies: ["Primitives", "AppStoreWire", "SimulatorPKI", "Ledger", "Intake", "Storage", "Backend"],
            path: "Benchmarks/Samples", swiftSettings: house),
        .target(name: "CCostMarks", path: "Benchmarks/CCostMarks"),
        .executableTarget(
            name: "tenure-costs",
            dependencies: [
                "BenchmarkSamples", "CCostMarks", "Primitives", "AppStoreWire", "SimulatorPKI", "Ledger", "APIContract",
                "Storage",
                "StorageSQLite", "Backend", "Server", "NativeFace", "Delivery", argumentParser, crypto, grdb,
            ],
            path: "Benchmarks/Costs", swiftSettings: house),
        .executableTarget(
            name: "tenure-bench",
            dependencies: [
                "BenchmarkSamples", "Primitives", "AppStoreWire", "SimulatorPKI", "Ledger", "APIContract", "Storage",
                "StorageSQLite",
                "StoragePostgres", "CLibpq", "PrivatePostgres", "SpawnedProcesses", "Intake", "Backend", grdbSQLite, "Server",
                "NativeFace",
                "AppStoreGateway", "Delivery", "AppStoreModel", "AppStoreSimulator", hummingbird, asyncHTTPClient,
                lifecycle, argumentParser, logging, unixSignals, crypto, cryptoExtras,
                x509,
                asn1, grdb,
                nioCore, nioHTTP1,
            ],
            path: "Benchmarks",
            exclude: ["README.md", "costs.tsv", "apple_library.py", "hostile_peers.py", "Samples", "Costs", "CCostMarks"],
            swiftSettings: house),
        tests("PrimitivesTests", ["Primitives"]),
        tests("OperatorFactorsTests", ["OperatorFactors", "Primitives"]),
        tests("PrometheusMetricsTests", ["PrometheusMetrics", "SpawnedProcesses", metrics]),
        tests("StrictJSONTests", ["StrictJSON", "Primitives"]),
        tests(
            "AppStoreWireTests",
            ["AppStoreWire", "StrictJSON", "SimulatorPKI", "Primitives", x509, asn1, crypto, cryptoExtras]),
        tests(
            "AppStoreGatewayTests",
            [
                "AppStoreGateway", "AppStoreWire", "AppStoreSimulatorTesting", "Backend", "Primitives", "SpawnedProcesses", x509,
                asn1,
                crypto, nioCore, nioPosix, nioSSL,
            ]),
        tests(
            "DeliveryTests",
            [
                "Delivery", "Backend", "Primitives", asyncHTTPClient, x509, asn1, crypto, nioCore, nioEmbedded, nioHTTP1,
                nioPosix, nioSSL,
            ]),
        tests("LedgerTests", ["Ledger", "Primitives"]),
        // Written apart from `Ledger`, from docs/rules.md alone: it imports nothing, so that it can share no code with it.
        .target(name: "LedgerOracle", path: "Tests/LedgerOracle", swiftSettings: optimised),
        tests("LedgerOracleTests", ["LedgerOracle", "Ledger", "Primitives"]),
        tests("IntakeTests", ["Intake", "Ledger", "AppStoreWire", "SimulatorPKI", "Primitives"]),
        tests("StorageRecordTests", ["Storage", "Ledger", "Primitives", crypto]),
        tests(
            "StorageTests",
            ["StrictJSON", "Storage", "StorageSQLite", "StorageConformance", "Ledger", "Primitives", grdb, grdbSQLite]),
        tests(
            "BackendTests",
            [
                "Backend", "Intake", "LedgerOracle", "OperatorFactors", "Storage", "StorageSQLite", "AppStoreWire",
                "SimulatorPKI",
                "StrictJSON", "Ledger",
                "Primitives", "PrometheusMetrics",
                grdb, crypto,
            ]),
        tests(
            "ServerTests",
            [
                "NativeFace", "Server", "Backend", "APIContract", "StorageSQLite", "Storage", "AppStoreWire", "SimulatorPKI",
                "Ledger",
                "Primitives", "PrometheusMetrics",
                "StrictJSON", hummingbird, hummingbirdTesting, crypto, grdb, logging, nioCore, nioEmbedded, nioHTTPTypes,
                nioPosix,
            ]),
        tests(
            "ConsoleTests",
            [
                "Console", "Server", "Backend", "StorageSQLite", "Storage", "AppStoreWire", "ArtifactInspection", "SimulatorPKI",
                "Ledger", "OperatorFactors", "Primitives", "StrictJSON", hummingbird, hummingbirdTesting, crypto, logging,
                nioCore,
            ],
            exclude: ["Golden"]),
        tests("APIContractTests", ["APIContract", "StrictJSON", "Primitives"]),
        tests("AppStoreModelTests", ["AppStoreModel", "StrictJSON", "Primitives"]),
        tests(
            "AppStoreSimulatorTests",
            [
                "AppStoreSimulator", "AppStoreModel", "AppStoreWire", "SimulatorPKI", "StrictJSON", "Primitives", hummingbird,
                hummingbirdTesting,
                asyncHTTPClient, lifecycle,
            ]),
        // Only what its users see, beside a verifier and a client that share nothing with it.
        tests(
            "AppStoreSimulatorTestingTests",
            ["AppStoreSimulatorTesting", "AppStoreWire", "Primitives", asyncHTTPClient, nioCore, nioHTTP1]),
        // Other programs, a proxy that does what networks do, and a private PostgreSQL: for tests, benchmarks and the chaos tool.
        .target(name: "SpawnedProcesses", path: "Tests/SpawnedProcesses", swiftSettings: house),
        .target(name: "FaultProxy", dependencies: [nioCore, nioPosix], path: "Tests/FaultProxy", swiftSettings: house),
        .target(
            name: "PrivatePostgres", dependencies: ["Storage", "StoragePostgres", "SpawnedProcesses"],
            path: "Tests/PrivatePostgres",
            swiftSettings: house),
        tests(
            "StoragePostgresTests",
            [
                "StoragePostgres", "StorageSQLite", "Storage", "StorageConformance", "Ledger", "Primitives", "FaultProxy",
                "PrivatePostgres", "Backend", "AppStoreWire", "OperatorFactors",
            ]),
        tests(
            "SimulationTests",
            [
                "AppStoreGateway", "Delivery",
                "AppStoreModel", "AppStoreSimulator", "Backend", "StorageSQLite", "Storage", "AppStoreWire",
                "StrictJSON", "Ledger", "LedgerOracle", "Primitives",
                hummingbird, hummingbirdTesting, asyncHTTPClient, logging, nioCore, nioHTTP1,
            ]),
        // What the commands say to people, as far as it needs no process.
        tests(
            "TenureTests",
            [
                "tenure", "AppStoreModel", "AppStoreWire", "ArtifactInspection", "Backend", "Console", "Ledger",
                "OperatorFactors",
                "Primitives",
                "PrometheusMetrics", "Server", "Storage", "StrictJSON", logging,
            ]),
        tests("TidyTests", []),
        // Breaks real processes; never shipped.
        .executableTarget(
            name: "tenure-chaos",
            dependencies: [
                "Primitives", "StrictJSON", "SimulatorPKI", "APIContract", "LedgerOracle", "FaultProxy", "PrivatePostgres",
                "SpawnedProcesses",
                asyncHTTPClient, argumentParser, crypto, nioCore, nioHTTP1,
            ],
            path: "Tests/Chaos",
            exclude: ["Shims"],
            swiftSettings: house),
    ],
    swiftLanguageModes: [.v6]
)
