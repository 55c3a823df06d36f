import Foundation

/// The app's own backend, which knows who is logged in: it signs a token for the customer (docs/operations/http-api.md).
enum Backend {
    static func tenureToken(of customer: String) async throws -> String { throw URLError(.userAuthenticationRequired) }
}
