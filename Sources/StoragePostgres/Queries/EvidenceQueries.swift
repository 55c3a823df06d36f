import Ledger
import Primitives
import Storage

/// What Apple and customers said: written once, by the key that makes it one thing (decision 0003), and never changed.
enum EvidenceQueries {
    /// A notification that may be known: what is asked and what is answered.
    struct NotificationPlace: ReadRow {
        enum Column: Int, StoredColumn { case ledger, notificationUUID }

        let ledger: Int64
        let uuid: String

        init(ledger: Int64, uuid: String) {
            self.ledger = ledger
            self.uuid = uuid
        }

        init(_ row: NamedRow<Column, some StoredRow>) throws {
            self.init(ledger: try row.integer(.ledger), uuid: try row.text(.notificationUUID))
        }
    }

    private static let selectNotifications = """
        SELECT \(NotificationPlace.columns) FROM unnest($1::bigint[], $2::text[]) AS asked (inLedger, uuid)
        JOIN evidence ON ledger = inLedger AND notificationUUID = uuid
        """

    static func known(notifications: [NotificationPlace]) -> PostgresStatement {
        PostgresStatement(
            selectNotifications, [.integers(notifications.map(\.ledger)), .texts(notifications.map(\.uuid))])
    }

    /// A fact that may be known.
    struct AskedFact {
        /// By which the answer names it.
        let place: Int64
        let ledger: Int64
        let fact: Fact
    }

    /// What another subscription may have: Apple's transaction ids are one space. Answers the places of those that are known.
    static func known(signed: [AskedFact]) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT place FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[])
                AS asked (place, inLedger, id, signedAt)
            JOIN fact ON ledger = inLedger AND transactionId = id AND signedDate = signedAt AND transactionId IS NOT NULL
            """,
            [
                .integers(signed.map(\.place)), .integers(signed.map(\.ledger)),
                .texts(signed.map(\.fact.signedTransactionId?.rawValue)),
                .integers(signed.map(\.fact.signedDate.millisecondsSince1970)),
            ])
    }

    static func known(facts: [AskedFact]) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT place FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[]) AS asked (place, inLedger, id, key)
            JOIN fact ON ledger = inLedger AND originalTransactionId = id AND factKey = key
            """,
            [
                .integers(facts.map(\.place)), .integers(facts.map(\.ledger)),
                .texts(facts.map(\.fact.originalTransactionId.rawValue)), .texts(facts.map(\.fact.key)),
            ])
    }

    private static let documentInsertion = PostgresInsertion<WrittenEvidence>()

    static func insert(_ document: WrittenEvidence) -> PostgresStatement { documentInsertion.statement(document) }

    private static let factInsertion = PostgresInsertion<WrittenFact>()
    /// With the number of the evidence that the statement before has kept: so that no round trip is spent to learn it.
    private static let provenFactInsertion = PostgresInsertion<WrittenFact>(
        instead: [.evidence: "currval(pg_get_serial_sequence('evidence', 'id'))"])

    static func insert(_ facts: [Fact], hasEvidence: Bool, receivedAt: Timestamp, ledger: Int64) throws -> PostgresStatement {
        let rows = facts.map { WrittenFact($0, evidence: nil, receivedAt: receivedAt, ledger: ledger) }
        return try (hasEvidence ? provenFactInsertion : factInsertion).statement(rows)
    }

    private static let claimInsertion = PostgresInsertion<WrittenClaim>()

    static func insert(_ claim: WrittenClaim) -> PostgresStatement { claimInsertion.statement(claim) }

    private static let selectFacts = """
        SELECT \(StoredContents.KeptFact.columns)
        FROM fact LEFT JOIN evidence AS document ON document.id = evidence
        WHERE fact.ledger = $1 AND originalTransactionId = $2 ORDER BY signedDate, factKey LIMIT $3
        """

    /// Without the documents: one receipt of megabytes may prove thousands of facts.
    static func facts(of id: OriginalTransactionID, ledger: Int64, limit: Int) -> PostgresStatement {
        PostgresStatement(selectFacts, [.integer(ledger), .text(id.rawValue), .count(limit)])
    }

    private static let selectDocument = "SELECT \(StoredDocument.columns) FROM evidence WHERE id = $1"

    static func document(_ number: Int64) -> PostgresStatement { PostgresStatement(selectDocument, [.integer(number)]) }

    /// The facts alone, when a history is put together again.
    static func decoded(of id: OriginalTransactionID, ledger: Int64) -> PostgresStatement {
        PostgresStatement(
            "SELECT decoded FROM fact WHERE ledger = $1 AND originalTransactionId = $2", [.integer(ledger), .text(id.rawValue)])
    }

    private static let selectClaims = """
        SELECT \(NumberedClaim.columns) FROM claim
        WHERE ledger = $1 AND originalTransactionId = $2 ORDER BY claimedAt, claimId
        """

    static func claims(of id: OriginalTransactionID, ledger: Int64) -> PostgresStatement {
        PostgresStatement(selectClaims, [.integer(ledger), .text(id.rawValue)])
    }

    private static let selectHaving = """
        SELECT DISTINCT \(SubscriptionPlace.columns) FROM fact
        WHERE ledger IN (SELECT id FROM ledger WHERE app = $1) AND transactionId = $2 AND transactionId IS NOT NULL
        """

    static func subscriptions(having transaction: TransactionID, app: AppID) -> PostgresStatement {
        PostgresStatement(selectHaving, [.text(app.rawValue), .text(transaction.rawValue)])
    }

    private static let inputInsertion = PostgresInsertion<WrittenSubscriptionInput>("ON CONFLICT DO NOTHING")

    static func insert(_ input: WrittenSubscriptionInput) -> PostgresStatement { inputInsertion.statement(input) }

    private static let selectInputs = """
        SELECT \(KeptInputRow.columns) FROM subscriptionInput
        WHERE ledger = $1 AND originalTransactionId = $2 ORDER BY kind, inputId
        """

    /// Votes, merges, intents and reservations; by kind and id.
    static func inputs(of id: OriginalTransactionID, ledger: Int64) -> PostgresStatement {
        PostgresStatement(selectInputs, [.integer(ledger), .text(id.rawValue)])
    }
}
