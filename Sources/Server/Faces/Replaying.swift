import APIContract
import Backend
import Hummingbird

/// Carries out requests with idempotency keys once (docs/decisions/0056).
struct Replaying: Sendable {
    private let backend: Backend

    init(_ backend: Backend) { self.backend = backend }

    /// An answer, given now or before.
    enum Outcome<Made: Sendable>: Sendable {
        case given(Made)
        case before(GivenAnswer)
    }

    /// What `handle` answers, unless the request was answered before. Where it is refused, that is kept; where it fails or is
    /// only to come later, nothing was done and nothing is kept, so that it can be sent again.
    ///
    /// - Parameter id: of the request, which a refusal names.
    func answer<Made>(
        _ request: IdempotentRequest, id: String?, _ handle: () async throws -> Made
    ) async throws -> Outcome<Made> {
        if let before = try await backend.answerBefore(request) { return .before(before) }
        do {
            return .given(try await handle())
        } catch let answered as AnsweredBefore {
            return .before(answered.answer)
        } catch {
            let problem = ErrorMapping.problem(of: error)
            guard problem.kind.isFinal, !(error is IdempotencyRefusal) else { throw error }
            let refusal = GivenAnswer(status: problem.kind.status, bytes: problem.json(instance: id))
            let kept = try await backend.keep(refusal, to: request)
            // It was carried out meanwhile, by another server.
            if kept != refusal { return .before(kept) }
            throw error
        }
    }
}
