import GRDB
import GRDBSQLite
import Storage
import Synchronization

/// Moves what stands in the WAL into the file beside the commits, on a connection of its own: a checkpoint writes and flushes
/// thousands of pages, and the commit that it would fall to, with all who wait for it, would wait for that (decision 0029).
///
/// While commits go on it never quite reaches the end of the WAL, which begins anew only from there. So where the WAL has as many
/// pages as it may, the writer waits for what is under way, and moves the little that is left before its next transaction.
final class Checkpointer: Sendable {
    struct Bounds: Sendable {
        /// After so many more pages of WAL it begins: 8 MB.
        var step: Int32 = 2048
        /// So many pages the WAL may have, 32 MB, unless a reader holds back what is to be moved.
        var most: Int32 = 8192
    }

    private let bounds: Bounds
    private let queue: DatabaseQueue
    /// How many pages the WAL has after the last commit.
    private let pages = Atomic<Int32>(0)
    /// With how many it begins next, and with how many the writer waits.
    private let begin: Atomic<Int32>
    private let limit: Atomic<Int32>
    private let isAtWork = Atomic(false)
    /// Told what the disk refused.
    private let failed: @Sendable (StorageError) -> Void

    init(path: String, _ bounds: Bounds, failed: @escaping @Sendable (StorageError) -> Void) throws {
        self.bounds = bounds
        begin = Atomic(bounds.step)
        limit = Atomic(bounds.most)
        var configuration = Configuration()
        configuration.label = "tenure.checkpoint"
        queue = try DatabaseQueue(path: path, configuration: configuration)
        self.failed = failed
    }

    /// Has itself told of the commits of the writer's connection, which makes no checkpoints by itself from then on.
    func watch(_ writer: Database) throws {
        try writer.execute(sql: "PRAGMA wal_autocheckpoint = 0")
        sqlite3_wal_hook(
            writer.sqliteConnection,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                Unmanaged<Checkpointer>.fromOpaque(context).takeUnretainedValue().note(pages)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Called inside the writer's commit.
    private func note(_ pages: Int32) {
        if pages < self.pages.exchange(pages, ordering: .relaxed) {
            // It has begun anew.
            begin.store(bounds.step, ordering: .relaxed)
            limit.store(bounds.most, ordering: .relaxed)
        }
        guard pages >= begin.load(ordering: .relaxed), !isAtWork.exchange(true, ordering: .acquiring) else { return }
        begin.store(pages + bounds.step, ordering: .relaxed)
        queue.asyncWriteWithoutTransaction { database in
            self.move(database)
            self.isAtWork.store(false, ordering: .releasing)
        }
    }

    /// To be called by the writer before a transaction: waits, where the WAL is as large as it may be, and moves the rest of it.
    func keepBound(_ writer: Database) {
        guard pages.load(ordering: .relaxed) >= limit.load(ordering: .relaxed) else { return }
        // Behind what is under way.
        queue.writeWithoutTransaction { _ in }
        move(writer)
        // What a reader holds back is tried again when there is as much again.
        limit.store(pages.load(ordering: .relaxed) + bounds.most, ordering: .relaxed)
    }

    /// As much as no reader needs, without waiting for anybody.
    private func move(_ database: Database) {
        // Nil once it is closed.
        guard let connection = database.sqliteConnection else { return }
        let code = sqlite3_wal_checkpoint_v2(connection, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        // What was refused once may be answered as if all were well when it is asked again (F03). Of anything else a later
        // commit hears.
        if code & 0xFF == SQLITE_IOERR { failed(StorageError(code, of: connection)) }
    }

    /// Moves everything, and leaves an empty WAL; by the writer, outside a transaction. Waits for who reads, as long as the
    /// connection may wait; what a reader still holds back then is emptied some other time.
    ///
    /// - Returns: whether it is empty.
    @discardableResult
    func truncate(_ writer: Database) throws -> Bool {
        queue.writeWithoutTransaction { _ in }
        guard let connection = writer.sqliteConnection else { return false }
        let code = sqlite3_wal_checkpoint_v2(connection, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        guard code == SQLITE_OK || code & 0xFF == SQLITE_BUSY else { throw StorageError(code, of: connection) }
        return code == SQLITE_OK
    }

    /// Before the writer's connection, which tidies up as the last one.
    func close() throws { try queue.close() }
}
