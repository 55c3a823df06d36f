import AppStoreWire
import Ledger
import Metrics
import Primitives
package import PrometheusMetrics
import Storage
import Synchronization

/// What the use cases count and time (docs/operations/metrics.md). The values of labels come from the configuration and the code:
/// never an id of a customer, a product or a subscription (T37).
struct BackendMetrics: Sendable {
    let factory: any MetricsFactory

    init(_ factory: any MetricsFactory) { self.factory = factory }

    // MARK: Apple

    static let appleCalls = MetricFamily(
        "tenure_apple_calls_total", .counter, labels: ["app", "environment", "endpoint", "result"],
        help: "Questions to Apple by what became of them; those whose result begins with notAsked were not sent.")
    static let appleCallDuration = MetricFamily(
        "tenure_apple_call_duration_seconds", .histogram(buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]),
        labels: ["endpoint"], help: "How long Apple took to answer, or to fail, where something was sent.")
    static let questionsFailed = MetricFamily(
        "tenure_questions_failed_total", .counter, labels: ["app", "reason"],
        help: "Questions about single subscriptions that were noted as failed: while they fail, access is given on credit.")

    /// A question that was put or could not be.
    func countCall(_ endpoint: String, in scope: Scope, _ result: CallResult) {
        Self.appleCalls.counter(
            scope.app.rawValue, scope.environment.rawValue, endpoint, result.word, in: factory
        ).increment()
    }

    func timeCall(_ endpoint: String, _ duration: Duration) {
        Self.appleCallDuration.timer(endpoint, in: factory).record(duration: duration)
    }

    func countFailedQuestion(_ question: FailedQuestion, of app: AppID) {
        Self.questionsFailed.counter(app.rawValue, FailureClass.of(question.reason), in: factory).increment()
    }

    /// What became of a question, for ``appleCalls``.
    enum CallResult: Sendable, Hashable {
        case answered
        case failed(AppleFailure)
        case notAsked(FailedQuestion.Unasked)

        var word: String {
            switch self {
            case .answered: "answered"
            case .failed(let failure) where failure.scope == .budget: "429"
            case .failed(let failure): FailureClass.of(failure.code)
            case .notAsked(let why): why.rawValue
            }
        }
    }

    // MARK: What comes in, and what is done later

    static let notifications = MetricFamily(
        "tenure_notifications_total", .counter, labels: ["app", "environment", "outcome"],
        help: "Notifications that were posted, by what became of them; the environment of what proves nothing is unknown.")
    static let workFailed = MetricFamily(
        "tenure_work_failed_total", .counter, labels: ["kind"],
        help: "Work that this server gave up; it stands in the queue for somebody to look at.")

    func countNotification(_ outcome: String, app: AppID, _ environment: Environment?) {
        Self.notifications.counter(app.rawValue, environment?.rawValue ?? "unknown", outcome, in: factory).increment()
    }

    // MARK: Keys

    static let usesNearEnd = MetricFamily(
        "tenure_ending_key_requests_total", .counter, labels: ["app"],
        help: "Requests with a key that ends in 7 days or less: whoever sends them must have another one by then.")

    func countUseNearEnd(of app: AppID) { Self.usesNearEnd.counter(app.rawValue, in: factory).increment() }

    // MARK: What is told to others

    static let deliveries = MetricFamily(
        "tenure_webhook_attempts_total", .counter, labels: ["app", "result"],
        help: "Attempts to hand events to receivers by what came of them: 2xx, 4xx, …, or why no answer came.")
    static let deliveryDuration = MetricFamily(
        "tenure_webhook_attempt_duration_seconds", .histogram(buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 20]), labels: ["app"],
        help: "How long receivers took to answer, or not to.")

    func countDelivery(_ result: String, of app: AppID, took: Milliseconds) {
        Self.deliveries.counter(app.rawValue, result, in: factory).increment()
        Self.deliveryDuration.timer(app.rawValue, in: factory).recordMilliseconds(took.count)
    }

    func countFailedWork(_ kind: WorkKind) { Self.workFailed.counter(kind.rawValue, in: factory).increment() }
}

extension Backend {
    /// Everything that the use cases measure, and what ``StandingGauges`` reads.
    package static let metricFamilies: [MetricFamily] =
        [
            BackendMetrics.appleCalls, BackendMetrics.appleCallDuration, BackendMetrics.questionsFailed,
            BackendMetrics.notifications, BackendMetrics.workFailed, BackendMetrics.deliveries, BackendMetrics.deliveryDuration,
            BackendMetrics.usesNearEnd,
        ] + StandingGauges.families
}

/// True once: the body of a transaction, which may run several times, counts what it keeps when it runs first. Where the
/// transaction then fails for good, one too many is counted.
final class FirstTime: Sendable {
    private let isOver = Atomic(false)

    func isNow() -> Bool { !isOver.exchange(true, ordering: .relaxed) }
}

/// The class of a failure's code: few words, where codes are without end since Apple's numbers are.
enum FailureClass {
    /// Of `apple.4040010` the part of the status, `apple.404`; `notAsked.budget` and `notAsked.unavailable` as they are; of any
    /// other code its first word, such as `network` or `unauthenticated`.
    static func of(_ code: String) -> String {
        if FailedQuestion.Unasked(rawValue: code) != nil { return code }
        let words = code.split(separator: ".", maxSplits: 1)
        guard words.first == "apple" else { return words.first.map(String.init) ?? "other" }
        guard let number = words.last.flatMap({ Int64($0) }), (400..<600).contains(number / 10_000) else { return "apple.other" }
        return "apple.\(number / 10_000)"
    }
}
