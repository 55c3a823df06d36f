/// The version of the tables, the same in every store; each store's own file says how they are made (docs/decisions/0029).
package enum StoreSchema {
    /// What this version of Tenure writes; a database with a higher number is refused.
    package static let version: Int64 = 21

    /// The oldest that can be brought up to date. Those before were never released.
    package static let oldest: Int64 = 8

    /// - Throws: `StorageError` where a database of that version cannot be brought to this one: `corrupt`, since no released
    ///   version wrote it.
    package static func checkPresent(_ version: Int64) throws(StorageError) {
        guard version >= oldest else {
            throw StorageError(
                .corrupt,
                "the database has schema \(version), which no released version of Tenure wrote; begin with an empty one")
        }
    }
}
