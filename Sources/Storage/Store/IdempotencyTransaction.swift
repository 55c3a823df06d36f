package import Primitives

/// What those need who carry a request out once, however often it is sent.
package protocol IdempotencyTransaction {
    /// What is kept under a key, which is this transaction's own until it ends, also where nothing is kept yet: nobody else
    /// carries out a request with it meanwhile. To be called first, so that transactions do not wait for each other in a circle.
    func lockAnswer(_ name: IdempotencyName) throws -> KeptAnswer?

    /// Keeps the answer of a locked key, in place of one that is there.
    func keep(_ answer: KeptAnswer) throws

    /// Forgets the answers that were kept before an instant, the oldest first.
    ///
    /// - Returns: how many, at most `limit`.
    func forgetAnswers(keptBefore instant: Timestamp, limit: Int) throws -> Int
}
