import Backend
import Hummingbird
import Metrics
package import PrometheusMetrics
import Synchronization

/// How long requests of one route took, by the status of their answers. Each status has its timer made once, so that a request
/// costs one look into a small dictionary.
final class RouteTimes: Sendable {
    /// From the end of a request's head until its answer is made, which is before it is sent.
    static let family = MetricFamily(
        "tenure_http_request_duration_seconds", .histogram(buckets: [0.005, 0.025, 0.1, 0.5, 2.5]),
        labels: ["method", "route", "status"],
        help: "How long requests took, from their head until the answer was made; the route is the template of the address.")

    private let method: String
    private let route: String
    private let metrics: any MetricsFactory
    private let timers = Mutex<[Int: Timer]>([:])

    /// - Parameter route: the template of the addresses, never an address itself.
    init(_ method: String, _ route: String, _ metrics: any MetricsFactory) {
        self.method = method
        self.route = route
        self.metrics = metrics
    }

    /// Of whatever is no endpoint's.
    convenience init(ofOthers metrics: any MetricsFactory) { self.init("other", "other", metrics) }

    func record(_ duration: Duration, status: Int) {
        let timer = timers.withLock { timers in
            if let known = timers[status] { return known }
            let new = Self.family.timer(method, route, String(status), in: metrics)
            timers[status] = new
            return new
        }
        timer.record(duration: duration)
    }
}

/// Times requests until they have an answer.
struct RequestStopwatch: Sendable {
    /// A clock that does not jump.
    let now: @Sendable () -> ContinuousClock.Instant
    private let others: RouteTimes

    init(_ dependencies: ServerDependencies) {
        now = dependencies.steadyClock
        others = RouteTimes(ofOthers: dependencies.metrics)
    }

    /// - Parameter route: nil where the request is for no endpoint.
    func record(_ response: Response, of route: RouteTimes?, since begun: ContinuousClock.Instant?) {
        guard let begun else { return }
        (route ?? others).record(begun.duration(to: now()), status: response.status.code)
    }
}

/// Everything that is measured of requests.
package enum ServerMetrics {
    package static let families = [RouteTimes.family]
}
