package import Hummingbird
internal import HummingbirdCore
package import Logging
internal import NIOCore

extension AppStoreSimulator {
    /// The control API.
    package nonisolated func buildRouter() -> Router<BasicRequestContext> {
        let router = Router(context: BasicRequestContext.self)
        router.add(middleware: ProblemMiddleware())
        ControlRoutes(simulator: self).add(to: router.group("/control/v1"))
        return router
    }

    /// The whole simulator as a service: its control API and what sends its notifications.
    ///
    /// - Parameter onServerRunning: called once with the port that it listens on.
    package nonisolated func buildApplication(
        logger: Logger, onServerRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        var application = Application(
            router: buildRouter(),
            server: .http1(configuration: .init(idleTimeout: .seconds(60))),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port), serverName: "Tenure App Store Simulator",
                availableConnectionsDelegate: MaximumAvailableConnections(512)),
            services: [poster],
            onServerRunning: { channel in await onServerRunning(channel.localAddress?.port ?? 0) },
            logger: logger)
        application.beforeServerStarts { await self.poster.ready() }
        return application
    }
}
