import Ledger
import Storage

/// The tables of `StorageSQLite`'s schema, numbered and forward only, column for column (docs/decisions/0020,
/// 0029). What differs:
///
/// - Instants and numbers are `bigint`, documents `bytea`, answers to yes or no `boolean`; texts are compared byte by byte
///   (`"C"`), as SQLite does. Names are written as there and folded to lower case by the server.
/// - The version stands in the table `schemaVersion`.
/// - Triggers protect rows that are never changed, for every role, and the application's role may not even try (`grants`).
enum PostgresSchema {
    static let version = StoreSchema.version

    /// Every server that migrates waits for this one lock; made from the words "tenure schema".
    static let lock = ContentNumber.of("tenure schema")

    /// One step, taken in a transaction of its own.
    struct Step {
        let number: Int64
        /// The oldest version of the schema whose servers may go on working once the step is taken: what they read and write is
        /// still there and still means the same.
        let oldest: Int64
        let tables: String
        /// Those of which nothing is changed from then on.
        var appendOnly: [String] = []
        /// Other triggers, in place of some that were there before.
        var triggers = ""
        /// What rows say already that were there before, and SQL cannot read; run after the script.
        var fill: @Sendable (PostgresConnection) throws -> Void = { _ in }

        var script: String { tables + (appendOnly.isEmpty ? "" : PostgresSchema.appendOnly(appendOnly)) + triggers }
    }

    static let steps = [
        Step(
            number: 8, oldest: 8, tables: evidence + subscriptions + toldAndNoted + work + seals + settings,
            appendOnly: evidenceTables + sealTables + settingsTables),
        // Rows of the outbox may name a customer in place of a subscription, which servers of the version before do not read.
        Step(number: 9, oldest: 9, tables: customers + outboxOfCustomers + waitingClaims, appendOnly: customerTables),
        // Rows may say that two customers are one, which servers of the version before do not read.
        Step(number: 10, oldest: 10, tables: jobs, appendOnly: []),
        // Servers of the version before do not note which Apple Account a subscription is of.
        Step(number: 11, oldest: 11, tables: accounts, appendOnly: ["accountSighting"], fill: sightings),
        // Servers of the version before do not share the budget of calls, and lease by an index that is gone.
        Step(number: 12, oldest: 12, tables: callsToApple + fairLeases),
        // Servers of the version before do not note that they live.
        Step(number: 13, oldest: 13, tables: sweeps + appleRequests),
        // Servers of the version before write rows that say nothing of their place in the log.
        Step(number: 14, oldest: 14, tables: log),
        // Servers of the version before send nothing, and may go on.
        Step(number: 15, oldest: 14, tables: webhooks),
        // Servers of the version before keep no copies of what Apple posts, and do not read what is told of endpoints.
        Step(number: 16, oldest: 16, tables: forwarding + logFloor),
        // Servers of the version before do not read votes that erase a customer, and do not look for signals.
        Step(number: 17, oldest: 17, tables: issuedOffers + signals + keys, triggers: erasure),
        // Servers of the version before write rows that say nothing of when they changed, and know one kind of job alone.
        Step(number: 18, oldest: 18, tables: idempotentAnswers + changes),
        // Servers of the version before know no operators, and may go on.
        Step(number: 19, oldest: 18, tables: operators, appendOnly: ["operatorAudit"]),
        // Indexes alone, of which servers of the versions before need to know nothing.
        Step(number: 20, oldest: 18, tables: pageIndexes),
        // Servers of the version before do not note refunds, and do not read votes about a delivery.
        Step(number: 21, oldest: 21, tables: refunds, fill: noteRefunds),
    ]

