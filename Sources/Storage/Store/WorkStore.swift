package import Primitives

/// What is to be done and delivered later, for workers and for operators. Leasing and ending are in transactions
/// (``WorkTransaction``).
package protocol WorkStore: WritingStore {
    /// What is waiting to be delivered, from the oldest on; at most `limit` after the row `id`.
    func outbox(after id: Int64, limit: Int) async throws -> [OutboxRow]

    /// Work in the queue, by id; at most `limit` after `id`.
    func work(after id: Int64, limit: Int) async throws -> [StoredWork]

    /// How much work of some kinds is due in an app's environment, in the order of the kinds; each counted up to `limit`.
    func backlog(of kinds: [WorkKind], in scope: Scope, at now: Timestamp, limit: Int) async throws -> [WorkBacklog]

    /// Work of one kind that is not at its end, of an app's environment, by when it may be taken next; at most `limit`.
    func unfinished(of kind: WorkKind, in scope: Scope, limit: Int) async throws -> [StoredWork]
}
