internal import Primitives
package import PrometheusMetrics

/// What it knows of the hosts, for metrics. How many hosts there are is a matter of the configuration.
extension AppStoreGateway {
    static let breakerOpen = MetricFamily(
        "tenure_apple_breaker_open", .gauge, labels: ["host"],
        help: "1 from when a host failed too often and is left alone until a call is answered again.")
    static let clockSkew = MetricFamily(
        "tenure_apple_clock_skew_seconds", .gauge, labels: ["host"],
        help: "How far this server's clock is ahead of the host's, as its last answer said; negative: behind.")

    package static let metricFamilies = [breakerOpen, clockSkew]

    /// The hosts that have been called.
    package var gauges: [GaugeReading] {
        hostStates.flatMap { state in
            [
                GaugeReading(Self.breakerOpen, state.host, value: state.breaker == .closed ? 0 : 1),
                state.appleDate.map { GaugeReading(Self.clockSkew, state.host, value: Double($0.lead.count) / 1000) },
            ].compactMap { $0 }
        }
    }
}
