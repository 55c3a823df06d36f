package import Metrics
internal import Synchronization

/// Keeps what is measured, for Prometheus to read (decision 0045): the backend of swift-metrics behind `GET /metrics`.
///
/// Counters become counters; meters and recorders that do not aggregate become gauges; timers (in seconds) and recorders that
/// aggregate become histograms with the buckets of their description. Making one that is there gives the same one, so that
/// whoever measures may keep it or make it again.
///
/// How much is kept is bounded, whatever labels are given: see ``init(_:mostSeries:)``. A value that is not kept is counted in
/// ``dropped``, and nothing else happens.
package final class PrometheusRegistry: MetricsFactory {
    /// The type of what ``exposition()`` returns.
    package static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    /// What is counted of values that are not kept: of a metric that is not described or has other labels, and of series beyond
    /// the bounds.
    package static let dropped = MetricFamily(
        "tenure_metrics_dropped_total", .counter,
        help: "Measured values that were not kept: too many series, or a metric that is not described.")

    /// A value of a label that is longer, in bytes, is not kept.
    static let longestValue = 256

    private let families: [String: MetricFamily]
    private let mostLines: Int
    private let mostLinesEach: Int
    private let state = Mutex(State())
    private let droppedSeries = DroppedSeries()

    private struct State: Sendable {
        /// By metric, and by the values of its labels.
        var series: [String: [[String]: any ExposedSeries]] = [:]
        /// How many lines each metric has.
        var lines: [String: Int] = [:]
        /// All of them, and the one of what was dropped.
        var allLines = 1
    }

    /// - Parameters:
    ///   - families: what may be measured.
    ///   - mostSeries: how many lines a scrape has at the most, beside comments; a histogram takes one for each bucket and three
    ///     more. One metric takes at most two fifths of them, so that whoever calls addresses at random crowds out no other
    ///     metric.
    /// - Throws: `MetricFamilyError` where one cannot be exposed as it is described.
    package init(_ families: [MetricFamily], mostSeries: Int = 1000) throws(MetricFamilyError) {
        var known: [String: MetricFamily] = [:]
        for family in families {
            if let fault = family.fault { throw MetricFamilyError(code: fault, name: family.name) }
            guard known.updateValue(family, forKey: family.name) == nil, family.name != Self.dropped.name else {
                throw MetricFamilyError(code: .twice, name: family.name)
            }
        }
        self.families = known
        mostLines = mostSeries
        mostLinesEach = mostSeries * 2 / 5
    }

    /// All that is kept, as text: every metric with its description, sorted by name, also where nothing was measured yet; the
    /// series of each sorted by the values of their labels.
    package func exposition() -> String {
        let series = state.withLock { $0.series }
        var text = ExpositionText()
        for family in (Array(families.values) + [Self.dropped]).sorted(by: { $0.name < $1.name }) {
            text.head(of: family)
            if family == Self.dropped { text.sample(SeriesName(family, []), Double(droppedSeries.count)) }
            for (values, one) in (series[family.name] ?? [:]).sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                one.write(as: SeriesName(family, values), into: &text)
            }
        }
        return text.text
    }

    // MARK: MetricsFactory

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions, CounterSeries.self) ?? droppedSeries
    }

    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(label, dimensions, CounterSeries.self) ?? droppedSeries
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions, GaugeSeries.self) ?? droppedSeries
    }

    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        if aggregate { return series(label, dimensions, HistogramSeries.self) ?? droppedSeries }
        return series(label, dimensions, GaugeSeries.self) ?? droppedSeries
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions, HistogramSeries.self) ?? droppedSeries
    }

    package func destroyCounter(_ handler: any CounterHandler) { forget(handler) }

    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { forget(handler) }

    package func destroyMeter(_ handler: any MeterHandler) { forget(handler) }

    package func destroyRecorder(_ handler: any RecorderHandler) { forget(handler) }

    package func destroyTimer(_ handler: any TimerHandler) { forget(handler) }

    // MARK: Keeping

    /// The series, made where there is room for it; nil where it is not kept.
    private func series<Series: ExposedSeries>(
        _ name: String, _ dimensions: [(String, String)], _: Series.Type
    ) -> Series? {
        guard let family = families[name], let values = Self.values(dimensions, of: family) else { return nil }
        return state.withLock { state in
            if let known = state.series[name]?[values] { return known as? Series }
            let (lines, own) = (family.linesEach, state.lines[name] ?? 0)
            guard state.allLines + lines <= mostLines, own + lines <= mostLinesEach,
                let new = Self.new(family) as? Series
            else { return nil }
            state.series[name, default: [:]][values] = new
            state.lines[name] = own + lines
            state.allLines += lines
            return new
        }
    }

    private static func new(_ family: MetricFamily) -> any ExposedSeries {
        switch family.kind {
        case .counter: CounterSeries()
        case .gauge: GaugeSeries()
        case .histogram(let buckets): HistogramSeries(bounds: buckets)
        }
    }

    /// The values of the labels in their order; nil where they are other labels, or one has a value that is too long.
    private static func values(_ dimensions: [(String, String)], of family: MetricFamily) -> [String]? {
        guard dimensions.count == family.labels.count else { return nil }
        var values: [String] = []
        values.reserveCapacity(dimensions.count)
        for (place, label) in family.labels.enumerated() {
            // Usually they come in order.
            let dimension = dimensions[place].0 == label ? dimensions[place] : dimensions.first { $0.0 == label }
            guard let value = dimension?.1, value.utf8.count <= longestValue else { return nil }
            values.append(value)
        }
        return values
    }

    private func forget(_ handler: AnyObject) {
        state.withLock { state in
            for (name, series) in state.series {
                guard let place = series.first(where: { $0.value === handler })?.key, let family = families[name] else {
                    continue
                }
                state.series[name]?[place] = nil
                state.lines[name, default: 0] -= family.linesEach
                state.allLines -= family.linesEach
                return
            }
        }
    }
}