    /// When subscriptions and customers changed last, for those who keep a copy (docs/decisions/0057): `writtenIn` is the place
    /// of the transaction, as in the outbox. What was there before stands before everything; `listing` is a cache, null where it
    /// is to be put together again.
    private static let changes = """
        ALTER TABLE subscription ADD COLUMN listing bytea, ADD COLUMN writtenIn bigint NOT NULL DEFAULT 0;
        CREATE INDEX subscriptionByChange ON subscription (ledger, writtenIn, originalTransactionId);
        CREATE TABLE customerChange (
            ledger bigint NOT NULL REFERENCES ledger (id), customer bigint NOT NULL REFERENCES customer (id),
            writtenIn bigint NOT NULL,
            PRIMARY KEY (ledger, customer)
        );
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
        DROP TRIGGER IF EXISTS onlyErased ON customer;
        CREATE TRIGGER onlyErased BEFORE UPDATE ON customer FOR EACH ROW
            WHEN (NEW.customer IS DISTINCT FROM 'erased/' || OLD.id OR NEW.id <> OLD.id OR NEW.app <> OLD.app)
            EXECUTE FUNCTION refuseChange();
        DROP TRIGGER IF EXISTS neverChanged ON customerInput;
        DROP TRIGGER IF EXISTS onlyAttributes ON customerInput;
        CREATE TRIGGER neverChanged BEFORE UPDATE OR TRUNCATE ON customerInput
            FOR EACH STATEMENT EXECUTE FUNCTION refuseChange();
        CREATE TRIGGER onlyAttributes BEFORE DELETE ON customerInput FOR EACH ROW WHEN (OLD.kind <> 'attribute')
            EXECUTE FUNCTION refuseChange();

        """

    /// What was signed so that customers may have offers (WALL-5).
    private static let issuedOffers = """
        CREATE TABLE issuedOffer (
            ledger bigint NOT NULL REFERENCES ledger (id), nonce text COLLATE "C" NOT NULL,
            customer bigint NOT NULL REFERENCES customer (id), productId text COLLATE "C" NOT NULL,
            kind text COLLATE "C" NOT NULL, offerIdentifier text COLLATE "C", token text COLLATE "C",
            transactionId text COLLATE "C", isAllowed boolean,
            issuedAt bigint NOT NULL, signatures bigint NOT NULL, lastSignedAt bigint NOT NULL,
            keyId text COLLATE "C" NOT NULL, keyName text COLLATE "C",
            PRIMARY KEY (ledger, nonce)
        );
        CREATE INDEX issuedOfferByCustomer ON issuedOffer (customer, ledger, issuedAt, nonce);
        CREATE INDEX issuedOfferByTime ON issuedOffer (ledger, issuedAt, nonce);

        """

    /// ABUSE-1: signals and what operators said to them; `evidence` is JSON. Every ledger that is there is looked through once.
    private static let signals = """
        CREATE TABLE signal (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            ledger bigint NOT NULL REFERENCES ledger (id), kind text COLLATE "C" NOT NULL, subject text COLLATE "C" NOT NULL,
            score bigint NOT NULL, evidenceCount bigint NOT NULL, evidence text COLLATE "C" NOT NULL,
            firstRaisedAt bigint NOT NULL, raisedAt bigint NOT NULL, raises bigint NOT NULL, changedAt bigint NOT NULL,
            isOpen boolean NOT NULL,
            acknowledgedAt bigint, acknowledgedBy text COLLATE "C", reason text COLLATE "C", acknowledgedCount bigint,
            UNIQUE (ledger, kind, subject),
            CHECK ((acknowledgedAt IS NULL) = (acknowledgedBy IS NULL)), CHECK (isOpen OR acknowledgedAt IS NOT NULL)
        );
        CREATE INDEX signalInOrder ON signal (ledger, id);
        CREATE INDEX signalByStanding ON signal (ledger, isOpen, id);
        CREATE INDEX signalBySubject ON signal (ledger, subject, id);
        INSERT INTO work (ledger, subject, workKey, kind, body, dueAt, isDecided, availableAt)
            SELECT id, '', 'signals', 'reviewSignals', '{}', 0, false, 0 FROM ledger;

        """

    /// The keys of apps; `scopes` are separated by blanks. A registration names the key with which it was said.
    private static let keys = """
        CREATE TABLE apiKey (
            app text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, kind text COLLATE "C" NOT NULL,
            digest bytea NOT NULL CHECK (length(digest) = 32), scopes text COLLATE "C" NOT NULL,
            madeAt bigint NOT NULL, madeBy text COLLATE "C" NOT NULL,
            endsAt bigint, endedBy text COLLATE "C", lastUsedAt bigint,
            PRIMARY KEY (app, name),
            UNIQUE (digest)
        );
        ALTER TABLE tokenRegistration ADD COLUMN keyName text COLLATE "C";

        """

    /// What was answered to requests with idempotency keys; whom and what it is about stands there as digests alone.
    private static let idempotentAnswers = """
        CREATE TABLE idempotentAnswer (
            app text COLLATE "C" NOT NULL, holder bytea NOT NULL, idempotencyKey bytea NOT NULL,
            request bytea NOT NULL, about bytea, status bigint NOT NULL, answer bytea NOT NULL, keptAt bigint NOT NULL,
            PRIMARY KEY (app, holder, idempotencyKey)
        );
        CREATE INDEX idempotentAnswerByTime ON idempotentAnswer (keptAt);
        CREATE INDEX idempotentAnswerByCustomer ON idempotentAnswer (app, about);

        """

