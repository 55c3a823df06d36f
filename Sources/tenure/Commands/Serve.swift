import AppStoreWire
import ArgumentParser
import Backend
import Foundation
import Hummingbird
import Logging
import Primitives
import Server
import ServiceLifecycle
import Storage
import StorageSQLite
import UnixSignals

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the server.",
        discussion: """
            Environment variables stand over the file: TENURE_HOST, TENURE_PORT, TENURE_DATABASE, TENURE_LOG_LEVEL, and for each
            app TENURE_APP_<ID>_SERVER_KEY_SHA256 and TENURE_APP_<ID>_CUSTOMER_TOKEN_SECRET. SIGTERM lets requests end first.
            """)

    @Option(name: .long, help: "The configuration file, JSON.")
    var config: String

    @Flag(name: .long, help: "Read the configuration, open the database, say what is wrong, and end.")
    var check = false

    func run() async throws {
        let configuration = try TenureConfiguration(path: config, environment: ProcessInfo.processInfo.environment)
        var logger = Logger(label: "tenure")
        logger.logLevel = configuration.logLevel
        let store = try SQLiteStore(path: configuration.databasePath)
        if check {
            Console.print("The configuration is good: \(configuration.apps.map(\.settings.id.rawValue).joined(separator: ", ")).")
            return
        }
        let verifier = AppStoreVerifier(roots: configuration.roots, distrustedLeafSerials: configuration.distrustedLeafSerials)
        let backend = Backend(store: store, verifier: verifier, apps: configuration.apps.map(\.settings), clock: MachineClock())
        let dependencies = ServerDependencies(backend: backend, credentials: configuration.apps.map(\.credentials))
        logger.notice(
            "serving",
            metadata: [
                "apps": "\(configuration.apps.map(\.settings.id.rawValue).joined(separator: ","))",
                "address": "\(configuration.server.host):\(configuration.server.port)",
                "database": "\(configuration.databasePath)",
            ])
        let application = buildApplication(dependencies, configuration: configuration.server, logger: logger)
        try await ServiceGroup(
            configuration: .init(services: [application], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        ).run()
    }
}

/// The machine's clock: the one place in the product that reads it.
struct MachineClock: TimeSource {
    func now() -> Timestamp {
        Timestamp(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1000))
    }
}
