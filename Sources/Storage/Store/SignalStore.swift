/// Signals of abuse for those who look at them (ABUSE-1).
package protocol SignalStore: Sendable {
    /// Those that a search asks for, the one that was raised first last; at most `limit`.
    func signals(_ search: SignalSearch, in scope: Scope, limit: Int) async throws -> [StoredSignal]

    /// Nil where the ledger has none of the id.
    func signal(_ id: Int64, in scope: Scope) async throws -> StoredSignal?
}
