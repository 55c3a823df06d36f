import Logging
import Storage
import StorageSQLite

/// A store that was opened, and what belongs to it.
struct OpenDatabase {
    let store: any Store
    /// The SQLite store, where it is one: it alone can be copied from here.
    let sqlite: SQLiteStore?
    /// The failures after which the process must be started anew; nil where there are none such.
    let failures: AsyncStream<StorageError>?

    init(_ address: DatabaseAddress, logger: Logger) async throws {
        switch address {
        case .sqlite(let path):
            let opened = try SQLiteStore(path: path)
            (store, sqlite, failures) = (opened, opened, opened.failures)
        case .postgres:
            throw CommandError("PostgreSQL is not built in yet.")
        }
    }

    func close() async throws {}
}
