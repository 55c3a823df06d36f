import GRDB
import Ledger
import Storage

/// The tables, numbered and forward only. Invariants are constraints here, not promises elsewhere (docs/decisions/0003, 0020,
/// 0029).
enum SQLiteSchema {
    static let version = Int(StoreSchema.version)

    /// Brings a database to this version; safe to run twice, and by two processes at once.
    static func migrate(_ database: Database) throws { try migrate(database, upTo: version) }

    /// The steps that files in the world may stand at.
    static var released: [Int] { steps.map(\.number) }

    /// The same up to one step, as the version of Tenure that released it did.
    static func migrate(_ database: Database, upTo last: Int) throws {
        let present = try number(of: database)
        guard present <= last else {
            throw StorageError(
                .schemaTooNew,
                "the database has schema \(present) and this version of Tenure knows up to \(last); use a newer one")
        }
        if present != 0 { try StoreSchema.checkPresent(Int64(present)) }
        for step in steps where step.number > present && step.number <= last { try take(step, database) }
    }

    static func take(_ step: Step, _ database: Database) throws {
        try database.execute(sql: step.script)
        try step.fill(database)
        try database.execute(
            sql: "INSERT INTO schemaVersion (version, oldest) VALUES (?, ?)", arguments: [step.number, step.oldest])
        try database.execute(sql: "PRAGMA user_version = \(step.number)")
    }

    private static func number(of database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    }

    /// For a server that is at work: another program may have brought the file to a newer version, which leaves the tables as
    /// this one knows them until a step says otherwise.
    ///
    /// - Throws: `StorageError`: `schemaTooNew` where this server must make room for a newer one.
    static func check(_ database: Database, workingWith known: Int) throws {
        let present = try number(of: database)
        guard present != known else { return }
        guard present > known else { throw StorageError(.corrupt, "the schema's version went back while serving") }
        let oldest = try Int.fetchOne(database, sql: "SELECT max(oldest) FROM schemaVersion") ?? present
        guard oldest <= known else {
            throw StorageError(
                .schemaTooNew,
                "the database has schema \(present) for Tenure of \(oldest) or newer, this one is of \(known); use a newer one")
        }
    }

    /// How the file's tables, indexes, triggers and views differ from those that the steps make. Nothing but Tenure writes to it,
    /// so there must be no others either.
    static func differences(in database: Database, knowing known: Int) throws -> [SchemaDifference] {
        let expected = try DatabaseQueue().write { fresh in
            try migrate(fresh, upTo: known)
            return try definitions(in: fresh)
        }
        // A newer version that lets this one go on may have added some.
        let isNewer = try number(of: database) > known
        return SchemaDifference.all(expected: expected, found: try definitions(in: database)) { _ in isNewer }
    }

    private static func definitions(in database: Database) throws -> [String: String] {
        let rows = try database.rows(
            "SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'", []
        ) { ($0.text(0), $0.text(1)) }
        return Dictionary(rows) { first, _ in first }
    }

    /// One step, with which the number in the file moves on.
    struct Step: Sendable {
        let number: Int
        /// The oldest version of the schema whose servers may go on working once the step is taken.
        let oldest: Int
        let script: String
        /// What rows say already that were there before, and SQL cannot read; run after the script.
        var fill: @Sendable (Database) throws -> Void = { _ in }
    }

    private static let steps = [
        Step(
            number: 8, oldest: 8,
            script: schemaVersion + evidence + subscriptions + toldAndNoted + work + seals + settings
                + appendOnly(evidenceTables + sealTables + settingsTables)),
        // Rows of the outbox may name a customer in place of a subscription, which servers of the version before do not read.
        Step(number: 9, oldest: 9, script: customers + outboxOfCustomers + waitingClaims + appendOnly(customerTables)),
        // Rows may say that two customers are one, which servers of the version before do not read.
        Step(number: 10, oldest: 10, script: jobs),
        // Servers of the version before do not note which Apple Account a subscription is of.
        Step(number: 11, oldest: 11, script: accounts + appendOnly(["accountSighting"]), fill: sightings),
        // Servers of the version before do not share the budget of calls, and lease by an index that is gone.
        Step(number: 12, oldest: 12, script: callsToApple + fairLeases),
        // Servers of the version before do not note that they live.
        Step(number: 13, oldest: 13, script: sweeps + appleRequests),
        // As in the other store.
        Step(number: 14, oldest: 14, script: log),
        // Servers of the version before send nothing, and may go on.
        Step(number: 15, oldest: 14, script: webhooks),
        // Servers of the version before keep no copies of what Apple posts, and do not read what is told of endpoints.
        Step(number: 16, oldest: 16, script: forwarding + logFloor),
        // Servers of the version before do not read votes that erase a customer, and do not look for signals.
        Step(number: 17, oldest: 17, script: issuedOffers + signals + keys + erasure),
        // Servers of the version before write rows that say nothing of when they changed, and know one kind of job alone.
        Step(number: 18, oldest: 18, script: idempotentAnswers + changes),
        // Servers of the version before know no operators, and may go on.
        Step(number: 19, oldest: 18, script: operators + appendOnly(["operatorAudit"])),
        // Indexes alone, of which servers of the versions before need to know nothing.
        Step(number: 20, oldest: 18, script: pageIndexes),
        // Servers of the version before do not note refunds, and do not read votes about a delivery.
        Step(number: 21, oldest: 21, script: refunds, fill: noteRefunds),
    ]

