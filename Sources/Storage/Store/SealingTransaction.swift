package import Ledger
package import Primitives

/// What sealing the books needs (AUDIT-2).
package protocol SealingTransaction {
    /// Seals the heads of the app's chains that moved since its last seal, at most `limit` of them; nil where none did.
    func seal(_ app: AppID, at now: Timestamp, limit: Int) throws -> AuditSeal?
}
