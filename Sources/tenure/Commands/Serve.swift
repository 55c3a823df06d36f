import AppStoreGateway
import AppStoreWire
import ArgumentParser
import Backend
import Delivery
import Foundation
import Hummingbird
import Ledger
import Logging
import Metrics
import NIOCore
import NativeFace
import Primitives
import Server
import ServiceLifecycle
import Storage
import UnixSignals

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the server.",
        discussion: """
            Environment variables override the file: TENURE_HOST, TENURE_PORT, TENURE_DATABASE (a path or a postgres:// URL),
            TENURE_LOG_LEVEL, and for each app TENURE_APP_<ID>_SERVER_KEY_SHA256, TENURE_APP_<ID>_CUSTOMER_TOKEN_SECRET and
            TENURE_APP_<ID>_SHARED_SECRETS; TENURE_WEBHOOK_SECRET_KEYS for the keys that keep webhooks' secrets.
            SIGTERM lets requests end first.
            """)

    @Option(name: .long, help: "The configuration file, JSON.")
    var config: String

    @Flag(name: .long, help: "Read the configuration, open the database, report what is wrong, and exit.")
    var check = false

    func run() async throws {
        let configuration = try TenureConfiguration(path: config, environment: ProcessInfo.processInfo.environment)
        configuration.webhooks.warnWithoutKey()
        var logger = Logger(label: "tenure")
        logger.logLevel = configuration.logLevel
        try DescriptorLimit.raise(forConnections: configuration.server.maximumConnections)
        let database = try await OpenDatabase(writing: configuration.database, logger: logger)
        if check {
            Console.print("The configuration is good: \(configuration.apps.map(\.settings.id.rawValue).joined(separator: ", ")).")
            return try await database.close()
        }
        let clock = try configuration.clock()
        let metrics = try ServedMetrics(at: configuration.metrics)
        let backend = configuration.backend(on: database.store, clock: clock, metrics: metrics.factory)
        try await Self.adoptSettings(of: backend, logger: logger)
        try await backend.keys.refresh()
        let gateway = try configuration.gateway(clock: clock, logger: logger)
        let desk = gateway.map { gateway in
            AppleDesk(
                AskedAppStore(gateway, configuration.apple), store: database.store, apps: configuration.apps.map(\.settings),
                metrics: metrics.factory)
        }
        let worker = WorkerName.ofThisProcess
        let courier = try configuration.webhooks.courier()
        let webhooks = DeliveryDesk(
            backend, courier: courier, clock: MachineClock(), worker: worker, keepsEvents: configuration.webhooks.keepsEvents)
        let dependencies = ServerDependencies(
            backend: backend, credentials: configuration.apps.map(\.credentials), metrics: metrics.factory)
        let notice = Self.servingNotice(configuration, logger)
        let application = buildApplication(
            dependencies, faces: [NativeFace(backend, webhooks: webhooks, signer: configuration.signer, desk: desk)],
            configuration: configuration.server, logger: logger, onServerRunning: notice)
        let loop = WorkLoop(
            store: database.store, clock: clock,
            lanes: Self.ownLanes(backend, logger: logger) + (desk.map { Self.askingLanes(backend, $0) } ?? []),
            worker: worker, jitter: { .random(in: 0..<1) }, metrics: metrics.factory)
        // The first one ends last: how a server stops can be watched.
        let listener = metrics.service(of: backend, desk: desk, gateway: gateway, logger: logger)
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = [listener].compactMap { $0 }.map { .init(service: $0) }
        services += [
            .init(service: application), .init(service: WorkService(loop: loop, logger: logger)),
            .init(service: DeliveryService(loop: DeliveryLoop(webhooks), logger: logger)),
        ]
        services += Self.watches(backend, clock: clock, logger: logger)
        let neighbours = ConsoleNeighbours(deliveries: webhooks, apple: desk, metrics: metrics.factory)
        services += Self.console(configuration, backend, beside: neighbours, logger: logger)
        if let desk {
            let planner = SweepPlanner(backend: backend, desk: desk, isTimeLapse: configuration.clockFile != nil)
            let sweeps = SweepService(planner: planner, clock: clock, logger: logger)
            await sweeps.look()
            services.append(.init(service: sweeps))
        }
        services += Self.endingOnDamage(of: database)
        var group = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        // Running work may finish; the server does not wait for work that does not finish in time (F30).
        group.maximumGracefulShutdownDuration = .seconds(8)
        group.maximumCancellationDuration = .seconds(2)
        do {
            try await Self.run(group, closing: gateway, courier)
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            try await database.close()
            throw Self.addressInUse(configuration)
        }
        try await database.close()
    }

    /// What ends the process when its disk refuses a write. Not by cancelling: a connection that is accepted while the server is
    /// being cancelled crashes the process with a trap.
    private static func endingOnDamage(of database: OpenDatabase) -> [ServiceGroupConfiguration.ServiceConfiguration] {
        guard let failures = database.failures else { return [] }
        return [
            .init(service: DamageService(failures: failures), failureTerminationBehavior: .gracefullyShutdownGroup)
        ]
    }

    /// The error does not say which of the listeners it was.
    private static func addressInUse(_ configuration: TenureConfiguration) -> CommandError {
        var listeners = [("http.port", configuration.server.host, configuration.server.port)]
        if let metrics = configuration.metrics { listeners.append(("http.metricsPort", metrics.host, metrics.port)) }
        if let console = configuration.console.listener { listeners.append(("console.port", console.host, console.port)) }
        let places = listeners.map { "\($0.1):\($0.2)" }.joined(separator: ", or at ")
        let members = listeners.map(\.0).joined(separator: " or ")
        return CommandError("Another process listens at \(places) already: stop it, or choose another \(members).")
    }

    /// Runs the services, and closes the connections to Apple and to receivers however they end.
    private static func run(
        _ group: ServiceGroupConfiguration, closing gateway: AppStoreGateway?, _ courier: DeliveryCourier
    ) async throws {
        try await courier.closing {
            guard let gateway else { return try await ServiceGroup(configuration: group).run() }
            try await gateway.closing { try await ServiceGroup(configuration: group).run() }
        }
    }

    /// Logs that the server is serving only when it is: a request after that line is answered.
    private static func servingNotice(_ configuration: TenureConfiguration, _ logger: Logger) -> @Sendable (Int) async -> Void {
        let apps = configuration.apps.map(\.settings.id.rawValue).joined(separator: ",")
        let (host, database) = (configuration.server.host, "\(configuration.database)")
        return { port in
            logger.notice("serving", metadata: ["apps": "\(apps)", "address": "\(host):\(port)", "database": "\(database)"])
        }
    }

    /// The settings of the apps in the file become a new version, if they changed (OWN-17).
    private static func adoptSettings(of backend: Backend, logger: Logger) async throws {
        let standings: [AppID: SettingsStanding]
        do {
            standings = try await backend.adoptSettings()
        } catch let refusal as SettingsRefusal {
            throw CommandError(refusal.description)
        }
        for (app, standing) in standings.sorted(by: { $0.key < $1.key }) {
            switch standing {
            case .inForce: continue
            case .applied(let number, let validFrom):
                logger.notice(
                    "the file's policy and products are now a version",
                    metadata: ["app": "\(app)", "version": "\(number)", "validFrom": "\(validFrom)"])
            case .superseded(let number, let newest):
                logger.warning(
                    """
                    the file has the content of an earlier version; serving under the newest one, not ready. Use the newest \
                    file, or restore this one with `tenure policy apply --again`
                    """,
                    metadata: ["app": "\(app)", "version": "\(number)", "newest": "\(newest)"])
            }
        }
    }

    /// What is looked at again and again.
    private static func watches(
        _ backend: Backend, clock: any TimeSource, logger: Logger
    ) -> [ServiceGroupConfiguration.ServiceConfiguration] {
        [
            .init(service: SealingService(backend: backend, logger: logger)),
            .init(service: KeyService(keys: backend.keys, logger: logger)),
            .init(service: AnswerService(backend: backend, logger: logger)),
            .init(service: CertificateService(backend: backend, clock: clock, logger: logger)),
        ]
    }

    /// What waits for nobody else.
    private static func ownLanes(_ backend: Backend, logger: Logger) -> [WorkLane] {
        [
            WorkLane(TellingPerformer(backend: backend)), WorkLane(CustomerTellingPerformer(backend: backend)),
            signalLane(backend),
            settingsLane(backend, logger: logger), jobLane(backend), parkingLane(backend),
        ]
    }

    /// Questions wait for Apple, not for this machine; no more at once than there are connections.
    private static func askingLanes(_ backend: Backend, _ desk: AppleDesk) -> [WorkLane] {
        var (asking, history, reports) = (WorkLimits(), WorkLimits(), WorkLimits())
        (asking.concurrency, history.concurrency, reports.concurrency) = (16, 4, 4)
        // The deadline ends it.
        (reports.attempts, reports.backoff) = (.max, Backoff(first: .seconds(5), greatest: .minutes(10)))
        return [
            WorkLane(AskingPerformer(backend: backend, desk: desk), limits: asking),
            WorkLane(StatusesPerformer(backend: backend, desk: desk), limits: history),
            WorkLane(HistoryPerformer(backend: backend, desk: desk), limits: history),
            WorkLane(SweepPerformer(backend: backend, desk: desk), limits: SweepPerformer.limits(concurrency: 8)),
            WorkLane(ConsumptionPerformer(backend: backend, desk: desk), limits: reports),
            WorkLane(
                ReceiptPerformer(backend: backend, desk: desk, kind: .verifyReceipt),
                limits: ReceiptPerformer.limits(concurrency: 8)),
            WorkLane(
                ReceiptPerformer(backend: backend, desk: desk, kind: .verifyImportedReceipt),
                limits: ReceiptPerformer.limits(concurrency: 2)),
        ]
    }

    /// What Apple signed is never given up.
    private static func parkingLane(_ backend: Backend) -> WorkLane {
        var limits = WorkLimits()
        (limits.concurrency, limits.attempts) = (1, .max)
        return WorkLane(ParkingPerformer(backend: backend), limits: limits)
    }

    /// A job folds every subscription, so one runs at once.
    private static func jobLane(_ backend: Backend) -> WorkLane {
        var limits = WorkLimits()
        limits.concurrency = 1
        return WorkLane(JobPerformer(backend: backend), limits: limits)
    }

    /// Few at once: nobody waits for a signal, and a review reads everything of its subject.
    private static func signalLane(_ backend: Backend) -> WorkLane {
        var limits = WorkLimits()
        limits.concurrency = 2
        return WorkLane(SignalPerformer(backend: backend), limits: limits)
    }

    /// Logs the progress of applying a new version. That folds every subscription again, so few run at once.
    private static func settingsLane(_ backend: Backend, logger: Logger) -> WorkLane {
        var limits = WorkLimits()
        limits.concurrency = 2
        let performer = SettingsPerformer(backend: backend) { scope, progress, isDone in
            logger.notice(
                isDone ? "a version is applied" : "a version is being applied",
                metadata: [
                    "app": "\(scope.app)", "environment": "\(scope.environment.rawValue)", "version": "\(progress.version)",
                    "subscriptions": "\(progress.looked)", "changed": "\(progress.changed)",
                ])
        }
        return WorkLane(performer, limits: limits)
    }
}

extension TenureConfiguration {
    /// The use cases, as configured, over a store.
    func backend(
        on store: any Store, clock: any TimeSource, metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) -> Backend {
        let verifier = AppStoreVerifier(roots: roots, distrustedLeafSerials: distrustedLeafSerials)
        return Backend(store: store, verifier: verifier, apps: apps.map(\.settings), clock: clock, metrics: metrics)
    }
}

/// The machine's clock: the only place in the product that reads it.
struct MachineClock: TimeSource {
    func now() -> Timestamp {
        Timestamp(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1000))
    }
}
