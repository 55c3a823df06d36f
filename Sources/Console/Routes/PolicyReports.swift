import HTTPTypes
import Hummingbird
import Logging
import Metrics
import PrometheusMetrics
import Server
import StrictJSON

/// What browsers did not do because the console's Content-Security-Policy forbids it. Anybody can send such a report: it is
/// counted, one in a while is a line of the log, and nothing else follows from it.
///
/// Source: Content Security Policy 3, section 5.3 (`application/csp-report`).
final class PolicyReports: Sendable {
    static let segments = ["csp-report"]
    static let path = "/csp-report"

    static let family = MetricFamily(
        "tenure_console_policy_reports_total", .counter, labels: [],
        help: "Reports of browsers of what the console's Content-Security-Policy forbade, and whatever else was posted there.")

    private let lines = LogSampler(every: .seconds(60))
    private let counter: Counter

    init(_ metrics: any MetricsFactory) { counter = Self.family.counter(in: metrics) }

    /// More than a browser writes.
    private static let longest = 8 * 1024

    func take(_ call: ConsoleCall) async -> Response {
        guard call.request.method == .post else { return Response(status: .methodNotAllowed, headers: [.allow: "POST"]) }
        counter.increment()
        do {
            try await call.reading(upTo: Self.longest) { body in
                guard let skipped = lines.admits() else { return }
                call.context.logger.warning("console.policyReport", metadata: Self.metadata(of: body, skipped: skipped))
            }
        } catch {
            // What is too long or did not come whole is counted, and that is all.
            return Response(status: .badRequest)
        }
        return Response(status: .noContent)
    }

    /// Which rule forbade what. Not on which page, whose address may name a customer.
    private static func metadata(of body: [UInt8], skipped: Int) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["unlogged": "\(skipped)"]
        do {
            let report = try JSONDocument(body).root.object?["csp-report"]?.object
            for name in ["effective-directive", "violated-directive", "blocked-uri", "source-file"] {
                if let text = report?[name]?.string { metadata[name] = "\(plain(text))" }
            }
        } catch {
            metadata["error"] = "no JSON"
        }
        return metadata
    }

    /// The beginning of it, without a query and without control characters.
    private static func plain(_ text: String) -> String {
        let shown = text.prefix { $0 != "?" && $0 != "#" }.unicodeScalars.prefix(120)
        return String(String.UnicodeScalarView(shown.map { $0.value < 32 || $0.value == 127 ? "\u{FFFD}" : $0 }))
    }
}