    /// When subscriptions and customers changed last, for those who keep a copy (docs/decisions/0057): `writtenIn` counts the
    /// changes of a ledger. What was there before stands before everything; `listing` is a cache, null where it is to be put
    /// together again.
    private static let changes = """
        ALTER TABLE subscription ADD COLUMN listing BLOB;
        ALTER TABLE subscription ADD COLUMN writtenIn INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX subscriptionByChange ON subscription (ledger, writtenIn, originalTransactionId);
        CREATE TABLE customerChange (
            ledger INTEGER NOT NULL REFERENCES ledger (id), customer INTEGER NOT NULL REFERENCES customer (id),
            writtenIn INTEGER NOT NULL,
            PRIMARY KEY (ledger, customer)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO customerChange (ledger, customer, writtenIn)
            SELECT holding.ledger, customer.id, 0 FROM holding
                JOIN ledger ON ledger.id = holding.ledger
                JOIN customer ON customer.app = ledger.app AND customer.customer = holding.customer
            UNION SELECT ledger, number, 0 FROM customerBook;
        CREATE INDEX customerByChange ON customerChange (ledger, writtenIn, customer);

        """

    /// An erased customer has a pseudonym in the place of the id, made of the number, so that whatever names customers by their
    /// numbers finds it (I45); and what an app's backend said of the customer by names is the one input that may be forgotten.
    private static let erasure = """
        DROP TRIGGER IF EXISTS customerIsOnlyErased;
        CREATE TRIGGER customerIsOnlyErased BEFORE UPDATE ON customer
            WHEN NEW.customer IS NOT 'erased/' || OLD.id OR NEW.id <> OLD.id OR NEW.app <> OLD.app
            BEGIN SELECT RAISE(ABORT, 'customer is append-only'); END;
        DROP TRIGGER IF EXISTS customerInputIsNeverDeleted;
        CREATE TRIGGER customerInputIsNeverDeleted BEFORE DELETE ON customerInput WHEN OLD.kind <> 'attribute'
            BEGIN SELECT RAISE(ABORT, 'customerInput is append-only'); END;

        """

    /// What was signed so that customers may have offers (WALL-5).
    private static let issuedOffers = """
        CREATE TABLE issuedOffer (
            ledger INTEGER NOT NULL REFERENCES ledger (id), nonce TEXT NOT NULL,
            customer INTEGER NOT NULL REFERENCES customer (id), productId TEXT NOT NULL,
            kind TEXT NOT NULL, offerIdentifier TEXT, token TEXT, transactionId TEXT, isAllowed INTEGER,
            issuedAt INTEGER NOT NULL, signatures INTEGER NOT NULL, lastSignedAt INTEGER NOT NULL, keyId TEXT NOT NULL,
            keyName TEXT,
            PRIMARY KEY (ledger, nonce)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX issuedOfferByCustomer ON issuedOffer (customer, ledger, issuedAt, nonce);
        CREATE INDEX issuedOfferByTime ON issuedOffer (ledger, issuedAt, nonce);

        """

    /// ABUSE-1: signals and what operators said to them; `evidence` is JSON. Every ledger that is there is looked through once.
    private static let signals = """
        CREATE TABLE signal (
            id INTEGER PRIMARY KEY,
            ledger INTEGER NOT NULL REFERENCES ledger (id), kind TEXT NOT NULL, subject TEXT NOT NULL,
            score INTEGER NOT NULL, evidenceCount INTEGER NOT NULL, evidence TEXT NOT NULL,
            firstRaisedAt INTEGER NOT NULL, raisedAt INTEGER NOT NULL, raises INTEGER NOT NULL, changedAt INTEGER NOT NULL,
            isOpen INTEGER NOT NULL,
            acknowledgedAt INTEGER, acknowledgedBy TEXT, reason TEXT, acknowledgedCount INTEGER,
            UNIQUE (ledger, kind, subject),
            CHECK ((acknowledgedAt IS NULL) = (acknowledgedBy IS NULL)), CHECK (isOpen = 1 OR acknowledgedAt IS NOT NULL)
        ) STRICT;
        CREATE INDEX signalInOrder ON signal (ledger, id);
        CREATE INDEX signalByStanding ON signal (ledger, isOpen, id);
        CREATE INDEX signalBySubject ON signal (ledger, subject, id);
        INSERT INTO work (ledger, subject, workKey, kind, body, dueAt, isDecided, availableAt)
            SELECT id, '', 'signals', 'reviewSignals', '{}', 0, 0, 0 FROM ledger;

        """

