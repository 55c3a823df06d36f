import AppStoreWire
import Ledger
package import Primitives
package import Storage

/// Fetches all transactions of a customer of the App Store, page by page: for an import by id, a hint of a notification V1, and
/// where an answer about the status left a gap (RECON-1, RECON-3).
///
/// Each page is kept in one transaction with the place of the next one, so that a server that is killed loses no page and another
/// one goes on. The last `revision` is kept for the subscription: the next time Apple tells only what changed since.
package struct HistoryPerformer: WorkPerformer {
    private let backend: Backend
    private let desk: AppleDesk

    private static let lease = Milliseconds.seconds(60)
    /// 20,000 transactions; an account with more does not exist, a history that never ends does (gateway trap 7).
    private static let mostPages = 1000

    package init(backend: Backend, desk: AppleDesk) {
        self.backend = backend
        self.desk = desk
    }

    package var kind: WorkKind { .fetchHistory }

    package func openings(at now: Timestamp) -> [LaneOpening] {
        desk.openings(for: .getTransactionHistory, overdue: nil, at: now)
    }

    package func perform(_ work: LeasedWork, at now: Timestamp) async throws -> WorkOutcome {
        let scope = work.order.scope
        guard let app = backend.apps[scope.app] else { return .abandon(because: "the app is not configured") }
        var fetch: FetchHistoryBody
        do {
            fetch = try StateCoding.decode(FetchHistoryBody.self, from: work.order.body)
        } catch {
            return .abandon(because: "its body cannot be read")
        }
        if fetch.revision == nil {
            let id = fetch.transactionId
            fetch.revision = try await backend.store.write { try $0.historyRevision(of: id, in: scope) }
        }
        let reason = HistoryReason(rawValue: work.order.key) ?? .gap
        while true {
            try Task.checkCancellation()
            let call: ServerAPICall<HistoryResponse>
            do {
                call = try .getTransactionHistory(anyTransactionId: fetch.transactionId, revision: fetch.revision)
            } catch {
                return .abandon(because: "Apple would refuse the request: \(error)")
            }
            let page: HistoryResponse
            switch try await desk.ask(call, in: scope, reason.urgency, at: backend.clock.now()) {
            case .notAsked(let why): return .back(because: why.rawValue)
            case .failed(let failure) where failure.scope == .transaction: return .abandon(because: failure.code)
            case .failed(let failure): return .retry(because: failure.code)
            case .answered(let answer): page = answer.response
            }
            guard page.hasMore else { return try await end(with: page, fetch, app, scope) }
            guard let next = page.revision, next != fetch.revision, fetch.pages + 1 < Self.mostPages else {
                return .abandon(because: page.revision == nil ? "a page has no revision" : "the history does not end")
            }
            fetch.revision = next
            fetch.pages += 1
            try await keep(page, fetch, app, work)
        }
    }

    private func keep(_ page: HistoryResponse, _ fetch: FetchHistoryBody, _ app: AppSettings, _ work: LeasedWork) async throws {
        let request = try await request(of: page, fetch, app, work.order.scope)
        let (body, settings, until) = (try fetch.json, backend.chosen, backend.clock.now().adding(Self.lease))
        try await backend.store.write { transaction in
            _ = try Ingest.apply([request], in: transaction, settings)
            try transaction.note(body, on: work, until: until)
        }
    }

    private func end(
        with page: HistoryResponse, _ fetch: FetchHistoryBody, _ app: AppSettings, _ scope: Scope
    ) async throws -> WorkOutcome {
        let request = try await request(of: page, fetch, app, scope)
        let (settings, now) = (backend.chosen, backend.clock.now())
        return .done(
            keeping: WorkResult(of: request.subscriptions.sorted()) { _, transaction in
                _ = try Ingest.apply([request], in: transaction, settings)
                guard let revision = page.revision else { return }
                try transaction.keep(historyRevision: revision, of: fetch.transactionId, in: scope, at: now)
            })
    }

    /// What a page proves. A transaction that is refused is left out: the others are true without it.
    private func request(
        of page: HistoryResponse, _ fetch: FetchHistoryBody, _ app: AppSettings, _ scope: Scope
    ) async throws -> IngestRequest {
        var request = IngestRequest(app: app, learnedAt: backend.clock.now())
        for transaction in page.signedTransactions {
            do {
                request.arrivals += try await backend.proved(transaction, nil, app: app, at: request.learnedAt)
                    .filter { $0.scope == scope }
            } catch is BackendError {
                continue
            }
        }
        try fetch.claim(in: &request)
        return request
    }
}
