package import Ledger

/// The keys of apps, for those who check what callers show, and for those who look at them.
package protocol KeyStore: Sendable {
    /// Those of an app, or of all, also those that ended; by app and name.
    func apiKeys(of app: AppID?) async throws -> [StoredKey]

    /// Nil where no app has such a key.
    func apiKey(_ digest: KeyDigest) async throws -> StoredKey?
}