    /// The keys of apps; `scopes` are separated by blanks. A registration names the key with which it was said.
    private static let keys = """
        CREATE TABLE apiKey (
            app TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, digest BLOB NOT NULL CHECK (length(digest) = 32),
            scopes TEXT NOT NULL, madeAt INTEGER NOT NULL, madeBy TEXT NOT NULL,
            endsAt INTEGER, endedBy TEXT, lastUsedAt INTEGER,
            PRIMARY KEY (app, name),
            UNIQUE (digest)
        ) STRICT, WITHOUT ROWID;
        ALTER TABLE tokenRegistration ADD COLUMN keyName TEXT;

        """

    /// What was answered to requests with idempotency keys; whom and what it is about stands there as digests alone.
    private static let idempotentAnswers = """
        CREATE TABLE idempotentAnswer (
            app TEXT NOT NULL, holder BLOB NOT NULL, idempotencyKey BLOB NOT NULL,
            request BLOB NOT NULL, about BLOB, status INTEGER NOT NULL, answer BLOB NOT NULL, keptAt INTEGER NOT NULL,
            PRIMARY KEY (app, holder, idempotencyKey)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX idempotentAnswerByTime ON idempotentAnswer (keptAt);
        CREATE INDEX idempotentAnswerByCustomer ON idempotentAnswer (app, about);

        """

    /// What Apple posted, for those to whom it is passed on; `content` is JSON.
    private static let forwarding = """
        ALTER TABLE webhookEndpoint ADD COLUMN format TEXT NOT NULL DEFAULT 'tenure';
        CREATE TABLE notificationCopy (
            id INTEGER PRIMARY KEY,
            ledger INTEGER NOT NULL REFERENCES ledger (id), subject TEXT NOT NULL, name TEXT NOT NULL,
            receivedAt INTEGER NOT NULL, writtenIn INTEGER NOT NULL, content TEXT NOT NULL,
            UNIQUE (ledger, name)
        ) STRICT;
        CREATE INDEX copyInOrder ON notificationCopy (ledger, writtenIn, id);
        CREATE INDEX copyBySubject ON notificationCopy (ledger, subject, id);

        """

    /// To where each log is forgotten.
    private static let logFloor = """
        CREATE TABLE logFloor (
            ledger INTEGER PRIMARY KEY REFERENCES ledger (id), place TEXT NOT NULL, forgottenAt INTEGER NOT NULL
        ) STRICT;

        """

    /// Where events are sent, how far each receiver was told, and what came of it; `content`, `secrets` and `standing` are
    /// JSON.
    private static let webhooks = """
        CREATE TABLE webhookEndpoint (
            app TEXT NOT NULL, id TEXT NOT NULL, createdAt INTEGER NOT NULL,
            content TEXT NOT NULL, secrets TEXT NOT NULL, standing TEXT NOT NULL,
            worker TEXT, leasedUntil INTEGER, fence INTEGER NOT NULL,
            PRIMARY KEY (app, id),
            CHECK ((worker IS NULL) = (leasedUntil IS NULL))
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE webhookAttempt (
            app TEXT NOT NULL, endpoint TEXT NOT NULL, isDelivered INTEGER NOT NULL, number INTEGER NOT NULL,
            at INTEGER NOT NULL, content TEXT NOT NULL,
            PRIMARY KEY (app, endpoint, isDelivered, number)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE webhookParked (
            app TEXT NOT NULL, endpoint TEXT NOT NULL, number INTEGER NOT NULL, content TEXT NOT NULL,
            PRIMARY KEY (app, endpoint, number)
        ) STRICT, WITHOUT ROWID;

        """

    /// The outbox in the order of its commits (docs/decisions/0047): with one writer the order of its rows.
    private static let log = """
        ALTER TABLE outbox ADD COLUMN writtenIn INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX outboxInOrder ON outbox (ledger, writtenIn, id);

        """

