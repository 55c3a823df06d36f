import PrivatePostgres
import Storage
import StorageConformance
import Testing

@testable import StoragePostgres

extension PostgresTests {
    /// T53: changes by somebody who owns the tables.
    @Suite struct `Proof of the schema` {
        /// Runs the body with a migrated database and a connection of its owner.
        private static func withSchema(
            _ body: (PostgresConnection) async throws -> Void
        ) async throws {
            let server = try PrivatePostgres.shared()
            try await server.withDatabase { name in
                let owner = try PostgresConnection(try server.settings(server.url(name)), libpq: try Libpq.loaded())
                defer { owner.close() }
                try owner.migrate(applicationRole: nil)
                try await body(owner)
            }
        }

        @Test func `T53 An unchanged schema has no differences, and the check leaves nothing behind`() async throws {
            try await Self.withSchema { owner in
                #expect(try owner.schemaDifferences() == [])
                #expect(try owner.schemaDifferences() == [])
                #expect(try owner.one("SELECT count(*) FROM pg_class WHERE relpersistence = 't'").integer(0) == 0)
                // An operator's own index is permitted.
                try owner.runScript("CREATE INDEX mine ON claim (customer)")
                #expect(try owner.schemaDifferences() == [])
            }
        }

        @Test func `The columns that rows declare are the columns of PostgreSQL's schema`() async throws {
            try await Self.withSchema { owner in
                let columns = PostgresStatement(
                    """
                    SELECT relname, attname FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
                    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
                    """)
                var schema: [String: Set<String>] = [:]
                for row in try owner.execute(columns) { schema[try row.text(0), default: []].insert(try row.text(1)) }
                #expect(DeclaredTables.all.differences(from: schema) == [])
            }
        }

        private static let changes = [
            ("DROP TRIGGER neverChanged ON fact", "trigger neverchanged of fact is missing"),
            ("ALTER TABLE audit DISABLE TRIGGER neverChanged", "trigger neverchanged of audit is: 58 D"),
            (
                """
                CREATE OR REPLACE FUNCTION refuseChange() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$
                """, "trigger neverchanged of audit is: 58 O"
            ),
            (
                """
                CREATE FUNCTION helps() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
                CREATE TRIGGER helps BEFORE INSERT ON evidence FOR EACH ROW EXECUTE FUNCTION helps()
                """, "trigger helps of evidence must not be there"
            ),
            ("CREATE RULE none AS ON INSERT TO audit DO INSTEAD NOTHING", "rule none of audit must not be there"),
            ("DROP INDEX oneFactPerSignedTransaction", "index onefactpersignedtransaction is missing"),
            ("ALTER TABLE audit DROP CONSTRAINT audit_pkey", "constraint of audit PRIMARY KEY"),
            ("DROP INDEX oneDocumentPerNotification", "index onedocumentpernotification is missing"),
            ("ALTER TABLE periodAlias DROP CONSTRAINT periodalias_check", "constraint of periodalias CHECK"),
            ("ALTER TABLE fact DROP CONSTRAINT fact_evidence_fkey", "constraint of fact FOREIGN KEY (evidence)"),
            ("ALTER TABLE fact ALTER COLUMN decoded DROP NOT NULL", "column fact.decoded is: bytea. It must be: bytea NOT NULL"),
            ("ALTER TABLE outbox SET UNLOGGED", "table outbox is: unlogged"),
            ("DROP TABLE holding", "table holding is missing"),
        ]

        @Test(arguments: changes)
        func `T53 A schema that is not Tenure's is found, and reported with how it must be`(_ sql: String, _ words: String)
            async throws
        {
            try await Self.withSchema { owner in
                try owner.runScript(sql)
                let found = try owner.schemaDifferences().map(\.words)
                #expect(found.contains { $0.hasPrefix(words) }, "\(found)")
            }
        }
    }
}
