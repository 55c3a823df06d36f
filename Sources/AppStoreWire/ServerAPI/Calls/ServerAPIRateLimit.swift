public import Primitives

/// How often an app may call an endpoint.
///
/// Apple counts over an hour: 50 per second are 180,000 in any hour, however they are distributed. Sandbox allows a tenth.
///
/// Source: Apple, App Store Server API, Identifying rate limits.
public struct ServerAPIRateLimit: Sendable, Hashable {
    /// Requests per second and app in Production.
    public let requestsPerSecond: Int64
    /// Whether Apple documents the figure; false: it is the lowest one that Apple documents for any endpoint.
    public let isDocumented: Bool

    private init(_ requestsPerSecond: Int64, isDocumented: Bool = true) {
        self.requestsPerSecond = requestsPerSecond
        self.isDocumented = isDocumented
    }

    /// Reading transactions, statuses and notifications, finishing, and consumption.
    public static let fiftyPerSecond = ServerAPIRateLimit(50)
    /// Extending one renewal date, setting a token.
    public static let twentyPerSecond = ServerAPIRateLimit(20)
    /// Orders, refunds, default messages.
    public static let tenPerSecond = ServerAPIRateLimit(10)
    /// Extending all renewal dates, test notifications, other retention messaging.
    public static let onePerSecond = ServerAPIRateLimit(1)
    /// Not documented: treated as the lowest.
    public static let undocumented = ServerAPIRateLimit(1, isDocumented: false)

    /// Requests in any hour: what Apple enforces. Sandbox and every other test environment allow a tenth of Production.
    public func requestsPerHour(in environment: Environment) -> Int64 {
        environment == .production ? requestsPerSecond * 3600 : requestsPerSecond * 360
    }
}
