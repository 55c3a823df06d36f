import Primitives
import Storage

/// Requests with idempotency keys, beside the transactions that carry them out (``Once``).
extension Backend {
    /// What the request was answered before; nil where it was not.
    ///
    /// - Throws: ``IdempotencyRefusal``.
    package func answerBefore(_ request: IdempotentRequest) async throws -> GivenAnswer? {
        let now = clock.now()
        return try await translatingStorageErrors {
            if let before = try request.answer(kept: try await store.answer(request.name), at: now) { return before }
            guard request.isByCustomer else { return nil }
            let most = IdempotentRequest.mostOfCustomer
            let since = now.adding(Milliseconds(-KeptAnswer.life.count))
            let count = try await store.answerCount(of: request.name.holder, app: request.name.app, since: since, limit: most)
            guard count < most else { throw IdempotencyRefusal.tooMany(most: most) }
            return nil
        }
    }

    /// Keeps that the request was refused: asked again it is refused with the same words.
    ///
    /// - Returns: what it was answered, which is another answer where the same request was carried out meanwhile.
    /// - Throws: ``IdempotencyRefusal/reused``.
    package func keep(_ refusal: GivenAnswer, to request: IdempotentRequest) async throws -> GivenAnswer {
        let now = clock.now()
        return try await translatingStorageErrors {
            try await store.write { transaction in
                if let before = try request.answer(kept: try transaction.lockAnswer(request.name), at: now) { return before }
                try transaction.keep(try request.kept(refusal, at: now))
                return refusal
            }
        }
    }

    /// Forgets the answers that count no more, also of apps that are no longer configured.
    ///
    /// - Returns: how many.
    @discardableResult
    package func forgetAnswers() async throws -> Int {
        let (end, most) = (clock.now().adding(Milliseconds(-KeptAnswer.life.count)), Self.answersForgottenAtOnce)
        var forgotten = 0
        while true {
            try Task.checkCancellation()
            let count = try await store.write { try $0.forgetAnswers(keptBefore: end, limit: most) }
            forgotten += count
            if count < most { return forgotten }
        }
    }

    private static let answersForgottenAtOnce = 1000
}
