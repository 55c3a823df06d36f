package import Ledger
package import Primitives
package import Storage

/// What was answered to requests with idempotency keys.
extension SQLiteStore {
    package func answer(_ name: IdempotencyName) async throws -> KeptAnswer? {
        try read { try IdempotencyQueries.answer(name, $0) }
    }

    package func answerCount(of holder: [UInt8], app: AppID, since instant: Timestamp, limit: Int) async throws -> Int {
        try read { try IdempotencyQueries.count(of: holder, app: app, since: instant, limit: limit, $0) }
    }
}
