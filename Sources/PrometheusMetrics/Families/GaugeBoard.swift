package import Metrics
internal import Synchronization

/// A value that was read, for a gauge.
package struct GaugeReading: Sendable, Hashable {
    package let family: MetricFamily
    /// Of the labels, in their order.
    package let labels: [String]
    package let value: Double

    package init(_ family: MetricFamily, _ labels: String..., value: Double) {
        self.family = family
        self.labels = labels
        self.value = value
    }
}

/// Gauges that are read together: what is not among the newest readings is not shown any more. A value that can no longer be read
/// must not stay as if it still held.
package final class GaugeBoard: Sendable {
    private let factory: any MetricsFactory
    private let shown = Mutex<[Place: Meter]>([:])

    private struct Place: Hashable {
        let family: String
        let labels: [String]
    }

    package init(_ factory: any MetricsFactory) { self.factory = factory }

    /// Shows these readings and no others.
    package func show(_ readings: [GaugeReading]) {
        shown.withLock { shown in
            var left = shown
            for reading in readings {
                let place = Place(family: reading.family.name, labels: reading.labels)
                let gauge = shown[place] ?? reading.family.gauge(reading.labels, in: factory)
                gauge.set(reading.value)
                (shown[place], left[place]) = (gauge, nil)
            }
            for (place, gauge) in left {
                gauge.destroy()
                shown[place] = nil
            }
        }
    }
}
