import Ledger
import Primitives
import Storage

/// What was answered to requests with idempotency keys.
enum IdempotencyQueries {
    private static let select =
        "SELECT \(KeptAnswer.columns) FROM idempotentAnswer WHERE app = $1 AND holder = $2 AND idempotencyKey = $3"

    static func answer(_ name: IdempotencyName) -> PostgresStatement {
        PostgresStatement(select, [.text(name.app.rawValue), .bytes(name.holder), .bytes(name.key)])
    }

    private static let count = """
        SELECT count(*) FROM (
            SELECT 1 FROM idempotentAnswer WHERE app = $1 AND holder = $2 AND keptAt > $3 LIMIT $4) AS counted
        """

    static func count(of holder: [UInt8], app: AppID, since instant: Timestamp, limit: Int) -> PostgresStatement {
        PostgresStatement(
            count,
            [.text(app.rawValue), .bytes(holder), .integer(instant.millisecondsSince1970), .count(limit)])
    }

    private static let insertion = PostgresInsertion<WrittenAnswer>(
        "ON CONFLICT (app, holder, idempotencyKey) DO UPDATE SET \(WrittenAnswer.taken(except: WrittenAnswer.key))")

    static func save(_ answer: KeptAnswer) -> PostgresStatement { insertion.statement(WrittenAnswer(answer)) }

    private static let forget = """
        DELETE FROM idempotentAnswer WHERE (app, holder, idempotencyKey) IN (
            SELECT app, holder, idempotencyKey FROM idempotentAnswer WHERE keptAt < $1
            ORDER BY keptAt LIMIT $2) RETURNING 1
        """

    static func forget(before instant: Timestamp, limit: Int) -> PostgresStatement {
        PostgresStatement(forget, [.integer(instant.millisecondsSince1970), .count(limit)])
    }

    static func forget(about customer: SubjectDigest, app: AppID) -> PostgresStatement {
        PostgresStatement(
            "DELETE FROM idempotentAnswer WHERE app = $1 AND about = $2", [.text(app.rawValue), .bytes(customer.bytes)])
    }
}
