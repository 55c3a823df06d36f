package import Backend
package import Hummingbird
import HummingbirdCore
package import Logging
package import Metrics
package import NIOCore

/// What the server needs from the outside.
package struct ServerDependencies: Sendable {
    package let backend: Backend
    package let credentials: [AppCredentials]
    /// By which requests are counted and timed: a clock that does not jump, whatever the backend's says.
    package let steadyClock: @Sendable () -> ContinuousClock.Instant
    /// Where requests are timed; nowhere, unless somebody reads it.
    package let metrics: any MetricsFactory

    package init(
        backend: Backend, credentials: [AppCredentials],
        steadyClock: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now },
        metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) {
        self.metrics = metrics
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
package struct ServerRouter: HTTPResponderBuilder {
    /// Routes beside those of the faces, as the benchmarks have; what it does not know either is not found.
    package let others: Router<ServerContext>
    private let endpoints: EndpointTable
    private let problems: ProblemMiddleware<ServerContext>
    private let stopwatch: RequestStopwatch?

    package init(_ dependencies: ServerDependencies, faces: [any Face], configuration: ServerConfiguration) {
        var router = EndpointRouter(EndpointRouter.Shared(dependencies, configuration))
        for face in faces { face.add(to: &router) }
        self.init(router.table, RequestStopwatch(dependencies))
    }

    /// Without endpoints: only for what is added to ``others``. Nothing is timed.
    init() { self.init(EndpointTable(), nil) }

    private init(_ endpoints: EndpointTable, _ stopwatch: RequestStopwatch?) {
        self.endpoints = endpoints
        self.stopwatch = stopwatch
        problems = ProblemMiddleware()
        others = Router(context: ServerContext.self)
        others.add(middleware: problems)
    }

    package func buildResponder() -> ServerResponder {
        ServerResponder(endpoints: endpoints, problems: problems, stopwatch: stopwatch, others: others.buildResponder())
    }
}

/// Answers as the endpoints say, and as the other routes where none has the path.
package struct ServerResponder: HTTPResponder {
    fileprivate let endpoints: EndpointTable
    fileprivate let problems: ProblemMiddleware<ServerContext>
    fileprivate let stopwatch: RequestStopwatch?
    fileprivate let others: RouterResponder<ServerContext>

    package func respond(to request: Request, context: ServerContext) async throws -> Response {
        let begun = stopwatch?.now()
        guard let endpoint = endpoints.find(request) else {
            let response = try await others.respond(to: request, context: context)
            stopwatch?.record(response, of: nil, since: begun)
            return response
        }
        let response = await problems.answer(request, context) { try await endpoint.answer($0, $1) }
        stopwatch?.record(response, of: endpoint.times(of: request.method), since: begun)
        return response
    }
}

/// The server with every limit set: Hummingbird itself has no time-outs (T32).
///
/// - Parameter onServerRunning: called with the port once connections are accepted.
package func buildApplication(
    _ dependencies: ServerDependencies, faces: [any Face], configuration: ServerConfiguration, logger: Logger,
    onServerRunning: @escaping @Sendable (Int) async -> Void = { _ in }
) -> some ApplicationProtocol {
    buildApplication(
        serving: ServerRouter(dependencies, faces: faces, configuration: configuration), configuration: configuration,
        logger: logger, onServerRunning: onServerRunning)
}

/// The same around whatever answers: a router that has more routes than ours, as the benchmarks' has, or the console.
package func buildApplication<Router: HTTPResponderBuilder>(
    serving router: Router, configuration: ServerConfiguration, logger: Logger,
    onServerRunning: @escaping @Sendable (Int) async -> Void
) -> some ApplicationProtocol where Router.Responder.Context == ServerContext {
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
