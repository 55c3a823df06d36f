package import Primitives
package import Storage

/// What the database knows of its own backups: `tenure backup` writes into the operators' audit that it made one. A copy does not
/// name itself, since it is made before.
extension Backend {
    /// A backup that `tenure backup` made.
    package struct KnownBackup: Sendable, Hashable {
        /// When it was whole, on the machine's clock.
        package let madeAt: Timestamp
        /// The file's name without its folder; nil where the row says none.
        package let file: String?
        /// How long it is, such as `4096 bytes`; nil where the row says nothing.
        package let size: String?
    }

    /// The last one that is known; nil where none is. What other tools copied is not known here.
    ///
    /// - Throws: `BackendError`.
    package func lastBackup() async throws -> KnownBackup? {
        try await notes(of: .madeBackup, limit: 1).first.map {
            KnownBackup(madeAt: $0.act.at, file: $0.act.subject, size: $0.act.detail)
        }
    }

    /// Notes in a database that a copy of it was made.
    ///
    /// - Parameters:
    ///   - store: of the database that was copied.
    ///   - file: the copy's name without its folder.
    ///   - size: of the copy, in bytes.
    ///   - instant: when the copy was whole, on the machine's clock.
    /// - Throws: `StorageError`.
    package static func noteBackup(in store: any Store, file: String, size: Int64, at instant: Timestamp) async throws {
        var note = OperatorNote(by: OperatorName.commandLine, at: instant, AuditedAct.madeBackup.rawValue)
        (note.subject, note.detail) = (file.bounded(to: 500), "\(size) bytes")
        try await store.write { [note] in _ = try $0.append(note) }
    }
}