    /// What is to be looked through of Apple's notification histories; `slices` is JSON.
    private static let sweeps = """
        CREATE TABLE sweepPlan (
            ledger INTEGER PRIMARY KEY REFERENCES ledger (id), aliveAt INTEGER NOT NULL, plannedUntil INTEGER NOT NULL,
            failuresAt INTEGER, nightlyAt INTEGER NOT NULL, slices TEXT NOT NULL,
            heardAt INTEGER, heardSignedAt INTEGER
        ) STRICT;

        """

    /// What Apple was told or asked to do; `content` and `answer` are JSON.
    private static let appleRequests = """
        CREATE TABLE appleRequest (
            ledger INTEGER NOT NULL REFERENCES ledger (id), endpoint TEXT NOT NULL, requestId TEXT NOT NULL,
            subject TEXT NOT NULL, content TEXT NOT NULL, actor TEXT NOT NULL, requestedAt INTEGER NOT NULL,
            outcome TEXT, answer TEXT, answeredAt INTEGER,
            PRIMARY KEY (ledger, endpoint, requestId),
            CHECK ((outcome IS NULL) = (answeredAt IS NULL))
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX appleRequestByTime ON appleRequest (ledger, requestedAt);
        CREATE INDEX appleRequestBySubject ON appleRequest (ledger, subject, requestedAt);

        """

    /// What servers must know together that ask Apple: how many calls are left, and how far a customer's history was read.
    private static let callsToApple = """
        CREATE TABLE callBudget (
            ledger INTEGER NOT NULL REFERENCES ledger (id), endpoint TEXT NOT NULL,
            tat INTEGER NOT NULL, blockedUntil INTEGER NOT NULL, callsPerHour INTEGER NOT NULL, raisedAt INTEGER NOT NULL,
            PRIMARY KEY (ledger, endpoint)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE historyRevision (
            ledger INTEGER NOT NULL REFERENCES ledger (id), subject TEXT NOT NULL, revision TEXT NOT NULL,
            readAt INTEGER NOT NULL,
            PRIMARY KEY (ledger, subject)
        ) STRICT, WITHOUT ROWID;

        """

    /// Each ledger's work by its time, so that a lease finds the longest due of each, however much another has.
    private static let fairLeases = """
        DROP INDEX workByTime;
        CREATE INDEX workByLedgerAndTime ON work (kind, ledger, availableAt) WHERE availableAt IS NOT NULL;

        """

    /// OWN-14: which subscriptions are of one Apple Account, and for which of them an owner may be proposed. OWN-18: what was
    /// reserved and is not known yet.
    private static let accounts = """
        CREATE TABLE accountSighting (
            ledger INTEGER NOT NULL REFERENCES ledger (id),
            -- An appTransactionId, or a receipt by its digest.
            evidence TEXT NOT NULL, originalTransactionId TEXT NOT NULL,
            PRIMARY KEY (ledger, evidence, originalTransactionId)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX accountSightingBySubscription ON accountSighting (ledger, originalTransactionId);
        CREATE TABLE ownerProposal (
            ledger INTEGER NOT NULL REFERENCES ledger (id), originalTransactionId TEXT NOT NULL,
            PRIMARY KEY (ledger, originalTransactionId)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE pendingReservation (
            ledger INTEGER NOT NULL REFERENCES ledger (id), transactionId TEXT NOT NULL, reservationId TEXT NOT NULL,
            customer INTEGER NOT NULL REFERENCES customer (id), isAnonymous INTEGER NOT NULL, reservedAt INTEGER NOT NULL,
            PRIMARY KEY (ledger, transactionId, reservationId)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX pendingReservationByCustomer ON pendingReservation (customer);

        """

    /// PER-11: what was refunded, by when. PER-9: to whom a consumable was delivered.
    private static let refunds = """
        CREATE TABLE refund (
            ledger INTEGER NOT NULL REFERENCES ledger (id), originalTransactionId TEXT NOT NULL, revokedAt INTEGER NOT NULL,
            transactionId TEXT NOT NULL,
            PRIMARY KEY (ledger, originalTransactionId, revokedAt, transactionId)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX refundByTime ON refund (ledger, revokedAt, originalTransactionId, transactionId);
        CREATE INDEX customerInputByDelivery ON customerInput (ledger, inputId) WHERE kind = 'delivery';

        """

    /// What the transactions that are kept show of the Apple Accounts that bought them.
    @Sendable private static func sightings(_ database: Database) throws {
        try forEachState(database) { state, ledger in
            for sighting in state.accountSightings {
                try AccountQueries.insert(WrittenSighting(sighting, ledger: ledger), database)
            }
        }
    }

