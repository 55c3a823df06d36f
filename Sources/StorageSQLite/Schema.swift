import GRDB
import Storage

/// The tables, numbered and forward only. Invariants are constraints here, not promises elsewhere (docs/decisions/0003, 0006).
enum Schema {
    /// What this version of Tenure writes; a database with a higher number is refused.
    static let version = 1

    /// Brings a database to this version; safe to run twice.
    static func migrate(_ database: Database) throws {
        let present = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        guard present <= version else {
            throw StorageError(
                .schemaTooNew,
                "the database has schema \(present) and this version of Tenure knows up to \(version); use a newer one")
        }
        for (number, statements) in migrations where number > present {
            try database.execute(sql: statements)
            try database.execute(sql: "PRAGMA user_version = \(number)")
        }
    }

    private static let migrations: [(Int, String)] = [(1, first + appendOnly)]

    private static let first = """
        CREATE TABLE jwsHeader (
            id INTEGER PRIMARY KEY,
            header TEXT NOT NULL UNIQUE
        ) STRICT;

        CREATE TABLE notification (
            app TEXT NOT NULL, environment TEXT NOT NULL, notificationUUID TEXT NOT NULL,
            notificationType TEXT NOT NULL, subtype TEXT, signedDate INTEGER NOT NULL, receivedAt INTEGER NOT NULL,
            headerId INTEGER NOT NULL REFERENCES jwsHeader (id), payloadAndSignature TEXT NOT NULL,
            PRIMARY KEY (app, environment, notificationUUID)
        ) STRICT;

        CREATE TABLE fact (
            id INTEGER PRIMARY KEY,
            app TEXT NOT NULL, environment TEXT NOT NULL, factKey TEXT NOT NULL,
            originalTransactionId TEXT NOT NULL, signedDate INTEGER NOT NULL, receivedAt INTEGER NOT NULL,
            decoded TEXT NOT NULL,
            headerId INTEGER REFERENCES jwsHeader (id), payloadAndSignature TEXT,
            UNIQUE (app, environment, factKey),
            CHECK ((headerId IS NULL) = (payloadAndSignature IS NULL))
        ) STRICT;
        CREATE INDEX factOfSubscription ON fact (app, environment, originalTransactionId, signedDate);

        CREATE TABLE claim (
            app TEXT NOT NULL, environment TEXT NOT NULL, claimId TEXT NOT NULL,
            originalTransactionId TEXT NOT NULL, customer TEXT NOT NULL, claimedAt INTEGER NOT NULL, decoded TEXT NOT NULL,
            PRIMARY KEY (app, environment, claimId)
        ) STRICT;
        CREATE INDEX claimOfSubscription ON claim (app, environment, originalTransactionId, claimedAt);

        CREATE TABLE tokenRegistration (
            app TEXT NOT NULL, token TEXT NOT NULL, customer TEXT NOT NULL, registeredAt INTEGER NOT NULL,
            PRIMARY KEY (app, token)
        ) STRICT;
        CREATE TABLE tokenOfSubscription (
            app TEXT NOT NULL, token TEXT NOT NULL, environment TEXT NOT NULL, originalTransactionId TEXT NOT NULL,
            PRIMARY KEY (app, token, environment, originalTransactionId)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE subscription (
            app TEXT NOT NULL, environment TEXT NOT NULL, originalTransactionId TEXT NOT NULL,
            history TEXT NOT NULL, state TEXT NOT NULL,
            tenureRevision INTEGER NOT NULL, auditCount INTEGER NOT NULL, eventCount INTEGER NOT NULL,
            PRIMARY KEY (app, environment, originalTransactionId)
        ) STRICT;

        -- PER-1: a name of a period belongs to one period only.
        CREATE TABLE periodAlias (
            app TEXT NOT NULL, environment TEXT NOT NULL, originalTransactionId TEXT NOT NULL, alias TEXT NOT NULL,
            period TEXT NOT NULL,
            PRIMARY KEY (app, environment, originalTransactionId, alias)
        ) STRICT, WITHOUT ROWID;

        -- OWN-1: a tenure lasts until the next one of its revision begins, so two owners at one instant cannot be written.
        -- Late evidence adds a revision; the greatest one is in force and none is changed.
        CREATE TABLE tenure (
            app TEXT NOT NULL, environment TEXT NOT NULL, originalTransactionId TEXT NOT NULL,
            revision INTEGER NOT NULL, effectiveFrom INTEGER NOT NULL,
            customer TEXT, rule TEXT NOT NULL, evidence TEXT NOT NULL, learnedAt INTEGER NOT NULL,
            PRIMARY KEY (app, environment, originalTransactionId, revision, effectiveFrom)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE holding (
            app TEXT NOT NULL, environment TEXT NOT NULL, customer TEXT NOT NULL, originalTransactionId TEXT NOT NULL,
            holding TEXT NOT NULL,
            PRIMARY KEY (app, environment, customer, originalTransactionId)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE audit (
            app TEXT NOT NULL, environment TEXT NOT NULL, originalTransactionId TEXT NOT NULL, sequence INTEGER NOT NULL,
            customer TEXT NOT NULL, effectiveAt INTEGER NOT NULL, learnedAt INTEGER NOT NULL, rule TEXT NOT NULL,
            auditRow TEXT NOT NULL,
            PRIMARY KEY (app, environment, originalTransactionId, sequence)
        ) STRICT;

        CREATE TABLE outbox (
            id INTEGER PRIMARY KEY,
            app TEXT NOT NULL, environment TEXT NOT NULL, originalTransactionId TEXT NOT NULL, sequence INTEGER NOT NULL,
            event TEXT NOT NULL, createdAt INTEGER NOT NULL,
            UNIQUE (app, environment, originalTransactionId, sequence)
        ) STRICT;

        CREATE TABLE operatorWarning (
            app TEXT NOT NULL, environment TEXT NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL, firstSeenAt INTEGER NOT NULL,
            PRIMARY KEY (app, environment, kind, value)
        ) STRICT;

        """

    /// FACT-1, AUDIT-2: what was once written of these is evidence.
    private static let appendOnly = ["jwsHeader", "notification", "fact", "claim", "tokenRegistration", "tenure", "audit"].map {
        table in
        """
        CREATE TRIGGER \(table)IsNeverChanged BEFORE UPDATE ON \(table)
            BEGIN SELECT RAISE(ABORT, '\(table) is append-only'); END;
        CREATE TRIGGER \(table)IsNeverDeleted BEFORE DELETE ON \(table)
            BEGIN SELECT RAISE(ABORT, '\(table) is append-only'); END;

        """
    }.joined()
}