    /// What Apple posted, for those to whom it is passed on; `content` is JSON.
    private static let forwarding = """
        ALTER TABLE webhookEndpoint ADD COLUMN format text COLLATE "C" NOT NULL DEFAULT 'tenure';
        CREATE TABLE notificationCopy (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            ledger bigint NOT NULL REFERENCES ledger (id), subject text COLLATE "C" NOT NULL,
            name text COLLATE "C" NOT NULL, receivedAt bigint NOT NULL, writtenIn bigint NOT NULL,
            content text COLLATE "C" NOT NULL,
            UNIQUE (ledger, name)
        );
        CREATE INDEX copyInOrder ON notificationCopy (ledger, writtenIn, id);
        CREATE INDEX copyBySubject ON notificationCopy (ledger, subject, id);

        """

    /// To where each log is forgotten.
    private static let logFloor = """
        CREATE TABLE logFloor (
            ledger bigint PRIMARY KEY REFERENCES ledger (id), place text COLLATE "C" NOT NULL, forgottenAt bigint NOT NULL
        );

        """

    /// Where events are sent, how far each receiver was told, and what came of it; `content`, `secrets` and `standing` are
    /// JSON.
    private static let webhooks = """
        CREATE TABLE webhookEndpoint (
            app text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, createdAt bigint NOT NULL,
            content text COLLATE "C" NOT NULL, secrets text COLLATE "C" NOT NULL,
            standing text COLLATE "C" NOT NULL,
            worker text COLLATE "C", leasedUntil bigint, fence bigint NOT NULL,
            PRIMARY KEY (app, id),
            CHECK ((worker IS NULL) = (leasedUntil IS NULL))
        );
        CREATE TABLE webhookAttempt (
            app text COLLATE "C" NOT NULL, endpoint text COLLATE "C" NOT NULL, isDelivered boolean NOT NULL,
            number bigint NOT NULL, at bigint NOT NULL, content text COLLATE "C" NOT NULL,
            PRIMARY KEY (app, endpoint, isDelivered, number)
        );
        CREATE TABLE webhookParked (
            app text COLLATE "C" NOT NULL, endpoint text COLLATE "C" NOT NULL, number bigint NOT NULL,
            content text COLLATE "C" NOT NULL,
            PRIMARY KEY (app, endpoint, number)
        );

        """

    /// The outbox in the order of its commits (docs/decisions/0047): `writtenIn` is the place of the transaction, which is the
    /// server's own number of it counted from `base`. A database that is restored elsewhere begins there with small numbers: then
    /// `base` moves (`PostgresStore`). What was there before stands before everything.
    private static let log = """
        CREATE TABLE logEpoch (base bigint NOT NULL);
        INSERT INTO logEpoch VALUES (0);
        ALTER TABLE outbox ADD COLUMN writtenIn bigint NOT NULL DEFAULT 0;
        CREATE INDEX outboxInOrder ON outbox (ledger, writtenIn, id);

        """

    /// What is to be looked through of Apple's notification histories; `slices` is JSON.
    private static let sweeps = """
        CREATE TABLE sweepPlan (
            ledger bigint PRIMARY KEY REFERENCES ledger (id), aliveAt bigint NOT NULL, plannedUntil bigint NOT NULL,
            failuresAt bigint, nightlyAt bigint NOT NULL, slices text COLLATE "C" NOT NULL,
            heardAt bigint, heardSignedAt bigint
        );

        """

    /// What Apple was told or asked to do; `content` and `answer` are JSON.
    private static let appleRequests = """
        CREATE TABLE appleRequest (
            ledger bigint NOT NULL REFERENCES ledger (id), endpoint text COLLATE "C" NOT NULL,
            requestId text COLLATE "C" NOT NULL, subject text COLLATE "C" NOT NULL, content text COLLATE "C" NOT NULL,
            actor text COLLATE "C" NOT NULL, requestedAt bigint NOT NULL,
            outcome text COLLATE "C", answer text COLLATE "C", answeredAt bigint,
            PRIMARY KEY (ledger, endpoint, requestId),
            CHECK ((outcome IS NULL) = (answeredAt IS NULL))
        );
        CREATE INDEX appleRequestByTime ON appleRequest (ledger, requestedAt);
        CREATE INDEX appleRequestBySubject ON appleRequest (ledger, subject, requestedAt);

        """

