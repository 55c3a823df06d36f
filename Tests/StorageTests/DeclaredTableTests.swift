import GRDB
import Ledger
import Storage
import StorageConformance
import StorageSQLite
import Testing

@Suite struct `Declared tables` {
    private static func schema() async throws -> [String: Set<String>] {
        try await withDatabase { file in
            _ = try SQLiteStore(path: file.path)
            return try file.query { database in
                let tables = try String.fetchAll(
                    database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'")
                let columns = try tables.map { table in (table, Set(try database.columns(in: table).map(\.name))) }
                return Dictionary(uniqueKeysWithValues: columns)
            }
        }
    }

    @Test func `The columns that rows declare are the columns of SQLite's schema`() async throws {
        #expect(DeclaredTables.all.differences(from: try await Self.schema()) == [])
    }

    @Test func `A column or a table that only one side has is named`() async throws {
        var schema = try await Self.schema()
        schema["fact"]?.insert("fetchedAt")
        schema["claim"]?.remove("claimedAt")
        schema["invoice"] = ["id"]
        schema["outbox"] = nil
        #expect(
            DeclaredTables.all.differences(from: schema) == [
                "claim.claimedat is declared, but not in the schema",
                "the schema has fact.fetchedat, which no row declares",
                "the schema has the table invoice, which no row declares",
                "a row of the table outbox is declared, but not in the schema",
            ])
    }

    /// A list of columns is read by the places of its cases.
    @Test func `The place of a column is its place in the list`() {
        func check<Column: StoredColumn>(_ columns: Column.Type) {
            #expect(Column.allCases.map(\.rawValue) == Array(0..<Column.allCases.count), "\(columns)")
        }
        let read: [any ReadRow.Type] = [
            NumberedScope.self, CustomerRow.self, JWSHeaderRow.self, PolicyRow.self, StoredDocument.self, NotificationRow.self,
            FactlessNotification.self, StoredContents.KeptFact.self, NumberedClaim.self, StoredRegistration.self,
            SubscriptionPlace.self, FoundSubscription.self, SubscriptionRows.AliasRow.self, SubscriptionRows.TenureRow.self,
            SubscriptionRows.Audit.self, OperatorWarning.self, SealRow.self, MissedHead.self, SettingsVersion.self,
            StoredJob.self, JobRow.self, RefundPlace.self, CustomerDelivery.self, StoredEndpoint.self, StoredAttempt.self,
            StoredParkedEvent.self,
        ]
        func check<Row: ReadRow>(_ row: Row.Type) { check(Row.Column.self) }
        for row in read { check(row) }
        for columns in [OutboxEntry.Column.self, WorkColumn.self, ChainHead.Column.self] as [any StoredColumn.Type] {
            check(columns)
        }
    }
}
