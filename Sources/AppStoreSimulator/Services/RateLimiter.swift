package import AppStoreModel
package import Primitives

/// An endpoint as one app sees it in one environment: what has a limit and a count of its own.
package struct CalledEndpoint: Sendable, Hashable, Codable {
    package let app: AppNumber
    package let environment: Environment
    package let endpoint: ServiceEndpoint

    package init(app: AppNumber, environment: Environment, endpoint: ServiceEndpoint) {
        self.app = app
        self.environment = environment
        self.endpoint = endpoint
    }
}

/// How often an app may call each endpoint, counted over an hour from the first call on.
///
/// Source: Apple, "Identifying rate limits": each endpoint by itself; in Sandbox a tenth.
struct RateLimiter: Sendable {
    /// A limit in place of Apple's.
    struct Chosen: Sendable, Hashable, Codable {
        let of: CalledEndpoint
        let perHour: Int64
    }

    private struct Window {
        var begins: Timestamp
        var count: Int64 = 0
    }

    /// Whether Apple's limits apply where no other is chosen.
    private let appliesApples: Bool
    private var chosen: [CalledEndpoint: Int64] = [:]
    private var windows: [CalledEndpoint: Window] = [:]

    private static let hour = Milliseconds.hours(1)

    init(appliesApples: Bool) { self.appliesApples = appliesApples }

    /// The chosen limits, in order, for a saved state.
    var allChosen: [Chosen] {
        chosen.map { Chosen(of: $0, perHour: $1) }.sorted {
            ($0.of.app, $0.of.environment.rawValue, $0.of.endpoint.rawValue)
                < ($1.of.app, $1.of.environment.rawValue, $1.of.endpoint.rawValue)
        }
    }

    func isChosen(_ called: CalledEndpoint) -> Bool { chosen[called] != nil }

    /// The most calls in an hour; nil: as many as one likes.
    func perHour(_ called: CalledEndpoint) -> Int64? {
        if let limit = chosen[called] { return limit }
        return appliesApples ? called.endpoint.callsPerSecond * 3600 / (called.environment == .sandbox ? 10 : 1) : nil
    }

    /// - Parameter perHour: nil: Apple's again, where these apply.
    mutating func choose(_ perHour: Int64?, for called: CalledEndpoint) { chosen[called] = perHour }

    /// In place of all that were chosen; the hours begin anew.
    mutating func reset(to limits: [Chosen]) {
        chosen = Dictionary(limits.map { ($0.of, $0.perHour) }) { $1 }
        forgetHours()
    }

    /// Hours that were measured by another clock mean nothing.
    mutating func forgetHours() { windows = [:] }

    /// Counts a call; returns when to retry, if the call exceeds the limit.
    mutating func count(_ called: CalledEndpoint, at now: Timestamp) -> Timestamp? {
        guard let most = perHour(called) else { return nil }
        var window = windows[called] ?? Window(begins: now)
        if now.since(window.begins) >= Self.hour || now < window.begins { window = Window(begins: now) }
        defer { windows[called] = window }
        guard window.count < most else { return window.begins.adding(Self.hour) }
        window.count += 1
        return nil
    }
}
