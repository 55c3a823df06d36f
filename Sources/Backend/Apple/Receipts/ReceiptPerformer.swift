import AppStoreWire
import Ledger
package import Primitives
package import Storage

/// Asks Apple what a receipt is that nothing else proves, and keeps what it says (RECON-3, RECON-6, decision 0043).
///
/// Everything in the answer is kept in the transaction that ends the work, the claims of the customer who waits included, so that
/// a server that is killed before it loses nothing and asks once more. What is not an answer never ends the work, but for what is
/// about this very receipt.
package struct ReceiptPerformer: WorkPerformer {
    private let backend: Backend
    private let desk: AppleDesk
    package let kind: WorkKind

    /// - Parameter kind: ``/Storage/WorkKind/verifyReceipt`` or ``/Storage/WorkKind/verifyImportedReceipt``.
    package init(backend: Backend, desk: AppleDesk, kind: WorkKind) {
        self.backend = backend
        self.desk = desk
        self.kind = kind
    }

    /// With the pauses of ``limits`` about a day; then whoever still has the receipt may send it again.
    private static let mostAttempts: Int64 = 60
    private static let lease = Milliseconds.seconds(120)

    /// As patient as this work needs: only what Apple says about a receipt ends it.
    ///
    /// - Parameter concurrency: how many are asked about at once.
    package static func limits(concurrency: Int) -> WorkLimits {
        var limits = WorkLimits()
        (limits.concurrency, limits.lease) = (concurrency, lease)
        (limits.attempts, limits.backoff) = (.max, Backoff(first: .seconds(5), greatest: .minutes(30)))
        return limits
    }

    private var urgency: AskingUrgency { kind == .verifyImportedReceipt ? .bulk : .someoneWaits }

    package func openings(at now: Timestamp) -> [LaneOpening] { desk.openingsOfReceipts(urgency, at: now) }

    package func perform(_ work: LeasedWork, at now: Timestamp) async throws -> WorkOutcome {
        guard let app = backend.apps[work.order.scope.app] else { return .abandon(because: "the app is not configured") }
        let body: ReceiptWorkBody
        do {
            body = try StateCoding.decode(ReceiptWorkBody.self, from: work.order.body)
        } catch {
            return .abandon(because: "its body cannot be read")
        }
        guard let receipt = body.receipt else { return .abandon(because: body.refused ?? "its receipt is gone") }
        let question = ReceiptQuestion(app: app.id, receipt: receipt, hosts: app.receiptHosts, urgency: urgency)
        switch try await desk.ask(question, at: now) {
        case .notAsked(let why, isBegun: false): return .back(because: why.rawValue)
        // One call was made for it: not again each second until there is room for the other one.
        case .notAsked(let why, isBegun: true): return .wait(.minutes(1), because: why.rawValue)
        case .failed(let failure):
            return .wait(failure.scope == .app ? .minutes(10) : .minutes(1), because: failure.code)
        case .unsettled(let code):
            return work.attempt < Self.mostAttempts ? .retry(because: code) : .abandon(because: code)
        case .refused(let code): return try await refuse(code, body, work)
        case .elsewhere(let host): return try await refuse("answer.\(host.environment.rawValue)", body, work)
        case .answered(let outcome): return try await take(outcome, body, app, work)
        }
    }

    private func take(
        _ outcome: VerifyReceiptOutcome, _ body: ReceiptWorkBody, _ app: AppSettings, _ work: LeasedWork
    ) async throws -> WorkOutcome {
        let now = backend.clock.now()
        switch outcome.fetched(for: app.expected, at: now) {
        case .failure(let refusal) where refusal.isRetryable: return .wait(.minutes(10), because: "answer.\(refusal)")
        case .failure(let refusal): return try await refuse("answer.\(refusal)", body, work)
        case .success(let answer):
            var request = backend.request(of: answer, app: app, at: now)
            if let claim = ReceiptClaim(body) { try await backend.claimEverything(in: &request, as: claim, app: app) }
            let (answered, settings) = (request, backend.chosen)
            return .done(
                keeping: WorkResult(
                    of: request.subscriptions.sorted(), customers: Set(request.customers).sorted()
                ) { _, transaction in
                    _ = try Ingest.apply([answered], in: transaction, settings)
                })
        }
    }

    /// Remembers why, for the device that sends it again, and keeps the receipt no longer: anybody can sign one that Apple
    /// refuses.
    private func refuse(_ code: String, _ body: ReceiptWorkBody, _ work: LeasedWork) async throws -> WorkOutcome {
        var refused = body
        (refused.receipt, refused.refused) = (nil, code)
        let (json, until) = (try refused.json, backend.clock.now().adding(Self.lease))
        try await backend.store.write { try $0.note(json, on: work, until: until) }
        return .abandon(because: code)
    }
}
