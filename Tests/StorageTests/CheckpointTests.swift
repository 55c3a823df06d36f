import Foundation
import GRDB
import Ledger
import Storage
import Testing

@testable import StorageSQLite

@Suite struct `The WAL of the SQLite file` {
    private static let page = 4096 + 24
    private static let bounds = Checkpointer.Bounds(step: 64, most: 256)

    /// Stores a document of sixteen pages.
    private static func keep(_ number: Int64, in store: SQLiteStore) async throws {
        let evidence = Evidence(form: .appReceipt, bytes: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 1 << 16))
        let fact = Life.transaction(number)
        try await store.write { write in
            try write.keep([
                Arrival(scope: Life.scope, evidence: evidence, facts: [.transaction(fact)], receivedAt: Life.start)
            ])
        }
    }

    private static func size(_ path: String) throws -> Int {
        (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }

    @Test func `A commit makes no checkpoint, and is on disk before it is acknowledged`() async throws {
        try await withDatabase { file in
            let store = try SQLiteStore(path: file.path)
            let (automatic, synchronous) = try store.onWriter { database in
                (
                    try Int.fetchOne(database, sql: "PRAGMA wal_autocheckpoint"),
                    try Int.fetchOne(database, sql: "PRAGMA synchronous")
                )
            }
            #expect(automatic == 0)
            #expect(synchronous == 2)
        }
    }

    @Test func `However much is written, the WAL keeps its bound, and its contents reach the file`() async throws {
        try await withDatabase { file in
            let store = try SQLiteStore(path: file.path, wal: Self.bounds)
            for number in 0..<80 as Range<Int64> {
                try await Self.keep(number, in: store)
                // The transaction that reaches the limit may exceed it.
                #expect(try Self.size(file.path + "-wal") <= (Int(Self.bounds.most) + 100) * Self.page)
            }
            #expect(try Self.size(file.path) > 64 << 16)
            #expect(try await store.facts(of: Life.key, limit: 100).count == 80)
            try store.close()
            #expect(try file.query { try String.fetchOne($0, sql: "PRAGMA integrity_check") } == "ok")
        }
    }

    @Test func `A reader that holds the WAL back delays no writer and fails no write; afterwards the WAL is reused`()
        async throws
    {
        try await withDatabase { file in
            let store = try SQLiteStore(path: file.path, wal: Self.bounds)
            try await Self.keep(0, in: store)
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            let reader = try DatabaseQueue(path: file.path, configuration: configuration)
            try reader.run("BEGIN; SELECT count(*) FROM fact")
            for number in 1..<48 as Range<Int64> { try await Self.keep(number, in: store) }
            #expect(try Self.size(file.path + "-wal") > Int(Self.bounds.most) * Self.page)
            try reader.run("COMMIT")
            for number in 48..<140 as Range<Int64> { try await Self.keep(number, in: store) }
            #expect(try Self.size(file.path + "-wal") < 120 << 16)
            #expect(try await store.facts(of: Life.key, limit: 1000).count == 140)
        }
    }
}
