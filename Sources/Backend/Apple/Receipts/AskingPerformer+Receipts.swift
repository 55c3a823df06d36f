import AppStoreWire
import Ledger
import Primitives
import Storage

extension AskingPerformer {
    /// Asks `/verifyReceipt` about a subscription with its newest receipt (RECON-3); nil where none tells of it, or nobody asks
    /// about the app's receipts.
    ///
    /// - Parameter hasAsked: Apple was asked in another way; then what cannot be put is noted at once, not asked again and again.
    func askAboutReceipt(_ question: Question, hasAsked: Bool = false, at now: Timestamp) async throws -> WorkOutcome? {
        let (key, app) = (question.key, question.app)
        guard !app.receiptHosts.isEmpty, let receipt = try await backend.newestReceipt(of: key) else { return nil }
        // It is known whose it is; the other host is asked only where the first one names it.
        let hosts =
            app.receiptHosts.filter { $0.environment == key.scope.environment }
            + app.receiptHosts.filter { $0.environment != key.scope.environment }
        let asked = ReceiptQuestion(app: app.id, receipt: receipt, hosts: hosts, urgency: .accessEnds)
        switch try await desk.ask(asked, at: now) {
        case .notAsked(let why, let isBegun):
            guard hasAsked || isBegun else { return notAsked(why, question, at: now) }
            return note(FailedQuestion(askedAt: now, reason: why.rawValue), key, app)
        case .refused(let code):
            // Final only where Apple says so of itself, or knows the transaction nowhere (ENT-12): that receipt was proved once.
            let isFinal = hasAsked || code.hasPrefix("receipt.211")
            return note(FailedQuestion(askedAt: now, reason: code, isRetryable: !isFinal), key, app)
        case .unsettled(let code): return note(FailedQuestion(askedAt: now, reason: code), key, app)
        // It was of this environment, and Apple contradicts itself.
        case .elsewhere(let host): return note(FailedQuestion(askedAt: now, reason: "answer.\(host.rawValue)"), key, app)
        case .failed(let failure): return note(FailedQuestion(askedAt: now, reason: failure.code), key, app)
        case .answered(let outcome): return take(outcome, about: question)
        }
    }

    private func take(_ outcome: VerifyReceiptOutcome, about question: Question) -> WorkOutcome {
        let (key, app, now) = (question.key, question.app, backend.clock.now())
        switch outcome.fetched(for: app.expected, at: now) {
        case .failure(let refusal): return note(FailedQuestion(askedAt: now, reason: "answer.\(refusal)"), key, app)
        case .success(let answer):
            var request = backend.request(of: answer, app: app, at: now)
            request.arrivals.removeAll { $0.scope != key.scope }
            return end(
                with: request, about: question, orNoting: FailedQuestion(askedAt: now, reason: "answer.nothingNew"))
        }
    }
}
