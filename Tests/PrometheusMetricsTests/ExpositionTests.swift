import Foundation
import Metrics
import SpawnedProcesses
import Testing

@testable import PrometheusMetrics

/// The text that Prometheus reads. Expected texts are written by hand from the page "Exposition formats"; promtool, where it is
/// installed, reads the same.
@Suite struct `What a scrape says` {
    private static let requests = MetricFamily(
        "test_requests_total", .counter, labels: ["app", "path"], help: "Requests.")
    private static let level = MetricFamily("test_level", .gauge, help: "A level.")
    private static let duration = MetricFamily(
        "test_duration_seconds", .histogram(buckets: [0.1, 0.5, 2]), labels: ["app"], help: "How long it took.")

    @Test func `it has each metric with its description, by name, and each series by its labels, whatever came first`() throws {
        let registry = try PrometheusRegistry([Self.requests, Self.level, Self.duration])
        Self.requests.counter("b", "/", in: registry).increment(by: 2)
        Self.requests.counter("a", "/x", in: registry).increment()
        Self.requests.counter("a", "/", in: registry).increment()
        Self.level.gauge([], in: registry).set(-1.5)
        #expect(
            registry.exposition() == """
                # HELP tenure_metrics_dropped_total \(PrometheusRegistry.dropped.help)
                # TYPE tenure_metrics_dropped_total counter
                tenure_metrics_dropped_total 0
                # HELP test_duration_seconds How long it took.
                # TYPE test_duration_seconds histogram
                # HELP test_level A level.
                # TYPE test_level gauge
                test_level -1.5
                # HELP test_requests_total Requests.
                # TYPE test_requests_total counter
                test_requests_total{app="a",path="/"} 1
                test_requests_total{app="a",path="/x"} 1
                test_requests_total{app="b",path="/"} 2

                """)
    }

    @Test func `a histogram counts in each bucket what is at most its bound, in seconds`() throws {
        let registry = try PrometheusRegistry([Self.duration])
        let timer = Self.duration.timer("a", in: registry)
        // Less than the first bound, the first bound itself, a second, and more than the last bound.
        for nanoseconds in [15_625_000, 100_000_000, 1_000_000_000, 4_000_000_000] { timer.recordNanoseconds(nanoseconds) }
        let lines = registry.exposition().split(separator: "\n").filter { $0.hasPrefix("test_duration") }
        #expect(
            lines.dropLast(2) == [
                #"test_duration_seconds_bucket{app="a",le="0.1"} 2"#, #"test_duration_seconds_bucket{app="a",le="0.5"} 2"#,
                #"test_duration_seconds_bucket{app="a",le="2"} 3"#, #"test_duration_seconds_bucket{app="a",le="+Inf"} 4"#,
            ])
        #expect(lines.last == #"test_duration_seconds_count{app="a"} 4"#)
        let sum = try #require(lines.dropLast().last?.split(separator: " ").last.flatMap { Double($0) })
        #expect(abs(sum - 5.115625) < 1e-9)
    }

    @Test func `backslashes, line feeds and quotation marks are escaped, the last in labels only`() throws {
        let family = MetricFamily("test_texts_total", .counter, labels: ["text"], help: "A \\ and\na \"word\".")
        let registry = try PrometheusRegistry([family])
        family.counter("a\\b\nc\"d é", in: registry).increment()
        let text = registry.exposition()
        #expect(text.contains("# HELP test_texts_total A \\\\ and\\na \"word\".\n"))
        #expect(text.contains("test_texts_total{text=\"a\\\\b\\nc\\\"d é\"} 1\n"))
    }

    @Test(arguments: [
        (0.0, "0"), (-0.5, "-0.5"), (1_780_272_000.125, "1780272000.125"), (1e300, "1e+300"), (.infinity, "+Inf"),
        (-.infinity, "-Inf"), (.nan, "NaN"), (9_007_199_254_740_991, "9007199254740991"),
    ])
    func `numbers are written as Go reads them`(_ value: Double, _ text: String) {
        #expect(ExpositionText.number(value) == text)
    }

    @Test func `a counter never goes down, and what is no number moves nothing`() throws {
        let registry = try PrometheusRegistry([Self.requests, Self.duration])
        let handler = registry.makeFloatingPointCounter(
            label: Self.requests.name, dimensions: [("app", "a"), ("path", "/")])
        for amount in [2.5, -1, .nan, .infinity] { handler.increment(by: amount) }
        let recorder = registry.makeRecorder(label: Self.duration.name, dimensions: [("app", "a")], aggregate: true)
        for value in [Double.nan, .infinity, 0.25] { recorder.record(value) }
        let text = registry.exposition()
        #expect(text.contains(#"test_requests_total{app="a",path="/"} 2.5"#))
        #expect(text.contains(#"test_duration_seconds_sum{app="a"} 0.25"#))
        #expect(text.contains(#"test_duration_seconds_count{app="a"} 1"#))
    }

    @Test func `what is not described, or has other labels, is dropped and counted`() throws {
        let registry = try PrometheusRegistry([Self.requests, Self.level])
        Counter(label: "hb.requests", dimensions: [], factory: registry).increment()
        Counter(label: Self.requests.name, dimensions: [("app", "a"), ("customer", "c")], factory: registry).increment()
        Counter(label: Self.requests.name, dimensions: [("app", "a")], factory: registry).increment()
        // Another kind of instrument than is described.
        Counter(label: Self.level.name, dimensions: [], factory: registry).increment()
        Self.requests.counter(String(repeating: "a", count: 257), "/", in: registry).increment()
        // Their order does not matter.
        Counter(label: Self.requests.name, dimensions: [("path", "/"), ("app", "a")], factory: registry).increment()
        let samples = registry.exposition().split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(samples == ["tenure_metrics_dropped_total 5", #"test_requests_total{app="a",path="/"} 1"#])
    }

    @Test func `what was made before is the same, and what is destroyed is not shown and makes room`() throws {
        let registry = try PrometheusRegistry([Self.requests, Self.level], mostSeries: 6)
        for _ in 0..<3 { Self.requests.counter("a", "/", in: registry).increment() }
        let second = Self.requests.counter("b", "/", in: registry)
        second.increment()
        Self.requests.counter("c", "/", in: registry).increment()
        #expect(registry.exposition().contains("tenure_metrics_dropped_total 1\n"), "two fifths of six lines are two")
        second.destroy()
        Self.requests.counter("c", "/", in: registry).increment()
        let samples = registry.exposition().split(separator: "\n").filter { $0.hasPrefix("test_") }
        #expect(samples == [#"test_requests_total{app="a",path="/"} 3"#, #"test_requests_total{app="c",path="/"} 1"#])
    }

    @Test func `gauges that are read together are shown as they were read last, and no others`() throws {
        let family = MetricFamily("test_parts", .gauge, labels: ["part"], help: "Parts.")
        let registry = try PrometheusRegistry([family, Self.level])
        let board = GaugeBoard(registry)
        board.show([GaugeReading(family, "a", value: 1), GaugeReading(family, "b", value: 2), GaugeReading(Self.level, value: 3)])
        board.show([GaugeReading(family, "b", value: 4)])
        #expect(registry.exposition().split(separator: "\n").filter { $0.hasPrefix("test_") } == [#"test_parts{part="b"} 4"#])
    }

    @Test(arguments: [
        (MetricFamily("1st", .gauge, help: "A."), MetricFamilyError.Code.name),
        (MetricFamily("requests", .counter, help: "A."), .name), (MetricFamily("level_total", .gauge, help: "A."), .name),
        (MetricFamily("level", .gauge, labels: ["a-b"], help: "A."), .labels),
        (MetricFamily("level", .gauge, labels: ["__a"], help: "A."), .labels),
        (MetricFamily("level", .gauge, labels: ["a", "a"], help: "A."), .labels),
        (MetricFamily("d_seconds", .histogram(buckets: [1]), labels: ["le"], help: "A."), .labels),
        (MetricFamily("d_seconds", .histogram(buckets: []), help: "A."), .buckets),
        (MetricFamily("d_seconds", .histogram(buckets: [1, 1]), help: "A."), .buckets),
        (PrometheusRegistry.dropped, .twice),
    ])
    func `a description that Prometheus would not read is refused`(_ family: MetricFamily, _ code: MetricFamilyError.Code) {
        #expect(throws: MetricFamilyError(code: code, name: family.name)) { try PrometheusRegistry([family]) }
    }

    @Test func `a name stands for one metric`() {
        #expect(throws: MetricFamilyError(code: .twice, name: "")) { try PrometheusRegistry([Self.level, Self.level]) }
    }
}

@Suite struct `The bounds of what is kept` {
    private static let requests = MetricFamily("test_requests_total", .counter, labels: ["customer"], help: "Requests.")
    private static let duration = MetricFamily(
        "test_duration_seconds", .histogram(buckets: [0.1, 0.5, 2]), labels: ["route"], help: "How long it took.")
    private static let level = MetricFamily("test_level", .gauge, help: "A level.")

    private static func samples(_ registry: PrometheusRegistry) -> [Substring] {
        registry.exposition().split(separator: "\n").filter { !$0.hasPrefix("#") }
    }

    @Test func `T37 a million values of a label make no new series, take no room of other metrics, and are counted`() throws {
        let registry = try PrometheusRegistry([Self.requests, Self.duration, Self.level])
        for number in 0..<1_000_000 { Self.requests.counter("customer \(number)", in: registry).increment() }
        for number in 0..<1000 { Self.duration.timer("/\(number)", in: registry).recordNanoseconds(1) }
        Self.level.gauge([], in: registry).set(1)
        let samples = Self.samples(registry)
        #expect(samples.count <= 1000)
        #expect(samples.filter { $0.hasPrefix("test_requests_total") }.count == 400)
        // A histogram of three bounds takes six lines.
        #expect(samples.filter { $0.hasPrefix("test_duration_seconds_count") }.count == 66)
        #expect(samples.contains("test_level 1"))
        #expect(samples.first == "tenure_metrics_dropped_total \(1_000_000 - 400 + 1000 - 66)")
        // Those that are kept go on counting.
        Self.requests.counter("customer 0", in: registry).increment()
        #expect(Self.samples(registry).contains(#"test_requests_total{customer="customer 0"} 2"#))
    }

    @Test func `many threads at once lose nothing and exceed nothing`() async throws {
        let registry = try PrometheusRegistry([Self.requests, Self.duration, Self.level], mostSeries: 50)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<1000 {
                        Self.requests.counter("\(number % 5)", in: registry).increment()
                        Self.requests.counter("\(task)/\(number)", in: registry).increment()
                        Self.duration.timer("/", in: registry).recordNanoseconds(1_000_000)
                        if number % 100 == 0 { _ = registry.exposition() }
                    }
                }
            }
        }
        let samples = Self.samples(registry)
        #expect(samples.count <= 50)
        #expect(samples.contains(#"test_duration_seconds_count{route="/"} 8000"#))
        let counted = samples.filter { $0.hasPrefix("test_requests_total") || $0.hasPrefix("tenure_metrics_dropped_total") }
            .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
        #expect(counted.reduce(0, +) == 16_000)
    }
}

/// Prometheus's own reader and critic, which Debian has.
@Suite struct `promtool` {
    private static let path = "/usr/bin/promtool"

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: path), "promtool is not installed"))
    func `reads a scrape and finds nothing to criticise`() throws {
        let families = [
            MetricFamily("test_requests_total", .counter, labels: ["text"], help: "Requests, \"quoted\" \\ and\nbroken."),
            MetricFamily("test_level", .gauge, help: "A level."),
            MetricFamily("test_duration_seconds", .histogram(buckets: [0.005, 1, 2.5]), labels: ["route"], help: "How long."),
            MetricFamily("test_nothing_total", .counter, help: "Never counted."),
        ]
        let registry = try PrometheusRegistry(families)
        for text in ["a", "a\\b\nc\"d", "é", ""] { families[0].counter(text, in: registry).increment() }
        for value in [1.5e300, -.infinity, .nan] { families[1].gauge([], in: registry).set(value) }
        families[2].timer("GET /{app}", in: registry).recordNanoseconds(1_500_000)
        let (status, words) = try SpawnedProcess.run([Self.path, "check", "metrics"], input: registry.exposition())
        #expect(status == 0, "\(words)")
        #expect(words.isEmpty)
    }
}
