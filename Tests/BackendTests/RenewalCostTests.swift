import Foundation
import GRDB
import Ledger
import Primitives
import Storage
import Testing

@testable import Backend

/// Every row of a SQLite file, so that what one notification writes can be counted.
private struct WholeFile {
    /// For each table its rows by their primary keys.
    private let tables: [String: [[DatabaseValue]: [DatabaseValue]]]

    init(path: String) throws {
        tables = try DatabaseQueue(path: path).read { database in
            let names = try String.fetchAll(database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
            return try Dictionary(uniqueKeysWithValues: names.map { ($0, try Self.rows(of: $0, database)) })
        }
    }

    private static func rows(of table: String, _ database: Database) throws -> [[DatabaseValue]: [DatabaseValue]] {
        let key = try database.primaryKey(table).columns
        var rows: [[DatabaseValue]: [DatabaseValue]] = [:]
        for row in try Row.fetchAll(database, sql: "SELECT * FROM \(table)") {
            rows[key.map { row[$0] }] = Array(row.databaseValues)
        }
        return rows
    }

    /// How many rows were written or deleted since, and the number of bytes in the written ones.
    struct Change: Equatable, CustomStringConvertible {
        var rows = 0
        var bytes = 0

        var description: String { "\(rows) rows, \(bytes) bytes" }
    }

    func changes(since before: WholeFile) -> [String: Change] {
        var changes: [String: Change] = [:]
        for (table, rows) in tables {
            let old = before.tables[table] ?? [:]
            for (key, row) in rows where old[key] != row {
                changes[table, default: Change()].rows += 1
                changes[table, default: Change()].bytes += row.reduce(0) { $0 + Self.size(of: $1) }
            }
            for key in old.keys where rows[key] == nil { changes[table, default: Change()].rows += 1 }
        }
        return changes
    }

    /// Counted as in the benchmark: how SQLite packs a number is ignored.
    private static func size(of value: DatabaseValue) -> Int {
        switch value.storage {
        case .null: 0
        case .int64, .double: 8
        case .string(let text): text.utf8.count
        case .blob(let bytes): bytes.count
        }
    }
}

@Suite struct `What a notification writes` {
    /// Ids as long as Apple's.
    private static let purchase = Purchase().with { purchase in
        (purchase.transactionId, purchase.originalTransactionId) = ("2000000845210001", "2000000845210001")
        purchase.webOrderLineItemId = "2000000086441201"
    }

    /// Apple's notification of the renewal of that number.
    private static func renewal(_ number: Int64) -> Notification {
        let purchase = Self.purchase.renewed(number).with { purchase in
            purchase.transactionId = "200000084521\(1000 + number)"
            purchase.webOrderLineItemId = "200000008644\(1300 + number)"
        }
        var info = RenewalInfo(originalTransactionId: purchase.originalTransactionId)
        info.signedDate = purchase.signedDate
        return Notification(
            "5b1e0c9a-71c0-4a0e-9d5e-00000000000\(number)", number == 0 ? "SUBSCRIBED" : "DID_RENEW", about: purchase,
            renewalInfo: info)
    }

    @Test func `A renewal of an owned subscription writes at most 13 rows and 4.5 KB`() async throws {
        try await withWorld { world in
            _ = try await world.claim(World.alice, .purchase, Self.purchase)
            for number in 0...2 as ClosedRange<Int64> {
                world.clock.set(PretendAppStore.june.adding(.days(30 * number + 1)))
                #expect(try await world.receive(Self.renewal(number)) == .applied)
                _ = try await world.backend.seal()
            }
            let before = try WholeFile(path: world.path)
            world.clock.set(PretendAppStore.june.adding(.days(91)))
            #expect(try await world.receive(Self.renewal(3)) == .applied)
            let changes = try WholeFile(path: world.path).changes(since: before)
            let list = changes.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "\n")
            #expect(changes.values.reduce(0) { $0 + $1.rows } <= 13, "\(list)")
            #expect(changes.values.reduce(0) { $0 + $1.bytes } <= 4608, "\(list)")
        }
    }
}
