package import Ledger

/// What the change of an app's settings needs (OWN-17).
package protocol SettingsTransaction: OrderingTransaction {
    /// The versions of what an app chose, by number. No other transaction writes under any version of this app before this one
    /// ends. To be called before anything else is locked.
    func lockSettings(of app: AppID) throws -> [SettingsVersion]

    /// Keeps the next version; the app's settings must be locked.
    ///
    /// - Throws: `StorageError` with `constraint` where its number is taken.
    func keep(_ version: SettingsVersion) throws
}
