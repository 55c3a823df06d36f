package import Ledger
package import Storage

/// The keys of apps.
extension SQLiteStore {
    package func apiKeys(of app: AppID?) async throws -> [StoredKey] { try read { try KeyQueries.keys(of: app, $0) } }

    package func apiKey(_ digest: KeyDigest) async throws -> StoredKey? { try read { try KeyQueries.key(digest, $0) } }
}
