import Storage

/// The locks by name that one transaction holds. The server keeps all locks of all sessions in one table of a fixed size, so a
/// transaction holds a bounded number of them.
struct NamedLocks {
    /// With six writers one server holds at most 6,150, which is what a PostgreSQL with its usual settings has room for
    /// (`max_locks_per_transaction` 64, `max_connections` 100).
    private static let most = 1024

    private var held: Set<Int64> = []
    private var hasEverything = false

    /// The statements that take the locks that are not held. Beyond the most everything is locked by one lock: that transaction
    /// waits for all others, and they for it.
    ///
    /// - Parameter more: how many may be wanted by the same transaction soon; counted now, so that it need not wait while it
    ///   holds some.
    mutating func take(_ names: [Int64], andPerhaps more: Int = 0) -> [PostgresStatement] {
        let names = Set(names).subtracting(held)
        guard !hasEverything, !names.isEmpty || more > Self.most else { return [] }
        held.formUnion(names)
        if held.count + more > Self.most {
            hasEverything = true
            return [NameQueries.lockEverything]
        }
        return [NameQueries.lock(Array(names))]
    }
}
