import Primitives
import Storage

/// How a use case does something once that is asked for again and again: its answer is kept in the transaction that does it, so
/// that either both happened or neither, whoever is killed in between.
package struct Once<Value: Sendable>: Sendable {
    /// Nil where the request bears no idempotency key.
    let request: IdempotentRequest?
    /// What is answered when it is done.
    let answer: @Sendable (Value) throws -> GivenAnswer

    package init(_ request: IdempotentRequest?, answer: @escaping @Sendable (Value) throws -> GivenAnswer) {
        (self.request, self.answer) = (request, answer)
    }

    /// Whether the request bears an idempotency key.
    var isKeyed: Bool { request != nil }

    /// Does it, unless it was done before. To be called first in a transaction.
    ///
    /// - Throws: ``AnsweredBefore``; ``IdempotencyRefusal/reused``; what `body` throws.
    func perform(
        in transaction: any IdempotencyTransaction, at now: Timestamp, _ body: () throws -> Value
    ) throws -> Value {
        guard let request else { return try body() }
        if let before = try request.answer(kept: try transaction.lockAnswer(request.name), at: now) {
            throw AnsweredBefore(answer: before)
        }
        let value = try body()
        try transaction.keep(try request.kept(try answer(value), at: now))
        return value
    }
}

extension Once {
    /// Where nobody sends it again under a key: the command line, tests.
    package static var unkeyed: Once { Once(nil) { _ in GivenAnswer(status: 0, bytes: []) } }
}
