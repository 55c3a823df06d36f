/// The people who use the console, and what they did (docs/decisions/0059).
extension SQLiteSchema {
    /// `grants`, `factors` and `chosen` are JSON. What was searched for stands apart from the chained rows, so that it can be
    /// forgotten.
    static let operators = """
        CREATE TABLE operator (
            name TEXT PRIMARY KEY, grants TEXT NOT NULL, factors TEXT, language TEXT, timeZone TEXT,
            madeAt INTEGER NOT NULL, madeBy TEXT NOT NULL, endedAt INTEGER, endedBy TEXT
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE operatorLink (
            digest BLOB PRIMARY KEY CHECK (length(digest) = 32), name TEXT NOT NULL REFERENCES operator (name),
            endsAt INTEGER NOT NULL, usedAt INTEGER, chosen TEXT
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX operatorLinkByOperator ON operatorLink (name);
        CREATE INDEX operatorLinkByTime ON operatorLink (endsAt);
        CREATE TABLE operatorSession (
            digest BLOB PRIMARY KEY CHECK (length(digest) = 32), name TEXT NOT NULL REFERENCES operator (name),
            begunAt INTEGER NOT NULL, seenAt INTEGER NOT NULL, provedAt INTEGER NOT NULL,
            address TEXT NOT NULL, userAgent TEXT NOT NULL, endedAt INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX operatorSessionByOperator ON operatorSession (name, seenAt);
        CREATE INDEX operatorSessionByTime ON operatorSession (seenAt);
        CREATE TABLE loginFailure (
            subject TEXT PRIMARY KEY, failures INTEGER NOT NULL, lastAt INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX loginFailureByTime ON loginFailure (lastAt);

        -- Each hash covers the row's text, its number and the hash before.
        CREATE TABLE operatorAudit (
            number INTEGER PRIMARY KEY CHECK (number > 0), actor TEXT NOT NULL, at INTEGER NOT NULL, what TEXT NOT NULL,
            customer INTEGER REFERENCES customer (id), auditRow TEXT NOT NULL, hash BLOB NOT NULL
        ) STRICT;
        CREATE INDEX operatorAuditByActor ON operatorAudit (actor, number);
        CREATE INDEX operatorAuditByAct ON operatorAudit (what, number);
        CREATE INDEX operatorAuditByCustomer ON operatorAudit (customer, number);
        CREATE INDEX operatorAuditByTime ON operatorAudit (at);
        CREATE TABLE operatorSearch (
            number INTEGER PRIMARY KEY REFERENCES operatorAudit (number), salt BLOB NOT NULL, words TEXT NOT NULL
        ) STRICT;

        """

    /// A search finds a period by Apple's key of it, and a page the seals of one subscription (docs/decisions/0060).
    static let pageIndexes = """
        CREATE INDEX periodByName ON periodAlias (ledger, period, originalTransactionId);
        CREATE INDEX sealedHeadBySubscription ON sealedHead (ledger, originalTransactionId, auditCount, number);

        """
}
