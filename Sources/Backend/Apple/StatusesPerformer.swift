import AppStoreWire
import Ledger
package import Primitives
package import Storage

/// Of an import by transaction ids: asks for the statuses of all subscriptions that an id stands for, which say who has access
/// now, and orders the history, which says what was. Both have limits of their own at Apple, so that the statuses of a whole
/// import are known long before its histories.
package struct StatusesPerformer: WorkPerformer {
    private let backend: Backend
    private let desk: AppleDesk

    package init(backend: Backend, desk: AppleDesk) {
        self.backend = backend
        self.desk = desk
    }

    package var kind: WorkKind { .fetchStatuses }

    package func openings(at now: Timestamp) -> [LaneOpening] {
        desk.openings(for: .getAllSubscriptionStatuses, overdue: nil, at: now)
    }

    package func perform(_ work: LeasedWork, at now: Timestamp) async throws -> WorkOutcome {
        let scope = work.order.scope
        guard let app = backend.apps[scope.app] else { return .abandon(because: "the app is not configured") }
        let fetch: FetchHistoryBody
        let call: ServerAPICall<StatusResponse>
        do {
            fetch = try StateCoding.decode(FetchHistoryBody.self, from: work.order.body)
        } catch {
            return .abandon(because: "its body cannot be read")
        }
        do {
            call = try .getAllSubscriptionStatuses(anyTransactionId: fetch.transactionId)
        } catch {
            return .abandon(because: "Apple would refuse the request: \(error)")
        }
        var request = IngestRequest(app: app, learnedAt: now)
        switch try await desk.ask(call, in: scope, .bulk, at: now) {
        case .notAsked(let why): return .back(because: why.rawValue)
        // It may be no subscription's; its history says so, or that nobody knows it.
        case .failed(let failure) where failure.isFinal: break
        case .failed(let failure): return .retry(because: failure.code)
        case .answered(let answer):
            let key = SubscriptionKey(scope, OriginalTransactionID(fetch.transactionId))
            request = await backend.told(by: answer.response, about: key, app).request
            try fetch.claim(in: &request)
        }
        let history = WorkOrder(
            scope: scope, subject: fetch.transactionId, key: HistoryReason.imported.rawValue, kind: .fetchHistory,
            body: try fetch.json, dueAt: now)
        request.orders.append(history)
        let settings = backend.chosen
        return .done(
            keeping: WorkResult(of: request.subscriptions.sorted()) { [request] _, transaction in
                _ = try Ingest.apply([request], in: transaction, settings)
            })
    }
}

extension FetchHistoryBody {
    /// Claims everything that the request proves for the customer whom the import names.
    func claim(in request: inout IngestRequest) throws {
        guard let customer, let kind = claimAs.flatMap({ Claim.Kind(rawValue: $0) }) else { return }
        request.claimEverything(for: Claimant(try Backend.checked(CustomerID(customer))), kind)
    }
}
