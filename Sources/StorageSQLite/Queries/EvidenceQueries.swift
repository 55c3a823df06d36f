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
            let values: [SQLiteValue] = [.integer(ledger), .text(id.rawValue), SQLiteValue(fact.signedDate)]
            return try !database.rows(selectSigned, values) { _ in }.isEmpty
        }
        let values: [SQLiteValue] = [.integer(ledger), .text(fact.originalTransactionId.rawValue), .text(fact.key)]
        return try !database.rows(selectFact, values) { _ in }.isEmpty
    }

    /// - Parameter arrival: what the document came with.
    static func insert(
        document: [UInt8], form: Evidence.Form, of arrival: Arrival, ledger: Int64, _ database: Database
    ) throws -> Int64 {
        try database.run(
            "INSERT INTO evidence (ledger, form, receivedAt, notificationUUID, document) VALUES (?, ?, ?, ?, ?)",
            [
                .integer(ledger), .text(form.rawValue), SQLiteValue(arrival.receivedAt),
                SQLiteValue(arrival.notification?.notificationUUID), .bytes(document),
            ])
        return database.lastInsertedRowID
    }

    static func insert(_ fact: Fact, evidence: Int64?, receivedAt: Timestamp, ledger: Int64, _ database: Database) throws {
        try database.run(
            """
            INSERT INTO fact (ledger, originalTransactionId, factKey, transactionId, signedDate, receivedAt, decoded, evidence)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(ledger), .text(fact.originalTransactionId.rawValue), .text(fact.key),
                SQLiteValue(fact.signedTransactionId?.rawValue), SQLiteValue(fact.signedDate), SQLiteValue(receivedAt),
                .bytes(FactCoding.encode(fact)), SQLiteValue(evidence),
            ])
    }

    /// - Parameter number: of a customer.
    static func insert(
        _ claim: Claim, of id: OriginalTransactionID, ledger: Int64, number: (CustomerID) throws -> Int64, _ database: Database
    ) throws {
        try database.run(
            "INSERT INTO claim (ledger, originalTransactionId, claimId, customer, claimedAt, decoded) VALUES (?, ?, ?, ?, ?, ?)",
            [
                .integer(ledger), .text(id.rawValue), .text(claim.id.rawValue), .integer(try number(claim.customer)),
                SQLiteValue(claim.claimedAt), .bytes(try ClaimCoding.encode(claim, number)),
            ])
    }

    static let selectFacts = """
        SELECT decoded, fact.receivedAt, evidence, factKey, transactionId, signedDate, document.receivedAt
        FROM fact LEFT JOIN evidence AS document ON document.id = evidence
        WHERE fact.ledger = ? AND originalTransactionId = ? ORDER BY signedDate, factKey LIMIT ?
        """

    /// Without the documents: one receipt of megabytes may prove thousands of facts.
    static func facts(
        of id: OriginalTransactionID, ledger: Int64, limit: Int, _ database: Database
    ) throws -> [StoredContents.KeptFact] {
        try database.rows(selectFacts, [.integer(ledger), .text(id.rawValue), .integer(Int64(limit))]) { row in
            StoredContents.KeptFact(
                fact: try FactCoding.decode(row.bytes(0)),
                columns: FactColumns(factKey: row.text(3), transactionId: row.optionalText(4), signedDate: row.instant(5)),
                receivedAt: row.instant(1),
                evidence: row.optionalInteger(2).map { ($0, row.isNull(6) ? nil : row.instant(6)) })
        }
    }

    static let selectDocument = "SELECT form, document FROM evidence WHERE id = ?"

    static func document(
        _ number: Int64, header: (Int64) throws -> String, _ database: Database
    ) throws -> Evidence {
        let found = try database.rows(selectDocument, [.integer(number)]) { row in
            let spelling = row.text(0)
            guard let form = Evidence.Form(rawValue: spelling) else {
                throw StorageError(.corrupt, "evidence of the unknown form \(spelling)")
            }
            return Evidence(form: form, bytes: try EvidenceDocument.decode(row.bytes(1), header: header))
        }.first
        guard let found else { throw StorageError(.corrupt, "no evidence has the number \(number)") }
        return found
    }

    /// The facts alone, when a history is put together again.
    static let selectDecoded = "SELECT decoded FROM fact WHERE ledger = ? AND originalTransactionId = ?"

    static func decodedFacts(of id: OriginalTransactionID, ledger: Int64, _ database: Database) throws -> [Fact] {
        try database.rows(selectDecoded, [.integer(ledger), .text(id.rawValue)]) { try FactCoding.decode($0.bytes(0)) }
    }

    static let selectClaims =
        """
        SELECT decoded, claimId, customer, claimedAt FROM claim
        WHERE ledger = ? AND originalTransactionId = ? ORDER BY claimedAt, claimId
        """

    static func claims(
        of id: OriginalTransactionID, ledger: Int64, _ database: Database
    ) throws -> [(Claim, ClaimColumns)] {
        try database.rows(selectClaims, [.integer(ledger), .text(id.rawValue)]) { row in
            let (bytes, customer) = (row.bytes(0), row.integer(2))
            let names = try CustomerQueries.names(of: ClaimCoding.customers(in: bytes).union([customer]), database)
            let columns = ClaimColumns(
                claimId: row.text(1), customer: names[customer].rawValue, claimedAt: row.instant(3))
            return (try ClaimCoding.decode(bytes) { names[$0] }, columns)
        }
    }
}