    /// What servers must know together that ask Apple: how many calls are left, and how far a customer's history was read.
    private static let callsToApple = """
        CREATE TABLE callBudget (
            ledger bigint NOT NULL REFERENCES ledger (id), endpoint text COLLATE "C" NOT NULL,
            tat bigint NOT NULL, blockedUntil bigint NOT NULL, callsPerHour bigint NOT NULL, raisedAt bigint NOT NULL,
            PRIMARY KEY (ledger, endpoint)
        );
        CREATE TABLE historyRevision (
            ledger bigint NOT NULL REFERENCES ledger (id), subject text COLLATE "C" NOT NULL,
            revision text COLLATE "C" NOT NULL, readAt bigint NOT NULL,
            PRIMARY KEY (ledger, subject)
        );

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
            ledger bigint NOT NULL REFERENCES ledger (id), evidence text COLLATE "C" NOT NULL,
            originalTransactionId text COLLATE "C" NOT NULL,
            PRIMARY KEY (ledger, evidence, originalTransactionId)
        );
        CREATE INDEX accountSightingBySubscription ON accountSighting (ledger, originalTransactionId);
        CREATE TABLE ownerProposal (
            ledger bigint NOT NULL REFERENCES ledger (id), originalTransactionId text COLLATE "C" NOT NULL,
            PRIMARY KEY (ledger, originalTransactionId)
        );
        CREATE TABLE pendingReservation (
            ledger bigint NOT NULL REFERENCES ledger (id), transactionId text COLLATE "C" NOT NULL,
            reservationId text COLLATE "C" NOT NULL, customer bigint NOT NULL REFERENCES customer (id),
            isAnonymous boolean NOT NULL, reservedAt bigint NOT NULL,
            PRIMARY KEY (ledger, transactionId, reservationId)
        );
        CREATE INDEX pendingReservationByCustomer ON pendingReservation (customer);

        """

    /// PER-11: what was refunded, by when. PER-9: to whom a consumable was delivered.
    private static let refunds = """
        CREATE TABLE refund (
            ledger bigint NOT NULL REFERENCES ledger (id), originalTransactionId text COLLATE "C" NOT NULL,
            revokedAt bigint NOT NULL, transactionId text COLLATE "C" NOT NULL,
            PRIMARY KEY (ledger, originalTransactionId, revokedAt, transactionId)
        );
        CREATE INDEX refundByTime ON refund (ledger, revokedAt, originalTransactionId, transactionId);
        CREATE INDEX customerInputByDelivery ON customerInput (ledger, inputId) WHERE kind = 'delivery';

        """

    /// What the transactions that are kept show of the Apple Accounts that bought them.
    @Sendable private static func sightings(_ connection: PostgresConnection) throws {
        try forEachPage(connection) { page, ledger in
            let sightings = page.flatMap(\.state.accountSightings)
            guard !sightings.isEmpty else { return }
            _ = try connection.execute(AccountQueries.insert(sightings.map { WrittenSighting($0, ledger: ledger) }))
        }
    }

    /// What the transactions that are kept show of refunds.
    @Sendable private static func noteRefunds(_ connection: PostgresConnection) throws {
        try forEachPage(connection) { page, ledger in
            let refunds = page.flatMap { RefundPlace.all(in: $0.state) }
            guard !refunds.isEmpty else { return }
            _ = try connection.execute(RefundQueries.insert(refunds.map { WrittenRefund($0, ledger: ledger) }))
        }
    }

    /// Reads the tables as they are now: a later step that changes them takes those along that call this.
    private static func forEachPage(
        _ connection: PostgresConnection, _ take: ([StoredSubscription], _ ledger: Int64) throws -> Void
    ) throws {
        let reading = PostgresReading(connection: connection, names: Names())
        for row in try connection.execute(PostgresStatement("SELECT id FROM ledger ORDER BY id")) {
            let ledger = try row.integer(0)
            let scope = try reading.scope(of: ledger)
            var last: OriginalTransactionID?
            while true {
                let page = try reading.subscriptions(in: scope, after: last, limit: 500, ledger: ledger)
                guard let end = page.last?.history.key.originalTransactionId else { break }
                try take(page, ledger)
                last = end
            }
        }
    }