    /// What the transactions that are kept show of refunds.
    @Sendable private static func noteRefunds(_ database: Database) throws {
        try forEachState(database) { state, ledger in
            for refund in RefundPlace.all(in: state) {
                try RefundQueries.insert(WrittenRefund(refund, ledger: ledger), database)
            }
        }
    }

    /// Reads the tables as they are now: a later step that changes them takes those along that call this.
    private static func forEachState(
        _ database: Database, _ take: (Ledger.SubscriptionState, _ ledger: Int64) throws -> Void
    ) throws {
        let reading = SQLiteReading(database: database, names: Names())
        let ledgers = try database.rows("SELECT id FROM ledger ORDER BY id", []) { $0.integer(0) }
        for ledger in ledgers {
            let scope = try NameQueries.scope(of: ledger, database)
            var last: OriginalTransactionID?
            while true {
                let page = try reading.subscriptions(in: scope, after: last, limit: 500, ledger: ledger)
                guard let end = page.last?.history.key.originalTransactionId else { break }
                for stored in page { try take(stored.state, ledger) }
                last = end
            }
        }
    }

    /// Long work that somebody asked for, and what it found (OWN-16). Forgotten some time after its end.
    private static let jobs = """
        CREATE TABLE job (
            app TEXT NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL, request TEXT NOT NULL, progress TEXT NOT NULL,
            state TEXT NOT NULL, reason TEXT, rowCount INTEGER NOT NULL, startedAt INTEGER NOT NULL, endedAt INTEGER,
            PRIMARY KEY (app, id),
            CHECK ((state = 'running') = (endedAt IS NULL))
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX jobByStart ON job (app, startedAt);
        CREATE TABLE jobRow (
            app TEXT NOT NULL, job TEXT NOT NULL, number INTEGER NOT NULL, content TEXT NOT NULL,
            PRIMARY KEY (app, job, number),
            FOREIGN KEY (app, job) REFERENCES job (app, id)
        ) STRICT, WITHOUT ROWID;

        """

    /// What is said about customers, and who is who (decision 0035). `number` and `customer` are numbers of `customer` but in
    /// `customerBook`, which is a cache and never chained.
    private static let customers = """
        CREATE TABLE customerBook (
            ledger INTEGER NOT NULL REFERENCES ledger (id), customer TEXT NOT NULL,
            number INTEGER NOT NULL REFERENCES customer (id),
            auditCount INTEGER NOT NULL, auditHead BLOB NOT NULL, eventCount INTEGER NOT NULL,
            isSealed INTEGER NOT NULL,
            account BLOB NOT NULL,
            PRIMARY KEY (ledger, customer)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX unsealedCustomer ON customerBook (ledger, number) WHERE isSealed = 0;
        CREATE UNIQUE INDEX oneBookPerCustomer ON customerBook (ledger, number);

        -- An input is kept once by its kind and id, so that saying it again does nothing.
        CREATE TABLE customerInput (
            ledger INTEGER NOT NULL REFERENCES ledger (id), customer INTEGER NOT NULL REFERENCES customer (id),
            kind TEXT NOT NULL, inputId TEXT NOT NULL, recordedAt INTEGER NOT NULL, decoded BLOB NOT NULL,
            PRIMARY KEY (ledger, customer, kind, inputId)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE customerAudit (
            ledger INTEGER NOT NULL REFERENCES ledger (id), customer INTEGER NOT NULL REFERENCES customer (id),
            sequence INTEGER NOT NULL, auditRow TEXT NOT NULL, hash BLOB NOT NULL,
            PRIMARY KEY (ledger, customer, sequence)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE subscriptionInput (
            ledger INTEGER NOT NULL REFERENCES ledger (id), originalTransactionId TEXT NOT NULL,
            kind TEXT NOT NULL, inputId TEXT NOT NULL,
            -- The first customer that it names; null where it names none.
            customer INTEGER REFERENCES customer (id), recordedAt INTEGER NOT NULL, decoded BLOB NOT NULL,
            PRIMARY KEY (ledger, originalTransactionId, kind, inputId)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX subscriptionInputByCustomer ON subscriptionInput (customer);
        CREATE INDEX claimByCustomer ON claim (customer);
        CREATE INDEX tokenRegistrationByCustomer ON tokenRegistration (customer);

        -- OWN-10: an anonymous customer has a device with a secret, and is merged once.
        CREATE TABLE customerDevice (
            number INTEGER PRIMARY KEY REFERENCES customer (id), secretDigest BLOB NOT NULL, registeredAt INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE customerMerge (
            anonymous INTEGER PRIMARY KEY REFERENCES customer (id), identified INTEGER NOT NULL REFERENCES customer (id),
            mergedAt INTEGER NOT NULL,
            CHECK (anonymous <> identified)
        ) STRICT;
        CREATE INDEX mergeByIdentified ON customerMerge (identified);

        CREATE TABLE sealedCustomerHead (
            app TEXT NOT NULL, number INTEGER NOT NULL,
            ledger INTEGER NOT NULL REFERENCES ledger (id), customer INTEGER NOT NULL REFERENCES customer (id),
            auditCount INTEGER NOT NULL, auditHead BLOB NOT NULL,
            PRIMARY KEY (app, number, ledger, customer),
            FOREIGN KEY (app, number) REFERENCES auditSeal (app, number)
        ) STRICT, WITHOUT ROWID;

        """

