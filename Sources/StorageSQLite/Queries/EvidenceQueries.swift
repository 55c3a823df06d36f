import GRDB
import Ledger
import Primitives
import Storage

/// What Apple and customers said: written once, by the key that makes it one thing (decision 0003), and never changed.
enum EvidenceQueries {
    static let selectNotification =
        "SELECT 1 FROM evidence WHERE ledger = ? AND notificationUUID = ?"
    static let selectFact = "SELECT 1 FROM fact WHERE ledger = ? AND originalTransactionId = ? AND factKey = ?"
    /// What another subscription may have: Apple's transaction ids are one space.
    static let selectSigned =
        "SELECT 1 FROM fact WHERE ledger = ? AND transactionId = ? AND signedDate = ? AND transactionId IS NOT NULL"

    static func isKnown(notification uuid: String, ledger: Int64, _ database: Database) throws -> Bool {
        try !database.rows(selectNotification, [.integer(ledger), .text(uuid)]) { _ in }.isEmpty
    }

    static func isKnown(_ fact: Fact, ledger: Int64, _ database: Database) throws -> Bool {
        if let id = fact.signedTransactionId {
            let values: [SQLiteValue] = [.integer(ledger), .text(id.rawValue), .instant(fact.signedDate)]
            return try !database.rows(selectSigned, values) { _ in }.isEmpty
        }
        let values: [SQLiteValue] = [.integer(ledger), .text(fact.originalTransactionId.rawValue), .text(fact.key)]
        return try !database.rows(selectFact, values) { _ in }.isEmpty
    }

    private static let documentInsertion = SQLiteInsertion<WrittenEvidence>()

    /// The number that the document was given.
    static func insert(_ document: WrittenEvidence, _ database: Database) throws -> Int64 {
        try database.run(documentInsertion, document)
        return database.lastInsertedRowID
    }

    private static let factInsertion = SQLiteInsertion<WrittenFact>()

    static func insert(_ fact: Fact, evidence: Int64?, receivedAt: Timestamp, ledger: Int64, _ database: Database) throws {
        try database.run(factInsertion, WrittenFact(fact, evidence: evidence, receivedAt: receivedAt, ledger: ledger))
    }

    private static let claimInsertion = SQLiteInsertion<WrittenClaim>()

    static func insert(_ claim: WrittenClaim, _ database: Database) throws { try database.run(claimInsertion, claim) }

    static let selectFacts = """
        SELECT \(StoredContents.KeptFact.columns)
        FROM fact LEFT JOIN evidence AS document ON document.id = evidence
        WHERE fact.ledger = ? AND originalTransactionId = ? ORDER BY signedDate, factKey LIMIT ?
        """

    /// Without the documents: one receipt of megabytes may prove thousands of facts.
    static func facts(
        of id: OriginalTransactionID, ledger: Int64, limit: Int, _ database: Database
    ) throws -> [StoredContents.KeptFact] {
        try database.rows(selectFacts, [.integer(ledger), .text(id.rawValue), .count(limit)])
    }

    static let selectDocument = "SELECT \(StoredDocument.columns) FROM evidence WHERE id = ?"

    static func document(
        _ number: Int64, header: (Int64) throws -> String, _ database: Database
    ) throws -> Evidence {
        guard let found: StoredDocument = try database.row(selectDocument, [.integer(number)]) else {
            throw StorageError(.corrupt, "no evidence has the number \(number)")
        }
        return try found.evidence(header: header)
    }

    /// The facts alone, when a history is put together again.
    static let selectDecoded = "SELECT decoded FROM fact WHERE ledger = ? AND originalTransactionId = ?"

    static func decodedFacts(of id: OriginalTransactionID, ledger: Int64, _ database: Database) throws -> [Fact] {
        try database.rows(selectDecoded, [.integer(ledger), .text(id.rawValue)]) { try FactCoding.decode($0.bytes(0)) }
    }

    static let selectClaims = """
        SELECT \(NumberedClaim.columns) FROM claim
        WHERE ledger = ? AND originalTransactionId = ? ORDER BY claimedAt, claimId
        """

    static func claims(
        of id: OriginalTransactionID, ledger: Int64, _ database: Database
    ) throws -> [StoredContents.KeptClaim] {
        try NumberedClaim.named(database.rows(selectClaims, [.integer(ledger), .text(id.rawValue)])) {
            try CustomerQueries.names(of: $0, database)
        }
    }

    /// `CROSS JOIN` has SQLite take each ledger first: for the sake of `DISTINCT` it would else walk through all facts in the
    /// order of another index.
    static let selectHaving = """
        SELECT DISTINCT \(SubscriptionPlace.columns) FROM ledger
        CROSS JOIN fact ON fact.ledger = ledger.id AND transactionId = ?2 AND transactionId IS NOT NULL
        WHERE app = ?1
        """

    static func subscriptions(
        having transaction: TransactionID, app: AppID, _ database: Database
    ) throws -> [SubscriptionPlace] {
        try database.rows(selectHaving, [.text(app.rawValue), .text(transaction.rawValue)])
    }

    private static let inputInsertion = SQLiteInsertion<WrittenSubscriptionInput>("ON CONFLICT DO NOTHING")

    static func insert(_ input: WrittenSubscriptionInput, _ database: Database) throws { try database.run(inputInsertion, input) }

    static let selectInputs = """
        SELECT \(KeptInputRow.columns) FROM subscriptionInput
        WHERE ledger = ? AND originalTransactionId = ? ORDER BY kind, inputId
        """

    /// Votes, merges, intents and reservations; by kind and id.
    static func inputs(
        of id: OriginalTransactionID, ledger: Int64, _ database: Database
    ) throws -> [StoredContents.KeptInput] {
        try KeptInputRow.named(database.rows(selectInputs, [.integer(ledger), .text(id.rawValue)])) {
            try CustomerQueries.names(of: $0, database)
        }
    }
}