    /// Long work that somebody asked for, and what it found (OWN-16). Forgotten some time after its end.
    private static let jobs = """
        CREATE TABLE job (
            app text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, kind text COLLATE "C" NOT NULL,
            request text COLLATE "C" NOT NULL, progress text COLLATE "C" NOT NULL, state text COLLATE "C" NOT NULL,
            reason text COLLATE "C", rowCount bigint NOT NULL, startedAt bigint NOT NULL, endedAt bigint,
            PRIMARY KEY (app, id),
            CHECK ((state = 'running') = (endedAt IS NULL))
        );
        CREATE INDEX jobByStart ON job (app, startedAt);
        CREATE TABLE jobRow (
            app text COLLATE "C" NOT NULL, job text COLLATE "C" NOT NULL, number bigint NOT NULL,
            content text COLLATE "C" NOT NULL,
            PRIMARY KEY (app, job, number),
            FOREIGN KEY (app, job) REFERENCES job (app, id)
        );

        """

    /// OWN-9: operators ask which claims wait, over all subscriptions. A row of the version before may have one that waits if it
    /// has any; the next decision says it exactly.
    private static let waitingClaims = """
        ALTER TABLE subscription ADD COLUMN waits boolean NOT NULL DEFAULT false;
        UPDATE subscription SET waits = true WHERE EXISTS (
            SELECT 1 FROM claim
            WHERE claim.ledger = subscription.ledger AND claim.originalTransactionId = subscription.originalTransactionId);
        CREATE INDEX waitingSubscription ON subscription (ledger, originalTransactionId) WHERE waits;

        """

    private static let customers = """
        CREATE TABLE customerBook (
            ledger bigint NOT NULL REFERENCES ledger (id), customer text COLLATE "C" NOT NULL,
            number bigint NOT NULL REFERENCES customer (id),
            auditCount bigint NOT NULL, auditHead bytea NOT NULL, eventCount bigint NOT NULL,
            isSealed boolean NOT NULL,
            account bytea NOT NULL,
            PRIMARY KEY (ledger, customer)
        );
        CREATE INDEX unsealedCustomer ON customerBook (ledger, number) WHERE NOT isSealed;
        CREATE UNIQUE INDEX oneBookPerCustomer ON customerBook (ledger, number);
        CREATE TABLE customerInput (
            ledger bigint NOT NULL REFERENCES ledger (id), customer bigint NOT NULL REFERENCES customer (id),
            kind text COLLATE "C" NOT NULL, inputId text COLLATE "C" NOT NULL, recordedAt bigint NOT NULL,
            decoded bytea NOT NULL,
            PRIMARY KEY (ledger, customer, kind, inputId)
        );
        CREATE TABLE customerAudit (
            ledger bigint NOT NULL REFERENCES ledger (id), customer bigint NOT NULL REFERENCES customer (id),
            sequence bigint NOT NULL, auditRow text COLLATE "C" NOT NULL, hash bytea NOT NULL,
            PRIMARY KEY (ledger, customer, sequence)
        );
        CREATE TABLE subscriptionInput (
            ledger bigint NOT NULL REFERENCES ledger (id), originalTransactionId text COLLATE "C" NOT NULL,
            kind text COLLATE "C" NOT NULL, inputId text COLLATE "C" NOT NULL,
            -- The first customer that it names; null where it names none.
            customer bigint REFERENCES customer (id), recordedAt bigint NOT NULL, decoded bytea NOT NULL,
            PRIMARY KEY (ledger, originalTransactionId, kind, inputId)
        );
        CREATE INDEX subscriptionInputByCustomer ON subscriptionInput (customer);
        CREATE INDEX claimByCustomer ON claim (customer);
        CREATE INDEX tokenRegistrationByCustomer ON tokenRegistration (customer);
        CREATE TABLE customerDevice (
            number bigint PRIMARY KEY REFERENCES customer (id), secretDigest bytea NOT NULL, registeredAt bigint NOT NULL
        );
        CREATE TABLE customerMerge (
            anonymous bigint PRIMARY KEY REFERENCES customer (id), identified bigint NOT NULL REFERENCES customer (id),
            mergedAt bigint NOT NULL,
            CHECK (anonymous <> identified)
        );
        CREATE INDEX mergeByIdentified ON customerMerge (identified);
        CREATE TABLE sealedCustomerHead (
            app text COLLATE "C" NOT NULL, number bigint NOT NULL,
            ledger bigint NOT NULL REFERENCES ledger (id), customer bigint NOT NULL REFERENCES customer (id),
            auditCount bigint NOT NULL, auditHead bytea NOT NULL,
            PRIMARY KEY (app, number, ledger, customer),
            FOREIGN KEY (app, number) REFERENCES auditSeal (app, number)
        );

        """

