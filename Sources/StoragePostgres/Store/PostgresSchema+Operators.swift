/// The people who use the console, and what they did (docs/decisions/0059).
extension PostgresSchema {
    /// `grants`, `factors` and `chosen` are JSON. What was searched for stands apart from the chained rows, so that it can be
    /// forgotten.
    static let operators = """
        CREATE TABLE operator (
            name text COLLATE "C" PRIMARY KEY, grants text COLLATE "C" NOT NULL, factors text COLLATE "C",
            language text COLLATE "C", timeZone text COLLATE "C",
            madeAt bigint NOT NULL, madeBy text COLLATE "C" NOT NULL, endedAt bigint, endedBy text COLLATE "C"
        );
        CREATE TABLE operatorLink (
            digest bytea PRIMARY KEY CHECK (length(digest) = 32), name text COLLATE "C" NOT NULL REFERENCES operator (name),
            endsAt bigint NOT NULL, usedAt bigint, chosen text COLLATE "C"
        );
        CREATE INDEX operatorLinkByOperator ON operatorLink (name);
        CREATE INDEX operatorLinkByTime ON operatorLink (endsAt);
        CREATE TABLE operatorSession (
            digest bytea PRIMARY KEY CHECK (length(digest) = 32), name text COLLATE "C" NOT NULL REFERENCES operator (name),
            begunAt bigint NOT NULL, seenAt bigint NOT NULL, provedAt bigint NOT NULL,
            address text COLLATE "C" NOT NULL, userAgent text COLLATE "C" NOT NULL, endedAt bigint
        );
        CREATE INDEX operatorSessionByOperator ON operatorSession (name, seenAt);
        CREATE INDEX operatorSessionByTime ON operatorSession (seenAt);
        CREATE TABLE loginFailure (
            subject text COLLATE "C" PRIMARY KEY, failures bigint NOT NULL, lastAt bigint NOT NULL
        );
        CREATE INDEX loginFailureByTime ON loginFailure (lastAt);

        -- Each hash covers the row's text, its number and the hash before.
        CREATE TABLE operatorAudit (
            number bigint PRIMARY KEY CHECK (number > 0), actor text COLLATE "C" NOT NULL, at bigint NOT NULL,
            what text COLLATE "C" NOT NULL, customer bigint REFERENCES customer (id),
            auditRow text COLLATE "C" NOT NULL, hash bytea NOT NULL
        );
        CREATE INDEX operatorAuditByActor ON operatorAudit (actor, number);
        CREATE INDEX operatorAuditByAct ON operatorAudit (what, number);
        CREATE INDEX operatorAuditByCustomer ON operatorAudit (customer, number);
        CREATE INDEX operatorAuditByTime ON operatorAudit (at);
        CREATE TABLE operatorSearch (
            number bigint PRIMARY KEY REFERENCES operatorAudit (number), salt bytea NOT NULL, words text COLLATE "C" NOT NULL
        );

        """

    /// A search finds a period by Apple's key of it, and a page the seals of one subscription (docs/decisions/0060).
    static let pageIndexes = """
        CREATE INDEX periodByName ON periodAlias (ledger, period, originalTransactionId);
        CREATE INDEX sealedHeadBySubscription ON sealedHead (ledger, originalTransactionId, auditCount, number);

        """
}
