package import Ledger
package import Primitives

/// What was answered to requests with idempotency keys, for those who send one again.
package protocol IdempotencyStore: Sendable {
    /// Nil where nothing is kept under the key.
    func answer(_ name: IdempotencyName) async throws -> KeptAnswer?

    /// How many answers are kept of a holder since an instant; at most `limit` are counted.
    func answerCount(of holder: [UInt8], app: AppID, since instant: Timestamp, limit: Int) async throws -> Int
}