    private static let outboxOfCustomers = """
        ALTER TABLE outbox ALTER COLUMN originalTransactionId DROP NOT NULL, ADD COLUMN customer bigint REFERENCES customer (id),
            ADD CHECK ((originalTransactionId IS NULL) <> (customer IS NULL));
        CREATE UNIQUE INDEX oneEventPerCustomerAndNumber ON outbox (ledger, customer, sequence) WHERE customer IS NOT NULL;

        """

    private static let evidence = """
        CREATE TABLE ledger (
            id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, app text COLLATE "C" NOT NULL,
            environment text COLLATE "C" NOT NULL,
            UNIQUE (app, environment)
        );
        -- I45: rows that are never changed name customers by a random number. Only this row maps it to the customer. It is never
        -- deleted and never reused; an erased customer has no id.
        CREATE TABLE customer (
            id bigint PRIMARY KEY, app text COLLATE "C" NOT NULL, customer text COLLATE "C",
            UNIQUE (app, customer)
        );
        CREATE TABLE jwsHeader (id bigint PRIMARY KEY, header text COLLATE "C" NOT NULL);
        CREATE TABLE evidence (
            id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, ledger bigint NOT NULL REFERENCES ledger (id),
            form text COLLATE "C" NOT NULL, receivedAt bigint NOT NULL,
            -- A notification is kept once (I16); null for any other document.
            notificationUUID text COLLATE "C",
            document bytea NOT NULL
        );
        -- Of all rows: a partial index is small at first, and PostgreSQL would go on scanning it in full.
        CREATE UNIQUE INDEX oneDocumentPerNotification ON evidence (ledger, notificationUUID);
        CREATE TABLE fact (
            ledger bigint NOT NULL REFERENCES ledger (id), originalTransactionId text COLLATE "C" NOT NULL,
            factKey text COLLATE "C" NOT NULL,
            -- Set for a transaction with a signature of its own; null for any other fact.
            transactionId text COLLATE "C",
            signedDate bigint NOT NULL, receivedAt bigint NOT NULL, decoded bytea NOT NULL,
            evidence bigint REFERENCES evidence (id),
            PRIMARY KEY (ledger, originalTransactionId, factKey)
        );
        CREATE UNIQUE INDEX oneFactPerSignedTransaction ON fact (ledger, transactionId, signedDate)
            WHERE transactionId IS NOT NULL;
        CREATE TABLE claim (
            ledger bigint NOT NULL REFERENCES ledger (id), originalTransactionId text COLLATE "C" NOT NULL,
            claimId text COLLATE "C" NOT NULL, customer bigint NOT NULL REFERENCES customer (id),
            claimedAt bigint NOT NULL, decoded bytea NOT NULL,
            PRIMARY KEY (ledger, originalTransactionId, claimId)
        );
        -- OWN-2: every registration of a token. Which customer it names, the facts decide.
        CREATE TABLE tokenRegistration (
            app text COLLATE "C" NOT NULL, token text COLLATE "C" NOT NULL,
            customer bigint NOT NULL REFERENCES customer (id),
            isAnonymous boolean NOT NULL, registeredAt bigint NOT NULL, isVouched boolean NOT NULL,
            wasBorneBefore boolean NOT NULL,
            PRIMARY KEY (app, token, registeredAt, customer, isAnonymous, isVouched, wasBorneBefore)
        );
        CREATE TABLE tokenOfSubscription (
            app text COLLATE "C" NOT NULL, token text COLLATE "C" NOT NULL, ledger bigint NOT NULL REFERENCES ledger (id),
            originalTransactionId text COLLATE "C" NOT NULL,
            PRIMARY KEY (app, token, ledger, originalTransactionId)
        );

        """

