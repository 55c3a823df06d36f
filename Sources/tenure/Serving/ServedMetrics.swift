import AppStoreGateway
import Backend
import Console
import Hummingbird
import Logging
import Metrics
import PrometheusMetrics
import Server
import ServiceLifecycle

/// What `tenure serve` measures, and the listener that shows it; without one nothing is measured.
struct ServedMetrics: Sendable {
    private let listener: MetricsListenerConfiguration?
    private let registry: PrometheusRegistry?

    /// Everything that is measured, in all rooms (docs/operations/metrics.md).
    static let families =
        Backend.metricFamilies + AppStoreGateway.metricFamilies + ServerMetrics.families
        + ConsoleDependencies.metricFamilies

    /// - Parameter listener: nil where nobody is to read metrics.
    /// - Throws: `MetricFamilyError`, where two rooms describe the same metric.
    init(at listener: MetricsListenerConfiguration?) throws {
        self.listener = listener
        registry = try listener.map { _ in try PrometheusRegistry(Self.families) }
    }

    /// Where is measured.
    var factory: any MetricsFactory { registry ?? NOOPMetricsHandler.instance }

    /// Listens; nil where nobody is to read metrics.
    func service(
        of backend: Backend, desk: AppleDesk?, gateway: AppStoreGateway?, logger: Logger
    ) -> (any Service)? {
        guard let listener, let registry else { return nil }
        let standing = StandingGauges(backend, desk: desk, metrics: registry)
        let hosts = GaugeBoard(registry)
        return buildMetricsListener(listener, logger: logger) {
            await standing.read()
            hosts.show(gateway?.gauges ?? [])
            return registry.exposition()
        } onServerRunning: { port in
            logger.notice("metrics can be read", metadata: ["address": "\(listener.host):\(port)"])
        }
    }
}
