package import Ledger

/// What those need who make keys, end them, or note their use.
package protocol KeyTransaction {
    /// The keys of an app, which are this transaction's own until it ends, also where there are none yet; by name.
    func lockKeys(of app: AppID) throws -> [StoredKey]

    /// Keeps a new key of a locked app, or one that is there with another end or use.
    ///
    /// - Throws: `StorageError` with `constraint` where another key has the digest.
    func save(_ key: StoredKey) throws
}