    private static let subscriptions = """
        CREATE TABLE policy (id bigint PRIMARY KEY, foldVersion bigint NOT NULL, policy text COLLATE "C" NOT NULL);
        CREATE TABLE subscription (
            ledger bigint NOT NULL REFERENCES ledger (id), originalTransactionId text COLLATE "C" NOT NULL,
            policy bigint NOT NULL REFERENCES policy (id),
            tenureRevision bigint NOT NULL, auditCount bigint NOT NULL, auditHead bytea NOT NULL, eventCount bigint NOT NULL,
            -- Whether the last seal of its app names the head of its chain.
            isSealed boolean NOT NULL,
            history bytea NOT NULL,
            PRIMARY KEY (ledger, originalTransactionId)
        );
        CREATE INDEX unsealedSubscription ON subscription (ledger, originalTransactionId) WHERE NOT isSealed;
        CREATE TABLE periodAlias (
            ledger bigint NOT NULL REFERENCES ledger (id), originalTransactionId text COLLATE "C" NOT NULL,
            alias text COLLATE "C" NOT NULL, period text COLLATE "C" NOT NULL,
            PRIMARY KEY (ledger, originalTransactionId, alias),
            CHECK (alias = period OR NOT starts_with(alias, 'w/'))
        );
        CREATE TABLE tenure (
            ledger bigint NOT NULL REFERENCES ledger (id), originalTransactionId text COLLATE "C" NOT NULL,
            revision bigint NOT NULL, effectiveFrom bigint NOT NULL,
            customer bigint REFERENCES customer (id), rule text COLLATE "C" NOT NULL, evidence text COLLATE "C" NOT NULL,
                learnedAt bigint NOT NULL,
            PRIMARY KEY (ledger, originalTransactionId, revision, effectiveFrom)
        );
        CREATE TABLE holding (
            ledger bigint NOT NULL REFERENCES ledger (id), customer text COLLATE "C" NOT NULL,
            originalTransactionId text COLLATE "C" NOT NULL, holding bytea NOT NULL,
            PRIMARY KEY (ledger, customer, originalTransactionId)
        );

        """

    private static let toldAndNoted = """
        CREATE TABLE audit (
            ledger bigint NOT NULL REFERENCES ledger (id), originalTransactionId text COLLATE "C" NOT NULL,
                sequence bigint NOT NULL,
            auditRow text COLLATE "C" NOT NULL, hash bytea NOT NULL,
            PRIMARY KEY (ledger, originalTransactionId, sequence)
        );
        CREATE TABLE outbox (
            id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
            ledger bigint NOT NULL REFERENCES ledger (id), originalTransactionId text COLLATE "C" NOT NULL,
                sequence bigint NOT NULL,
            events text COLLATE "C" NOT NULL, createdAt bigint NOT NULL,
            UNIQUE (ledger, originalTransactionId, sequence)
        );
        CREATE TABLE operatorWarning (
            ledger bigint NOT NULL REFERENCES ledger (id), kind text COLLATE "C" NOT NULL, value text COLLATE "C" NOT NULL,
            firstSeenAt bigint NOT NULL,
            PRIMARY KEY (ledger, kind, value)
        );

        """

    private static let work = """
        CREATE TABLE work (
            id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
            ledger bigint NOT NULL REFERENCES ledger (id), subject text COLLATE "C" NOT NULL, workKey text COLLATE "C" NOT NULL,
            kind text COLLATE "C" NOT NULL, body text COLLATE "C" NOT NULL, dueAt bigint NOT NULL, isDecided boolean NOT NULL,
            asked bigint NOT NULL DEFAULT 1, attempts bigint NOT NULL DEFAULT 0,
            fence bigint NOT NULL DEFAULT 0, worker text COLLATE "C",
            availableAt bigint,
            finishedAt bigint, failedAt bigint, lastError text COLLATE "C",
            UNIQUE (ledger, subject, workKey),
            CHECK ((availableAt IS NULL) = (finishedAt IS NOT NULL OR failedAt IS NOT NULL))
        );
        CREATE INDEX workByTime ON work (kind, availableAt) WHERE availableAt IS NOT NULL;

        """

    private static let seals = """
        CREATE TABLE auditSeal (
            app text COLLATE "C" NOT NULL, number bigint NOT NULL, sealedAt bigint NOT NULL, previous bytea NOT NULL,
            hash bytea NOT NULL,
            PRIMARY KEY (app, number)
        );
        CREATE TABLE sealedHead (
            app text COLLATE "C" NOT NULL, number bigint NOT NULL,
            ledger bigint NOT NULL REFERENCES ledger (id), originalTransactionId text COLLATE "C" NOT NULL,
            auditCount bigint NOT NULL, auditHead bytea NOT NULL,
            PRIMARY KEY (app, number, ledger, originalTransactionId),
            FOREIGN KEY (app, number) REFERENCES auditSeal (app, number)
        );

        """

