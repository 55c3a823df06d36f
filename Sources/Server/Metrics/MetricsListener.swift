package import Hummingbird
package import Logging
import PrometheusMetrics

/// Where metrics can be read. A listener of its own, so that no proxy in front of the API shows it.
package struct MetricsListenerConfiguration: Sendable, Hashable {
    /// Where to listen: whoever reaches the address may read everything, and nobody is asked for a key.
    package var host = "127.0.0.1"
    /// 0 takes any free port.
    package var port: Int

    package init(port: Int) { self.port = port }
}

/// Answers `GET /metrics` and nothing else.
///
/// - Parameters:
///   - exposition: the text of a scrape, in Prometheus's format 0.0.4.
///   - onServerRunning: called with the port once connections are accepted.
package func buildMetricsListener(
    _ configuration: MetricsListenerConfiguration, logger: Logger,
    exposition: @escaping @Sendable () async -> String,
    onServerRunning: @escaping @Sendable (Int) async -> Void = { _ in }
) -> some ApplicationProtocol {
    let router = ServerRouter()
    router.others.get("metrics") { _, _ in Response.text(await exposition(), PrometheusRegistry.mediaType) }
    var limits = ServerConfiguration()
    (limits.host, limits.port) = (configuration.host, configuration.port)
    // A Prometheus or two, and somebody who looks.
    (limits.maximumConnections, limits.maximumPipelinedRequests) = (16, 4)
    return buildApplication(serving: router, configuration: limits, logger: logger, onServerRunning: onServerRunning)
}
