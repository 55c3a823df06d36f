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
import UnixSignals

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the server.",
        discussion: """
            Environment variables stand over the file: TENURE_HOST, TENURE_PORT, TENURE_DATABASE (a path or a postgres:// URL),
            TENURE_LOG_LEVEL, and for each app TENURE_APP_<ID>_SERVER_KEY_SHA256, TENURE_APP_<ID>_CUSTOMER_TOKEN_SECRET and
            TENURE_APP_<ID>_SHARED_SECRETS.
            SIGTERM lets requests end first.
            """)

    @Option(name: .long, help: "The configuration file, JSON.")
    var config: String

    @Flag(name: .long, help: "Read the configuration, open the database, say what is wrong, and end.")
    var check = false

    func run() async throws {
        let configuration = try TenureConfiguration(path: config, environment: ProcessInfo.processInfo.environment)
        var logger = Logger(label: "tenure")
        logger.logLevel = configuration.logLevel
        let database = try await OpenDatabase(configuration.database, logger: logger)
        if check {
            Console.print("The configuration is good: \(configuration.apps.map(\.settings.id.rawValue).joined(separator: ", ")).")
            return try await database.close()
        }
        let clock = try configuration.clock()
        let backend = configuration.backend(on: database.store, clock: clock)
        let dependencies = ServerDependencies(backend: backend, credentials: configuration.apps.map(\.credentials))
        logger.notice(
            "serving",
            metadata: [
                "apps": "\(configuration.apps.map(\.settings.id.rawValue).joined(separator: ","))",
                "address": "\(configuration.server.host):\(configuration.server.port)",
                "database": "\(configuration.database)",
            ])
        let application = buildApplication(dependencies, configuration: configuration.server, logger: logger)
        let worker = WorkLoop(
            store: database.store, clock: clock, performers: [TellingPerformer(backend: backend)],
            worker: WorkerName.ofThisProcess, jitter: { .random(in: 0..<1) })
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = [
            .init(service: application), .init(service: WorkService(loop: worker, logger: logger)),
            .init(service: SealingService(backend: backend, logger: logger)),
        ]
        if let failures = database.failures {
            // Not by cancelling: a connection that is accepted while the server is cancelled ends the process by a trap.
            services.append(
                .init(
                    service: DamageService(failures: failures), failureTerminationBehavior: .gracefullyShutdownGroup))
        }
        var group = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        // What is at work may end; nobody is waited for who does not (F30).
        group.maximumGracefulShutdownDuration = .seconds(8)
        group.maximumCancellationDuration = .seconds(2)
        try await ServiceGroup(configuration: group).run()
        try await database.close()
    }
}

extension TenureConfiguration {
    /// The use cases, as configured, over a store.
    func backend(on store: any Store, clock: any TimeSource = MachineClock()) -> Backend {
        let verifier = AppStoreVerifier(roots: roots, distrustedLeafSerials: distrustedLeafSerials)
        return Backend(store: store, verifier: verifier, apps: apps.map(\.settings), clock: clock)
    }
}

/// The machine's clock: the one place in the product that reads it.
struct MachineClock: TimeSource {
    func now() -> Timestamp {
        Timestamp(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1000))
    }
}
