import GRDB
import Ledger
import Primitives
import Storage

/// What was answered to requests with idempotency keys.
enum IdempotencyQueries {
    static let select =
        "SELECT \(KeptAnswer.columns) FROM idempotentAnswer WHERE app = ? AND holder = ? AND idempotencyKey = ?"

    static func answer(_ name: IdempotencyName, _ database: Database) throws -> KeptAnswer? {
        try database.row(select, [.text(name.app.rawValue), .bytes(name.holder), .bytes(name.key)])
    }

    static let count = """
        SELECT count(*) FROM (SELECT 1 FROM idempotentAnswer WHERE app = ? AND holder = ? AND keptAt > ? LIMIT ?)
        """

    static func count(
        of holder: [UInt8], app: AppID, since instant: Timestamp, limit: Int, _ database: Database
    ) throws -> Int {
        let values: [SQLiteValue] = [
            .text(app.rawValue), .bytes(holder), .integer(instant.millisecondsSince1970), .integer(Int64(limit)),
        ]
        return try database.rows(count, values) { Int($0.integer(0)) }.first ?? 0
    }

    private static let insertion = SQLiteInsertion<WrittenAnswer>(
        "ON CONFLICT (app, holder, idempotencyKey) DO UPDATE SET \(WrittenAnswer.taken(except: WrittenAnswer.key))")

    static func save(_ answer: KeptAnswer, _ database: Database) throws { try database.run(insertion, WrittenAnswer(answer)) }

    static let forget = """
        DELETE FROM idempotentAnswer WHERE (app, holder, idempotencyKey) IN (
            SELECT app, holder, idempotencyKey FROM idempotentAnswer WHERE keptAt < ? ORDER BY keptAt LIMIT ?)
        """

    static func forget(before instant: Timestamp, limit: Int, _ database: Database) throws -> Int {
        Int(try database.run(forget, [.integer(instant.millisecondsSince1970), .integer(Int64(limit))]))
    }

    static let forgetAbout = "DELETE FROM idempotentAnswer WHERE app = ? AND about = ?"

    static func forget(about customer: SubjectDigest, app: AppID, _ database: Database) throws {
        try database.run(forgetAbout, [.text(app.rawValue), .bytes(customer.bytes)])
    }
}