    /// A row tells of a subscription or of a customer. SQLite cannot make a column nullable, so the table is made anew.
    private static let outboxOfCustomers = """
        ALTER TABLE outbox RENAME TO outboxBefore;
        CREATE TABLE outbox (
            id INTEGER PRIMARY KEY,
            ledger INTEGER NOT NULL REFERENCES ledger (id), originalTransactionId TEXT,
            customer INTEGER REFERENCES customer (id), sequence INTEGER NOT NULL,
            events TEXT NOT NULL, createdAt INTEGER NOT NULL,
            UNIQUE (ledger, originalTransactionId, sequence),
            CHECK ((originalTransactionId IS NULL) <> (customer IS NULL))
        ) STRICT;
        INSERT INTO outbox (id, ledger, originalTransactionId, sequence, events, createdAt)
            SELECT id, ledger, originalTransactionId, sequence, events, createdAt FROM outboxBefore;
        DROP TABLE outboxBefore;
        CREATE UNIQUE INDEX oneEventPerCustomerAndNumber ON outbox (ledger, customer, sequence) WHERE customer IS NOT NULL;

        """

    /// OWN-9: operators ask which claims wait, over all subscriptions. A row of the version before may have one that waits if it
    /// has any; the next decision says it exactly.
    private static let waitingClaims = """
        ALTER TABLE subscription ADD COLUMN waits INTEGER NOT NULL DEFAULT 0;
        UPDATE subscription SET waits = 1 WHERE EXISTS (
            SELECT 1 FROM claim
            WHERE claim.ledger = subscription.ledger AND claim.originalTransactionId = subscription.originalTransactionId);
        CREATE INDEX waitingSubscription ON subscription (ledger, originalTransactionId) WHERE waits = 1;

        """

    private static let customerTables = [
        "customerInput", "customerAudit", "subscriptionInput", "customerDevice", "customerMerge", "sealedCustomerHead",
    ]

    private static let schemaVersion = """
        CREATE TABLE schemaVersion (version INTEGER PRIMARY KEY, oldest INTEGER NOT NULL) STRICT;

        """

