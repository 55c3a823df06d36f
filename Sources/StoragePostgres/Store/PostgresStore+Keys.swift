package import Ledger
package import Storage

/// The keys of apps.
extension PostgresStore {
    package func apiKeys(of app: AppID?) async throws -> [StoredKey] {
        try await read { try $0.connection.execute(KeyQueries.keys(of: app)).map(StoredKey.init(row:)) }
    }

    package func apiKey(_ digest: KeyDigest) async throws -> StoredKey? {
        try await read { try $0.connection.execute(KeyQueries.key(digest)).first.map(StoredKey.init(row:)) }
    }
}
