import AppStoreSimulator
import ArgumentParser
import Foundation
import Hummingbird
import Logging
import Primitives
import ServiceLifecycle
import UnixSignals

struct Simulate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run a local App Store with a clock that only moves when told.",
        discussion: """
            It signs with a root of its own; a server believes it only where `trust.additionalRootSHA256` names that root, which
            is printed at the start and kept in --authority if that is given. See docs/local-app-store.md for its HTTP calls.
            """)

    @Option(name: .long, help: "The catalogue: a .storekit file.")
    var catalogue: String

    @Option(name: .long, help: "The bundle id of the app that it sells for.")
    var bundle: String

    @Option(name: .long, help: "The app's Apple id.")
    var appAppleId: Int64 = 1

    @Option(name: .long, help: "Production or Sandbox.")
    var environment = "Sandbox"

    @Option(name: .long, help: "Where to send notifications V2.")
    var notificationURL: String?

    @Option(name: .long, help: "The port to listen on; 0 takes any free one.")
    var port = 8081

    @Option(name: .long, help: "The clock at the start, in milliseconds since 1970; now unless given.")
    var startsAt: Int64?

    @Option(
        name: .long, help: "A PEM file with its keys and certificates; made if it is absent, so that a root outlives a restart.")
    var authority: String?

    @Option(name: .long, help: "What its identifiers are made from; the same seed and calls give the same ones.")
    var seed: UInt64 = 1

    func run() async throws {
        let simulator = try AppStoreSimulator(configuration: try simulatorConfiguration())
        if let authority, !FileManager.default.fileExists(atPath: authority) {
            try SecretFile.write(simulator.exportedAuthority(), to: authority)
        }
        let logger = Logger(label: "tenure.simulate")
        let fingerprint = Hexadecimal.encode(simulator.rootFingerprint)
        let application = simulator.buildApplication(logger: logger) { port in
            Console.print("Local App Store at http://127.0.0.1:\(port)/control/v1  root SHA-256 \(fingerprint)")
        }
        try await ServiceGroup(
            configuration: .init(services: [application], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        ).run()
    }

    private func simulatorConfiguration() throws -> SimulatorConfiguration {
        guard let environment = Primitives.Environment(rawValue: environment) else {
            throw CommandError("--environment must be Production or Sandbox.")
        }
        var configuration = SimulatorConfiguration(
            bundleId: bundle, appAppleId: appAppleId, environment: environment, catalogue: try CatalogueFile.read(catalogue),
            startsAt: startsAt.map { Timestamp(millisecondsSince1970: $0) } ?? MachineClock().now())
        configuration.notificationURL = notificationURL
        configuration.port = port
        configuration.seed = seed
        if let authority, FileManager.default.fileExists(atPath: authority) {
            configuration.authorityPEM = try String(contentsOfFile: authority, encoding: .utf8)
        }
        return configuration
    }
}

/// A file that only its owner may read.
enum SecretFile {
    static func write(_ text: String, to path: String) throws {
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: path, contents: Data(text.utf8), attributes: attributes) else {
            throw CommandError("\(path) cannot be written.")
        }
    }
}

/// A `.storekit` file.
enum CatalogueFile {
    static func read(_ path: String) throws -> Catalogue {
        do {
            return try Catalogue(storeKitFile: Array(try Data(contentsOf: URL(fileURLWithPath: path))))
        } catch let error as CatalogueError {
            throw CommandError("The catalogue \(path) cannot be used: \(error)")
        } catch {
            throw CommandError("The catalogue \(path) cannot be read: \(error.localizedDescription)")
        }
    }
}
