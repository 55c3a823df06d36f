package import Backend
package import Hummingbird
import HummingbirdCore
package import Logging
package import NIOCore

/// What the server needs from the outside.
package struct ServerDependencies: Sendable {
    package let backend: Backend
    package let credentials: [AppCredentials]
    /// By which requests are counted: a clock that does not jump, whatever the backend's says.
    package let steadyClock: @Sendable () -> ContinuousClock.Instant

    package init(
        backend: Backend, credentials: [AppCredentials],
        steadyClock: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.backend = backend
        self.credentials = credentials
        self.steadyClock = steadyClock
    }
}

/// What a request brings besides its bytes: the connection on which it came.
package struct ServerContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    private let channel: any Channel

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// From where it came; nil where the connection is over, or is no connection of the network.
    package var remoteAddress: SocketAddress? { channel.remoteAddress }
}

/// All faces over their dependencies; what tests call in process and the application serves.
package func buildRouter(
    _ dependencies: ServerDependencies, faces: [any Face], configuration: ServerConfiguration
) -> Router<ServerContext> {
    let router = Router(context: ServerContext.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: ProblemMiddleware())
    var endpoints = EndpointRouter(router, EndpointRouter.Shared(dependencies, configuration))
    for face in faces { face.add(to: &endpoints) }
    endpoints.refuseOtherMethods()
    return router
}

/// The server with every limit set: Hummingbird itself has no time-outs (T32).
///
/// - Parameter onServerRunning: called with the port once connections are accepted.
package func buildApplication(
    _ dependencies: ServerDependencies, faces: [any Face], configuration: ServerConfiguration, logger: Logger,
    onServerRunning: @escaping @Sendable (Int) async -> Void = { _ in }
) -> some ApplicationProtocol {
    buildApplication(
        serving: buildRouter(dependencies, faces: faces, configuration: configuration), configuration: configuration,
        logger: logger, onServerRunning: onServerRunning)
}

/// The same around a router that has more routes than ours, as the benchmarks' has.
package func buildApplication(
    serving router: Router<ServerContext>, configuration: ServerConfiguration, logger: Logger,
    onServerRunning: @escaping @Sendable (Int) async -> Void
) -> some ApplicationProtocol {
    let limits = ConnectionDeadlines.Limits(
        header: .seconds(configuration.headerTimeoutSeconds), body: .seconds(configuration.bodyTimeoutSeconds),
        answer: .seconds(configuration.answerTimeoutSeconds), pipelined: configuration.maximumPipelinedRequests)
    let connections = ConnectionsPerAddress(limit: configuration.connectionsPerAddress)
    var decoder = HTTP1Channel.Configuration.DecoderConfiguration()
    decoder.maxHeaderFieldSize = configuration.maximumHeaderBytes
    decoder.maxHeaderListSize = configuration.maximumHeaderBytes
    decoder.maxHeaderFieldCount = 100
    let channel = HTTP1Channel.Configuration(
        additionalChannelHandlers: [ConnectionDeadlines(limits, connections: connections), ParserProblems()],
        httpDecoderConfiguration: decoder)
    return Application(
        router: router,
        server: .http1(configuration: channel),
        configuration: ApplicationConfiguration(
            address: .hostname(configuration.host, port: configuration.port),
            availableConnectionsDelegate: MaximumAvailableConnections(configuration.maximumConnections)),
        onServerRunning: { channel in await onServerRunning(channel.localAddress?.port ?? configuration.port) },
        logger: logger)
}
