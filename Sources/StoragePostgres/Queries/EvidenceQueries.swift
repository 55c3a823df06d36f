import Ledger
import Primitives
import Storage

/// What Apple and customers said: written once, by the key that makes it one thing (decision 0003), and never changed.
enum EvidenceQueries {
    static func known(notifications: [(ledger: Int64, uuid: String)]) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT ledger, notificationUUID FROM unnest($1::bigint[], $2::text[]) AS asked (inLedger, uuid)
            JOIN evidence ON ledger = inLedger AND notificationUUID = uuid
            """,
            [.integers(notifications.map(\.ledger)), .texts(notifications.map(\.uuid))])
    }

    /// What another subscription may have: Apple's transaction ids are one space. Answers the places of those that are known.
    static func known(signed: [(place: Int64, ledger: Int64, fact: Fact)]) -> PostgresStatement {
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

    static func known(facts: [(place: Int64, ledger: Int64, fact: Fact)]) -> PostgresStatement {
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

    /// - Parameter arrival: what the document came with.
    static func insert(document: [UInt8], form: Evidence.Form, of arrival: Arrival, ledger: Int64) -> PostgresStatement {
        PostgresStatement(
            "INSERT INTO evidence (ledger, form, receivedAt, notificationUUID, document) VALUES ($1, $2, $3, $4, $5)",
            [
                .integer(ledger), .text(form.rawValue), .instant(arrival.receivedAt),
                .text(arrival.notification?.notificationUUID), .bytes(document),
            ])
    }

    /// The number of the evidence that the statement before has kept: so that no round trip is spent to learn it.
    private static let lastEvidence = "currval(pg_get_serial_sequence('evidence', 'id'))"

    static func insert(_ facts: [Fact], hasEvidence: Bool, receivedAt: Timestamp, ledger: Int64) -> PostgresStatement {
        PostgresStatement(
            """
            INSERT INTO fact (ledger, originalTransactionId, factKey, transactionId, signedDate, receivedAt, decoded, evidence)
            SELECT $1, id, key, signedId, signedAt, $2, document, CASE WHEN $3 THEN \(lastEvidence) END
            FROM unnest($4::text[], $5::text[], $6::text[], $7::bigint[], $8::bytea[])
                AS new (id, key, signedId, signedAt, document)
            """,
            [
                .integer(ledger), .instant(receivedAt), .bool(hasEvidence), .texts(facts.map(\.originalTransactionId.rawValue)),
                .texts(facts.map(\.key)), .texts(facts.map(\.signedTransactionId?.rawValue)),
                .integers(facts.map(\.signedDate.millisecondsSince1970)), .byteStrings(facts.map(FactCoding.encode)),
            ])
    }

    /// - Parameter number: of a customer.
    static func insert(
        _ claim: Claim, of id: OriginalTransactionID, ledger: Int64, number: (CustomerID) throws -> Int64
    ) throws -> PostgresStatement {
        PostgresStatement(
            """
            INSERT INTO claim (ledger, originalTransactionId, claimId, customer, claimedAt, decoded)
            VALUES ($1, $2, $3, $4, $5, $6)
            """,
            [
                .integer(ledger), .text(id.rawValue), .text(claim.id.rawValue), .integer(try number(claim.customer)),
                .instant(claim.claimedAt), .bytes(try ClaimCoding.encode(claim, number)),
            ])
    }

    /// Without the documents: one receipt of megabytes may prove thousands of facts.
    static func facts(of id: OriginalTransactionID, ledger: Int64, limit: Int) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT decoded, fact.receivedAt, evidence, factKey, transactionId, signedDate, document.receivedAt
            FROM fact LEFT JOIN evidence AS document ON document.id = evidence
            WHERE fact.ledger = $1 AND originalTransactionId = $2 ORDER BY signedDate, factKey LIMIT $3
            """,
            [.integer(ledger), .text(id.rawValue), .count(limit)])
    }

    static func fact(in row: PostgresRow) throws -> StoredContents.KeptFact {
        StoredContents.KeptFact(
            fact: try FactCoding.decode(row.bytes(0)),
            columns: FactColumns(
                factKey: try row.text(3), transactionId: try row.optionalText(4), signedDate: try row.instant(5)),
            receivedAt: try row.instant(1),
            evidence: try row.optionalInteger(2).map { number in
                (number, try row.optionalInteger(6).map { Timestamp(millisecondsSince1970: $0) })
            })
    }

    static func document(_ number: Int64) -> PostgresStatement {
        PostgresStatement("SELECT form, document FROM evidence WHERE id = $1", [.integer(number)])
    }

    static func evidence(in row: PostgresRow, header: (Int64) throws -> String) throws -> Evidence {
        let spelling = try row.text(0)
        guard let form = Evidence.Form(rawValue: spelling) else {
            throw StorageError(.corrupt, "evidence of the unknown form \(spelling)")
        }
        return Evidence(form: form, bytes: try EvidenceDocument.decode(row.bytes(1), header: header))
    }

    /// The facts alone, when a history is put together again.
    static func decoded(of id: OriginalTransactionID, ledger: Int64) -> PostgresStatement {
        PostgresStatement(
            "SELECT decoded FROM fact WHERE ledger = $1 AND originalTransactionId = $2", [.integer(ledger), .text(id.rawValue)])
    }

    static func claims(of id: OriginalTransactionID, ledger: Int64) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT decoded, claimId, customer, claimedAt FROM claim
            WHERE ledger = $1 AND originalTransactionId = $2 ORDER BY claimedAt, claimId
            """,
            [.integer(ledger), .text(id.rawValue)])
    }

    static func customers(inClaim row: PostgresRow) throws -> Set<Int64> {
        try ClaimCoding.customers(in: row.bytes(0)).union([row.integer(2)])
    }

    static func claim(in row: PostgresRow, _ names: CustomerNames) throws -> (Claim, ClaimColumns) {
        let columns = ClaimColumns(
            claimId: try row.text(1), customer: names[try row.integer(2)].rawValue, claimedAt: try row.instant(3))
        return (try ClaimCoding.decode(row.bytes(0)) { names[$0] }, columns)
    }
}
