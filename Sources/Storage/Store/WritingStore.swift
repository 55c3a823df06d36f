/// What writes: everything in transactions, all or nothing, durable when `write` returns. Reading sees what was committed when it
/// began, and never less than what any `write` of this store had returned by then.
package protocol WritingStore: Sendable {
    /// How many transactions can make progress at once: one in SQLite.
    var writers: Int { get }

    /// Runs `body` in one transaction and returns when it is durable. If `body` throws, nothing of it is kept and the error is
    /// thrown on.
    ///
    /// `body` may be run several times, each in a transaction of its own, before one is kept: when transactions conflict, and
    /// when the connection breaks so late that nobody can say whether the commit was carried out. So whatever it writes must be
    /// the same if it is there already.
    ///
    /// - Throws: `StorageError`, or what `body` throws.
    func write<Result: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> Result) async throws -> Result
}
