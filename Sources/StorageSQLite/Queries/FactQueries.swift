import GRDB
import Ledger
import Primitives
import Storage

/// Facts, notifications and claims: written once, by the key that makes them one (decision 3), and never changed.
enum FactQueries {
    static func insert(_ notification: NotificationRecord, _ database: Database) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO notification (app, environment, notificationUUID, notificationType, subtype, signedDate, receivedAt,
                    headerId, payloadAndSignature)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                """)
        try statement.execute(arguments: [
            notification.scope.app.rawValue, notification.scope.environment.rawValue, notification.notificationUUID,
            notification.notificationType, notification.subtype, notification.signedDate.millisecondsSince1970,
            notification.receivedAt.millisecondsSince1970, try headerId(of: notification.evidence, database),
            notification.evidence.payloadAndSignature,
        ])
        return database.changesCount == 1
    }

    static func insert(_ record: FactRecord, _ database: Database) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO fact (app, environment, factKey, originalTransactionId, signedDate, receivedAt, decoded, headerId,
                    payloadAndSignature)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                """)
        try statement.execute(arguments: [
            record.scope.app.rawValue, record.scope.environment.rawValue, record.fact.key,
            record.fact.originalTransactionId.rawValue,
            record.fact.signedDate.millisecondsSince1970, record.receivedAt.millisecondsSince1970,
            try StateCoding.encode(record.fact), try record.evidence.map { try headerId(of: $0, database) },
            record.evidence?.payloadAndSignature,
        ])
        return database.changesCount == 1
    }

    static func insert(_ claim: Claim, on key: SubscriptionKey, _ database: Database) throws {
        try database.cachedStatement(
            sql: """
                INSERT INTO claim (app, environment, claimId, originalTransactionId, customer, claimedAt, decoded)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            key.app.rawValue, key.environment.rawValue, claim.id.rawValue, key.originalTransactionId.rawValue,
            claim.customer.rawValue,
            claim.claimedAt.millisecondsSince1970, try StateCoding.encode(claim),
        ])
    }

    static func facts(of key: SubscriptionKey, limit: Int, _ database: Database) throws -> [FactRecord] {
        let scope = Scope(app: key.app, environment: key.environment)
        return try Row.fetchAll(database.cachedStatement(sql: selectFacts), arguments: StatementArguments(key.columns + [limit]))
            .map { row in
                let header: String? = row[2]
                let body: String? = row[3]
                return FactRecord(
                    scope: scope, fact: try StateCoding.decode(Fact.self, from: row[0]),
                    evidence: header.flatMap { header in body.map { SignedEvidence(header: header, payloadAndSignature: $0) } },
                    receivedAt: Timestamp(millisecondsSince1970: row[1]))
            }
    }

    static let selectFacts = """
        SELECT decoded, receivedAt, jwsHeader.header, payloadAndSignature
        FROM fact LEFT JOIN jwsHeader ON jwsHeader.id = fact.headerId
        WHERE app = ? AND environment = ? AND originalTransactionId = ? ORDER BY signedDate, fact.id LIMIT ?
        """

    /// Each header is kept once; almost always it is known already.
    private static func headerId(of evidence: SignedEvidence, _ database: Database) throws -> Int64 {
        let select = try database.cachedStatement(sql: "SELECT id FROM jwsHeader WHERE header = ?")
        if let id = try Int64.fetchOne(select, arguments: [evidence.header]) { return id }
        try database.cachedStatement(sql: "INSERT INTO jwsHeader (header) VALUES (?)").execute(arguments: [evidence.header])
        return database.lastInsertedRowID
    }
}

extension SubscriptionKey {
    /// The three columns that stand in every key, in their order.
    var columns: [any DatabaseValueConvertible] { [app.rawValue, environment.rawValue, originalTransactionId.rawValue] }
}
