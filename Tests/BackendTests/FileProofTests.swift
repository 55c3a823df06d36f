import Foundation
import GRDB
import Ledger
import LedgerOracle
import Storage
import StorageSQLite
import Testing

@testable import Backend

/// T53, F31: changes to the file itself, by a person or by a failing disk.
@Suite struct `Proof of the file` {
    private static let schemas = [
        ("DROP TRIGGER factIsNeverDeleted", "trigger factIsNeverDeleted is missing"),
        (
            """
            DROP TRIGGER evidenceIsNeverChanged;
            CREATE TRIGGER evidenceIsNeverChanged BEFORE UPDATE ON evidence WHEN false BEGIN SELECT 1; END
            """, "trigger evidenceIsNeverChanged is: CREATE TRIGGER"
        ),
        ("DROP INDEX oneFactPerSignedTransaction", "index oneFactPerSignedTransaction is missing"),
        (
            "CREATE TRIGGER helps AFTER INSERT ON claim BEGIN DELETE FROM holding; END", "trigger helps must not be there"
        ),
        (
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, 'environment TEXT NOT NULL', 'environment TEXT') WHERE name = 'ledger'
            """, "table ledger is: CREATE TABLE ledger"
        ),
    ]

    @Test(arguments: schemas)
    func `T53 A schema that is not Tenure's is found, and reported with how it must be`(_ sql: String, _ words: String)
        async throws
    {
        try await withWorld { world in
            try await world.live()
            try await DatabaseQueue(path: world.path).writeWithoutTransaction { try $0.execute(sql: sql) }
            let differences = try await SQLiteStore(path: world.path).schemaDifferences()
            #expect(differences.contains { $0.words.hasPrefix(words) }, "\(differences.map(\.words))")
            #expect(try await world.findings().contains(.schemaDiffers))
        }
    }

    /// Tables and columns that docs/operations/verify.md lists as not proved.
    private static let unproved: [String: Set<String>] = [
        "outbox": ["*"], "work": ["*"], "operatorWarning": ["*"], "schemaVersion": ["*"],
        "tokenOfSubscription": ["*"], "tenure": ["learnedAt", "revision", "rule", "evidence"],
        "subscription": ["eventCount", "history", "isSealed"],
        "evidence": ["receivedAt"],
    ]

    /// Nor the revisions of owners before the last.
    private static let lastRevisions = """
         WHERE revision = (SELECT max(revision) FROM tenure AS other
         WHERE (other.ledger, other.originalTransactionId) = (tenure.ledger, tenure.originalTransactionId))
        """

    /// The result of proving everything in the file; nil where it cannot be read.
    private static func proved(_ path: String) -> [String]? {
        do {
            return try DatabaseQueue(path: path).read { database in
                let tables = try String.fetchAll(
                    database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
                return try tables.filter { unproved[$0] != ["*"] }.flatMap { table in
                    let rows = "SELECT * FROM \(table)" + (table == "tenure" ? lastRevisions : "")
                    return try Row.fetchAll(database, sql: rows).map { row in
                        let columns = row.columnNames.filter { !(unproved[table] ?? []).contains($0) }
                        return "\(table) " + columns.map { "\(row[$0] as DatabaseValue)" }.joined(separator: "|")
                    }.sorted()
                }
            }
        } catch {
            return nil
        }
    }

    @Test(arguments: 0..<8)
    func `F31 A flipped bit is found, or changes nothing that is proved`(_ part: Int) async throws {
        try await withWorld(policy: AppPolicy(onRestore: .transfer)) { world in
            try await world.live()
            let copy = world.path + ".copy"
            try (world.store as? SQLiteStore)?.backUp(to: copy) { _, _ in }
            let whole = [UInt8](try Data(contentsOf: URL(filePath: copy)))
            let before = try #require(Self.proved(copy))
            var chance = Chance(seed: UInt64(part))
            for _ in 0..<25 {
                let bit = chance.below(whole.count * 8)
                var bytes = whole
                bytes[bit / 8] ^= 1 << UInt8(bit % 8)
                let path = "\(world.path).\(bit)"
                try Data(bytes).write(to: URL(filePath: path))
                let isFound = await Self.isFound(path, world)
                let now = Self.proved(path)
                #expect(
                    isFound || now == before,
                    "bit \(bit) of \(whole.count) bytes: \(Set(now ?? []).symmetricDifference(before).sorted())")
            }
        }
    }

    private static func isFound(_ path: String, _ world: World) async -> Bool {
        do {
            let store = try SQLiteStore(path: path)
            let backend = Backend(
                store: store, verifier: world.apple.verifier, apps: Array(world.backend.apps.values), clock: world.clock)
            let findings = try await backend.prove(ProofDepth(rebuild: true)).findings
            try store.close()
            return !findings.isEmpty
        } catch {
            return true
        }
    }
}
