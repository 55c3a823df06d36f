package import Ledger

/// What Apple posted, for those who pass it on (TELL-5): read like the log of what was told, in the order of commits.
package protocol ForwardingStore: Sendable {
    /// The copies after a place, at most `limit`; as ``LogStore/log(of:after:limit:)``.
    func copies(of scope: Scope, after place: LogPlace, limit: Int) async throws -> LogPage

    /// The copies of one subject in their order, from a number on; at most `limit`. The numbers grow, with gaps.
    func copies(about key: SubscriptionKey, from number: Int64, limit: Int) async throws -> [LoggedEvent]

    /// The place of the last copy that can be read; ``LogPlace/start`` where there is none.
    func copyEnd(of scope: Scope) async throws -> LogPlace
}