    /// What Apple and customers said (FACT-6). `ledger` stands for app and environment in every key.
    private static let evidence = """
        CREATE TABLE ledger (
            id INTEGER PRIMARY KEY, app TEXT NOT NULL, environment TEXT NOT NULL,
            UNIQUE (app, environment)
        ) STRICT;

        -- I45: rows that are never changed name customers by a random number. Only this row maps it to the customer. It is never
        -- deleted and never reused; an erased customer has no id.
        CREATE TABLE customer (
            id INTEGER PRIMARY KEY, app TEXT NOT NULL, customer TEXT,
            UNIQUE (app, customer)
        ) STRICT;
        CREATE TRIGGER customerIsOnlyErased BEFORE UPDATE ON customer
            WHEN NEW.customer IS NOT NULL OR NEW.id <> OLD.id OR NEW.app <> OLD.app
            BEGIN SELECT RAISE(ABORT, 'customer is append-only'); END;
        CREATE TRIGGER customerIsNeverDeleted BEFORE DELETE ON customer
            BEGIN SELECT RAISE(ABORT, 'customer is append-only'); END;

        -- The number is made from the text, so no query is needed to find it.
        CREATE TABLE jwsHeader (id INTEGER PRIMARY KEY, header TEXT NOT NULL) STRICT;

        CREATE TABLE evidence (
            id INTEGER PRIMARY KEY, ledger INTEGER NOT NULL REFERENCES ledger (id),
            form TEXT NOT NULL, receivedAt INTEGER NOT NULL,
            -- A notification is kept once (I16); null for any other document.
            notificationUUID TEXT,
            document BLOB NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX oneDocumentPerNotification ON evidence (ledger, notificationUUID);

        -- Numbered rows are appended. Clustered by subscription, each renewal would split the pages of its neighbours.
        CREATE TABLE fact (
            ledger INTEGER NOT NULL REFERENCES ledger (id), originalTransactionId TEXT NOT NULL, factKey TEXT NOT NULL,
            -- Set for a transaction with a signature of its own; null for any other fact.
            transactionId TEXT,
            signedDate INTEGER NOT NULL, receivedAt INTEGER NOT NULL, decoded BLOB NOT NULL,
            evidence INTEGER REFERENCES evidence (id),
            PRIMARY KEY (ledger, originalTransactionId, factKey)
        ) STRICT;
        CREATE UNIQUE INDEX oneFactPerSignedTransaction ON fact (ledger, transactionId, signedDate)
            WHERE transactionId IS NOT NULL;

        CREATE TABLE claim (
            ledger INTEGER NOT NULL REFERENCES ledger (id), originalTransactionId TEXT NOT NULL, claimId TEXT NOT NULL,
            customer INTEGER NOT NULL REFERENCES customer (id), claimedAt INTEGER NOT NULL, decoded BLOB NOT NULL,
            PRIMARY KEY (ledger, originalTransactionId, claimId)
        ) STRICT, WITHOUT ROWID;

        -- OWN-2: every registration of a token. Which customer it names, the facts decide.
        CREATE TABLE tokenRegistration (
            app TEXT NOT NULL, token TEXT NOT NULL, customer INTEGER NOT NULL REFERENCES customer (id),
            isAnonymous INTEGER NOT NULL, registeredAt INTEGER NOT NULL, isVouched INTEGER NOT NULL,
            wasBorneBefore INTEGER NOT NULL,
            PRIMARY KEY (app, token, registeredAt, customer, isAnonymous, isVouched, wasBorneBefore)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE tokenOfSubscription (
            app TEXT NOT NULL, token TEXT NOT NULL, ledger INTEGER NOT NULL REFERENCES ledger (id),
            originalTransactionId TEXT NOT NULL,
            PRIMARY KEY (app, token, ledger, originalTransactionId)
        ) STRICT, WITHOUT ROWID;

        """

    /// What follows from it: a cache of the rows above that can be folded anew, except for what was told.
    private static let subscriptions = """
        CREATE TABLE policy (
            -- Made from the other columns, so no query is needed to find it.
            id INTEGER PRIMARY KEY, foldVersion INTEGER NOT NULL, policy TEXT NOT NULL
        ) STRICT;

        CREATE TABLE subscription (
            ledger INTEGER NOT NULL REFERENCES ledger (id), originalTransactionId TEXT NOT NULL,
            policy INTEGER NOT NULL REFERENCES policy (id),
            tenureRevision INTEGER NOT NULL, auditCount INTEGER NOT NULL, auditHead BLOB NOT NULL, eventCount INTEGER NOT NULL,
            -- Whether the last seal of its app names the head of its chain.
            isSealed INTEGER NOT NULL,
            history BLOB NOT NULL,
            PRIMARY KEY (ledger, originalTransactionId)
        ) STRICT;
        CREATE INDEX unsealedSubscription ON subscription (ledger, originalTransactionId) WHERE isSealed = 0;

        -- PER-1: a name belongs to one period only. A period is called by Apple's key of it, which names no other period.
        CREATE TABLE periodAlias (
            ledger INTEGER NOT NULL REFERENCES ledger (id), originalTransactionId TEXT NOT NULL, alias TEXT NOT NULL,
            period TEXT NOT NULL,
            PRIMARY KEY (ledger, originalTransactionId, alias),
            CHECK (alias = period OR alias NOT GLOB 'w/*')
        ) STRICT, WITHOUT ROWID;

        -- OWN-1: a tenure lasts until the next one of its revision begins, so two owners at one instant cannot be written.
        -- Late evidence adds a revision; the greatest one is in force and none is changed.
        CREATE TABLE tenure (
            ledger INTEGER NOT NULL REFERENCES ledger (id), originalTransactionId TEXT NOT NULL,
            revision INTEGER NOT NULL, effectiveFrom INTEGER NOT NULL,
            customer INTEGER REFERENCES customer (id), rule TEXT NOT NULL, evidence TEXT NOT NULL, learnedAt INTEGER NOT NULL,
            PRIMARY KEY (ledger, originalTransactionId, revision, effectiveFrom)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE holding (
            ledger INTEGER NOT NULL REFERENCES ledger (id), customer TEXT NOT NULL, originalTransactionId TEXT NOT NULL,
            holding BLOB NOT NULL,
            PRIMARY KEY (ledger, customer, originalTransactionId)
        ) STRICT, WITHOUT ROWID;

        """

