import Foundation
import PrometheusMetrics
import Server
import Testing

@testable import tenure

@Suite struct `Metrics of the program` {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func configuration(_ http: String) throws -> TenureConfiguration {
        let app = """
            {"id":"one","bundleId":"com.example.one","appAppleId":1,"publicKey":"tpk_one",\
            "serverKeySHA256":"\(String(repeating: "01", count: 32))","products":{"a":["plus"]}}
            """
        let json = #"{"http":\#(http),"database":{"sqlite":"x"},"apps":[\#(app)]}"#
        return try TenureConfiguration(json: Array(json.utf8), environment: [:])
    }

    @Test func `nothing is measured and nobody listens unless a port is configured`() throws {
        #expect(try Self.configuration("{}").metrics == nil)
        let metrics = try ServedMetrics(at: nil)
        #expect(!(metrics.factory is PrometheusRegistry))
        #expect(try ServedMetrics(at: MetricsListenerConfiguration(port: 9100)).factory is PrometheusRegistry)
    }

    @Test func `the listener is on this machine alone unless another address is configured`() throws {
        let local = try #require(try Self.configuration(#"{"metricsPort":9100}"#).metrics)
        #expect(local.host == "127.0.0.1" && local.port == 9100)
        let open = try #require(try Self.configuration(#"{"metricsPort":0,"metricsAddress":"10.0.0.7"}"#).metrics)
        #expect(open.host == "10.0.0.7" && open.port == 0)
    }

    @Test(arguments: [
        (#"{"metricsPort":65536}"#, "http.metricsPort must be a whole number from 0 to 65535."),
        (#"{"metricsPort":"9100"}"#, "http.metricsPort must be a whole number from 0 to 65535."),
        (#"{"metricsPort":9100,"metricsAddress":""}"#, "http.metricsAddress must be a non-empty text."),
        (#"{"metricsAddress":"10.0.0.7"}"#, "http.metricsAddress says nothing without http.metricsPort."),
        (
            #"{"port":9100,"metricsPort":9100}"#,
            "http.metricsPort is the port of the API too: metrics have a listener of their own."
        ),
    ])
    func `a wrong member is named`(_ http: String, _ words: String) throws {
        let error = #expect(throws: CommandError.self) { try Self.configuration(http) }
        #expect(error?.description == words)
    }

    /// A line of the page's table.
    private struct Row: Hashable, Comparable {
        let name: String
        let labels: String
        let kind: String

        static func < (left: Row, right: Row) -> Bool { left.name < right.name }
    }

    @Test func `the page of metrics has each of them, with its labels and its kind, and no other`() throws {
        let page = try String(contentsOf: Self.root.appending(path: "docs/operations/metrics.md"), encoding: .utf8)
        let rows = page.matches(of: #/(?m)^\| `(tenure_\w+)(?:\{([\w,]+)\})?` \| (\w+) \| /#).map {
            Row(name: String($0.output.1), labels: String($0.output.2 ?? ""), kind: String($0.output.3))
        }
        let described = (ServedMetrics.families + [PrometheusRegistry.dropped]).map { family in
            let kind =
                switch family.kind {
                case .counter: "counter"
                case .gauge: "gauge"
                case .histogram: "histogram"
                }
            return Row(name: family.name, labels: family.labels.joined(separator: ","), kind: kind)
        }
        #expect(rows.sorted() == described.sorted())
        // What a scrape names is what is described.
        let named = try PrometheusRegistry(ServedMetrics.families).exposition().matches(of: #/(?m)^# TYPE (\w+) /#)
            .map { String($0.output.1) }
        #expect(named == rows.map(\.name).sorted())
    }

    @Test func `T37 no label names anybody or anything that is bought`() {
        #expect(
            Set(ServedMetrics.families.flatMap(\.labels)) == [
                "app", "endpoint", "environment", "host", "kind", "method", "outcome", "reason", "result", "route", "status",
                // Of certificates: whose, which, and the beginning of its SHA-256.
                "name", "role", "sha256",
            ])
    }
}
