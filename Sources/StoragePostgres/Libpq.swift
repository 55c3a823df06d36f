import CLibpq
import Foundation
package import Storage

/// The C library that speaks to PostgreSQL, loaded when PostgreSQL is first configured, so that a server on SQLite needs none.
package struct Libpq: Sendable {
    /// libpq's own functions, by their own names.
    let functions: LibpqFunctions
    /// Such as 150018 for 15.18.
    package let version: Int

    /// The oldest that has pipeline mode.
    package static let oldestVersion = 140_000

    private static let shared = Result<Libpq, StorageError> { () throws(StorageError) in
        #if canImport(Darwin)
            try Libpq(fileName: "libpq.5.dylib")
        #else
            try Libpq(fileName: "libpq.so.5")
        #endif
    }

    /// The library, loaded once per process; where that failed it fails again until the process is started anew.
    ///
    /// - Throws: `StorageError` with `misconfigured`, which says what to install.
    package static func loaded() throws(StorageError) -> Libpq { try shared.get() }

    /// Loads the library that the system's loader finds under the name.
    init(fileName: String) throws(StorageError) {
        // Never closed: its code must outlive every connection, and the process has one.
        guard let library = dlopen(fileName, RTLD_NOW | RTLD_LOCAL) else {
            throw StorageError(
                .misconfigured,
                "PostgreSQL is configured and its client library \(fileName) cannot be loaded; install it (Debian: libpq5)")
        }
        let table = UnsafeMutablePointer<LibpqFunctions>.allocate(capacity: 1)
        defer { table.deallocate() }
        if let missing = LibpqFunctionsLoad(library, table) {
            throw StorageError(
                .misconfigured,
                "\(fileName) has no \(String(cString: missing)): it is older than 14; install a newer one (Debian: libpq5)"
            )
        }
        functions = table.move()
        version = Int(functions.PQlibVersion())
        guard version >= Self.oldestVersion else {
            throw StorageError(
                .misconfigured, "\(fileName) is of version \(version / 10_000); install 14 or newer (Debian: libpq5)")
        }
    }
}
