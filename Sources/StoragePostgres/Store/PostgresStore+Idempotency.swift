package import Ledger
package import Primitives
package import Storage

/// What was answered to requests with idempotency keys.
extension PostgresStore {
    package func answer(_ name: IdempotencyName) async throws -> KeptAnswer? {
        try await read { try $0.connection.execute(IdempotencyQueries.answer(name)).first.map(KeptAnswer.init(row:)) }
    }

    package func answerCount(of holder: [UInt8], app: AppID, since instant: Timestamp, limit: Int) async throws -> Int {
        try await read {
            let counting = IdempotencyQueries.count(of: holder, app: app, since: instant, limit: limit)
            return Int(try $0.connection.execute(counting).first?.integer(0) ?? 0)
        }
    }
}
