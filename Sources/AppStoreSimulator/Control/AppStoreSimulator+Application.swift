package import Hummingbird
internal import HummingbirdCore
package import Logging
internal import NIOCore
package import Primitives
internal import ServiceLifecycle

extension AppStoreSimulator {
    /// The control API.
    package nonisolated func buildRouter() -> Router<BasicRequestContext> {
        // Middleware is added before routes, and this one must know all of them.
        let bare = Router(context: BasicRequestContext.self)
        addRoutes(to: bare)
        let router = Router(context: BasicRequestContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: ControlProblemMiddleware(addresses: KnownAddresses(bare)))
        router.add(middleware: LocalCallers(listeningAt: configuration.host, allowed: configuration.allowedHosts))
        addRoutes(to: router)
        return router
    }

    private nonisolated func addRoutes(to router: Router<BasicRequestContext>) {
        ControlRoutes(simulator: self).add(to: router.group("/control/v1"))
        ControlPage.add(to: router)
    }

    /// The App Store's own faces of one environment.
    package nonisolated func buildFaceRouter(of environment: Primitives.Environment) -> Router<BasicRequestContext> {
        let router = Router(context: BasicRequestContext.self)
        FaceRoutes(simulator: self, environment: environment).add(to: router)
        return router
    }

    /// What listens on a port.
    package enum Listener: Sendable, Hashable {
        case control
        case face(Primitives.Environment)
    }

    /// The whole simulator as a service: its control API, its faces, its running clock and the sender of its notifications.
    ///
    /// - Parameter onServerRunning: called once for each port that is listened on.
    package nonisolated func buildApplication(
        logger: Logger, onListening: @escaping @Sendable (Listener, Int) async -> Void = { _, _ in }
    ) -> some ApplicationProtocol {
        var services: [any Service] = [poster, RunningClock(self), PerformanceTester(simulator: self)]
        for (environment, port) in configuration.facePorts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            services.append(
                listening(buildFaceRouter(of: environment), port: port, logger) { await onListening(.face(environment), $0) })
        }
        var application = Application(
            router: buildRouter(),
            server: .http1(configuration: .init(idleTimeout: .seconds(60))),
            configuration: address(port: configuration.port), services: services,
            onServerRunning: { channel in await onListening(.control, channel.localAddress?.port ?? 0) },
            logger: logger)
        application.beforeServerStarts { await self.poster.ready() }
        return application
    }

    private nonisolated func address(port: Int) -> ApplicationConfiguration {
        ApplicationConfiguration(
            address: .hostname(configuration.host, port: port), serverName: "Tenure App Store Simulator",
            availableConnectionsDelegate: MaximumAvailableConnections(512))
    }

    private nonisolated func listening(
        _ router: Router<BasicRequestContext>, port: Int, _ logger: Logger,
        _ onRunning: @escaping @Sendable (Int) async -> Void
    ) -> some ApplicationProtocol {
        Application(
            router: router, server: .http1(configuration: .init(idleTimeout: .seconds(60))),
            configuration: address(port: port),
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? 0) }, logger: logger)
    }
}
