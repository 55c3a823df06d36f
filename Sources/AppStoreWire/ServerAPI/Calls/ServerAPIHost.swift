public import Primitives

/// A host of the App Store Server API.
///
/// A transaction that Production does not know may belong to the Sandbox, which is asked next: see
/// ``ServerAPIErrorCode/mayBeOfOtherEnvironment``.
///
/// Source: Apple, App Store Server API, overview.
public struct ServerAPIHost: Sendable, Hashable {
    /// Scheme and authority, without a slash at the end, such as `https://api.storekit.apple.com`.
    public let baseURL: String
    /// The environment whose purchases it knows.
    public let environment: Environment

    /// Another host, such as a simulator or a proxy; `baseURL` must not end in a slash.
    public init(baseURL: String, environment: Environment) {
        self.baseURL = baseURL
        self.environment = environment
    }

    /// Where customers pay.
    public static let production = ServerAPIHost(baseURL: "https://api.storekit.apple.com", environment: .production)
    /// Where testers buy, TestFlight included.
    public static let sandbox = ServerAPIHost(baseURL: "https://api.storekit-sandbox.apple.com", environment: .sandbox)
    /// The name of ``production`` until May 2026, which still answers.
    public static let legacyProduction = ServerAPIHost(
        baseURL: "https://api.storekit.itunes.apple.com", environment: .production)
    /// The name of ``sandbox`` until May 2026, which still answers.
    public static let legacySandbox = ServerAPIHost(
        baseURL: "https://api.storekit-sandbox.itunes.apple.com", environment: .sandbox)
}