    private static let settings = """
        CREATE TABLE settingsVersion (
            app text COLLATE "C" NOT NULL, number bigint NOT NULL CHECK (number > 0), validFrom bigint NOT NULL,
            appliedAt bigint NOT NULL, actor text COLLATE "C" NOT NULL, digest text COLLATE "C" NOT NULL,
            document text COLLATE "C" NOT NULL,
            PRIMARY KEY (app, number)
        );

        """

    static let settingsTables = ["settingsVersion"]
    static let evidenceTables = [
        "ledger", "jwsHeader", "evidence", "fact", "claim", "tokenRegistration", "policy", "tenure", "audit",
    ]
    static let sealTables = ["auditSeal", "sealedHead"]
    static let customerTables = [
        "customerInput", "customerAudit", "subscriptionInput", "customerDevice", "customerMerge", "sealedCustomerHead",
    ]
    /// What the application may change; everything else it may only add to.
    private static let changeable = [
        "subscription", "periodAlias", "holding", "outbox", "work", "customerBook", "job", "jobRow",
        "ownerProposal", "pendingReservation", "callBudget", "historyRevision", "sweepPlan",
        "appleRequest", "logEpoch", "webhookEndpoint", "webhookAttempt", "webhookParked",
        "notificationCopy", "logFloor", "issuedOffer", "signal", "apiKey", "idempotentAnswer", "customerChange",
        "operator", "operatorLink", "operatorSession", "operatorSearch", "loginFailure",
    ]

    /// FACT-1, AUDIT-2: what was once written of these is evidence. The state of class 23 makes it a constraint's refusal.
    private static func appendOnly(_ tables: [String]) -> String {
        """
        CREATE OR REPLACE FUNCTION refuseChange() RETURNS trigger LANGUAGE plpgsql AS
            $$\(refusal)$$;

        """
            + (tables == firstTables ? onlyErased : "")
            + tables.map { table in
                """
                CREATE TRIGGER neverChanged BEFORE UPDATE OR DELETE OR TRUNCATE ON \(table)
                    FOR EACH STATEMENT EXECUTE FUNCTION refuseChange();

                """
            }.joined()
    }

    private static let firstTables = evidenceTables + sealTables + settingsTables
    private static let onlyErased = """
        CREATE TRIGGER onlyErased BEFORE UPDATE ON customer FOR EACH ROW
            WHEN (NEW.customer IS NOT NULL OR NEW.id <> OLD.id OR NEW.app <> OLD.app) EXECUTE FUNCTION refuseChange();
        CREATE TRIGGER neverDeleted BEFORE DELETE OR TRUNCATE ON customer FOR EACH STATEMENT EXECUTE FUNCTION refuseChange();

        """

    private static let refusal =
        " BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation'; END "

    /// The triggers as the catalogue must have them: before an update, a deletion and a truncation, for each statement, and in
    /// force (`O`).
    static var triggers: [String: String] {
        let tables = Set(steps.flatMap(\.appendOnly))
        let others = [
            // Before an update, for each row that the condition holds of.
            ("trigger onlyerased of customer", "19 O WHEN \(refusal)"),
            // Before a deletion and a truncation.
            ("trigger neverdeleted of customer", "42 O \(refusal)"),
            // Before an update and a truncation; before a deletion, for each row that the condition holds of.
            ("trigger neverchanged of customerinput", "50 O \(refusal)"),
            ("trigger onlyattributes of customerinput", "11 O WHEN \(refusal)"),
        ]
        let unchanging = tables.map { ("trigger neverchanged of \($0.lowercased())", "58 O \(refusal)") }
        return Dictionary(unchanging + others) { _, own in own }
    }

    /// Run by the owner in the transaction of a migration: `tenure.applicationRole` names who may read, add, and change what is
    /// no evidence. A role's name cannot be bound to a statement, so the server quotes it.
    static let grants = """
        DO $$
        DECLARE applicationRole text := current_setting('tenure.applicationRole');
        BEGIN
            EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), applicationRole);
            EXECUTE format('GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA %I TO %I', current_schema(), applicationRole);
            EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA %I TO %I', current_schema(), applicationRole);
            EXECUTE format('REVOKE INSERT ON schemaVersion FROM %I', applicationRole);
            EXECUTE format('GRANT UPDATE, DELETE ON \(changeable.joined(separator: ", ")) TO %I', applicationRole);
            EXECUTE format('GRANT UPDATE (customer) ON customer TO %I', applicationRole);
            EXECUTE format('GRANT DELETE ON customerInput TO %I', applicationRole);
        END $$
        """
}
