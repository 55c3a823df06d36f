/// The App Store server environment that a payload names, in Apple's spelling.
///
/// Production and Sandbox are separate ledgers (FACT-4). The spelling is compared exactly: `production` is not an environment.
///
/// Source: Apple, App Store Server API, `environment`.
public enum Environment: String, Sendable, Hashable, Codable, CodingKeyRepresentable, CaseIterable {
    case production = "Production"
    case sandbox = "Sandbox"
    /// StoreKit Testing in Xcode; accepted only where its own root is configured (FACT-4).
    case xcode = "Xcode"
    /// A local test environment of Apple's libraries; accepted only where its own root is configured (FACT-4).
    case localTesting = "LocalTesting"

    /// Whether Apple's servers know what is bought in it, so that they can be asked.
    package var hasServerAPI: Bool { self == .production || self == .sandbox }
}