    private static let toldAndNoted = """
        -- AUDIT-2: each hash covers the row's text, its place and the hash before.
        CREATE TABLE audit (
            ledger INTEGER NOT NULL REFERENCES ledger (id), originalTransactionId TEXT NOT NULL, sequence INTEGER NOT NULL,
            auditRow TEXT NOT NULL, hash BLOB NOT NULL,
            PRIMARY KEY (ledger, originalTransactionId, sequence)
        ) STRICT;

        -- One row for the events of one decision: one a line, numbered from `sequence` on.
        CREATE TABLE outbox (
            id INTEGER PRIMARY KEY,
            ledger INTEGER NOT NULL REFERENCES ledger (id), originalTransactionId TEXT NOT NULL, sequence INTEGER NOT NULL,
            events TEXT NOT NULL, createdAt INTEGER NOT NULL,
            UNIQUE (ledger, originalTransactionId, sequence)
        ) STRICT;

        CREATE TABLE operatorWarning (
            ledger INTEGER NOT NULL REFERENCES ledger (id), kind TEXT NOT NULL, value TEXT NOT NULL, firstSeenAt INTEGER NOT NULL,
            PRIMARY KEY (ledger, kind, value)
        ) STRICT, WITHOUT ROWID;

        """

    private static let work = """
        CREATE TABLE work (
            id INTEGER PRIMARY KEY,
            ledger INTEGER NOT NULL REFERENCES ledger (id), subject TEXT NOT NULL, workKey TEXT NOT NULL,
            kind TEXT NOT NULL, body TEXT NOT NULL, dueAt INTEGER NOT NULL, isDecided INTEGER NOT NULL,
            -- How often it was ordered and begun; the last lease's number, holder and end.
            asked INTEGER NOT NULL DEFAULT 1, attempts INTEGER NOT NULL DEFAULT 0,
            fence INTEGER NOT NULL DEFAULT 0, worker TEXT,
            -- When a worker may take it: when it is due, or when the present lease ends. Null when it is finished.
            availableAt INTEGER,
            finishedAt INTEGER, failedAt INTEGER, lastError TEXT,
            UNIQUE (ledger, subject, workKey),
            CHECK ((availableAt IS NULL) = (finishedAt IS NOT NULL OR failedAt IS NOT NULL))
        ) STRICT;
        CREATE INDEX workByTime ON work (kind, availableAt) WHERE availableAt IS NOT NULL;

        """

    private static let seals = """
        CREATE TABLE auditSeal (
            app TEXT NOT NULL, number INTEGER NOT NULL, sealedAt INTEGER NOT NULL, previous BLOB NOT NULL, hash BLOB NOT NULL,
            PRIMARY KEY (app, number)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE sealedHead (
            app TEXT NOT NULL, number INTEGER NOT NULL,
            ledger INTEGER NOT NULL REFERENCES ledger (id), originalTransactionId TEXT NOT NULL,
            auditCount INTEGER NOT NULL, auditHead BLOB NOT NULL,
            PRIMARY KEY (app, number, ledger, originalTransactionId),
            FOREIGN KEY (app, number) REFERENCES auditSeal (app, number)
        ) STRICT, WITHOUT ROWID;

        """

    /// OWN-17: what an app chose, since when, and who applied it.
    private static let settings = """
        CREATE TABLE settingsVersion (
            app TEXT NOT NULL, number INTEGER NOT NULL CHECK (number > 0), validFrom INTEGER NOT NULL,
            appliedAt INTEGER NOT NULL, actor TEXT NOT NULL, digest TEXT NOT NULL, document TEXT NOT NULL,
            PRIMARY KEY (app, number)
        ) STRICT, WITHOUT ROWID;

        """

    private static let evidenceTables = [
        "ledger", "jwsHeader", "evidence", "fact", "claim", "tokenRegistration", "policy", "tenure", "audit",
    ]
    private static let settingsTables = ["settingsVersion"]
    private static let sealTables = ["auditSeal", "sealedHead"]

    /// FACT-1, AUDIT-2: what was once written of these is evidence.
    private static func appendOnly(_ tables: [String]) -> String {
        tables.map { table in
            """
            CREATE TRIGGER \(table)IsNeverChanged BEFORE UPDATE ON \(table)
                BEGIN SELECT RAISE(ABORT, '\(table) is append-only'); END;
            CREATE TRIGGER \(table)IsNeverDeleted BEFORE DELETE ON \(table)
                BEGIN SELECT RAISE(ABORT, '\(table) is append-only'); END;

            """
        }.joined()
    }
}
