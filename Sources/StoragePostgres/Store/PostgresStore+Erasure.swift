/// Customers who are erased.
extension PostgresStore {
    /// Nothing: `VACUUM` overwrites what nobody sees any more, by itself after some time.
    package func overwriteErased() async throws -> Bool { false }
}
