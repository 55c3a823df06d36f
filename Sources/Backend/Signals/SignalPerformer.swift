import Ledger
package import Primitives
package import Storage

/// Looks for signals of abuse (ABUSE-1) in what several subscriptions show together: an Apple Account, a customer, or every
/// subscription of a ledger, page by page. It reads outside any transaction; what it finds is kept by the write path.
package struct SignalPerformer: WorkPerformer {
    private let backend: Backend
    /// How many are read at once.
    private let page: Int

    /// After so many pages it gives its place back, for this server or another one to go on.
    private static let pages = 10
    private static let lease = Milliseconds.seconds(60)

    package init(backend: Backend, page: Int = 100) {
        self.backend = backend
        self.page = page
    }

    package var kind: WorkKind { .reviewSignals }

    package func perform(_ work: LeasedWork, at now: Timestamp) async throws -> WorkOutcome {
        let scope = work.order.scope
        guard let app = backend.apps[scope.app] else { return .abandon(because: "the app is not configured") }
        guard let review = work.order.review else { return .abandon(because: "it names nothing to look through") }
        let thresholds = try await backend.thresholds(of: app)
        let found: Backend.SignalsFound
        switch review {
        case .account(let id):
            found = try await backend.review(accountOf: SubscriptionKey(scope, id), thresholds, at: now)
        case .customer(let customer):
            found = try await backend.review(CustomerKey(scope, customer), thresholds, at: now)
        case .everything: return try await goOn(with: work, of: app, thresholds)
        }
        var request = IngestRequest(app: app, learnedAt: now)
        request.take(found, of: review, in: scope)
        guard !request.signals.isEmpty || !request.orders.isEmpty else { return .done() }
        let (asked, settings) = (request, backend.chosen)
        return .done(
            keeping: WorkResult(of: request.subscriptions) { _, transaction in
                _ = try Ingest.apply([asked], in: transaction, settings)
            })
    }

    // MARK: The whole ledger

    private func goOn(
        with work: LeasedWork, of app: AppSettings, _ thresholds: AbuseThresholds
    ) async throws -> WorkOutcome {
        let scope = work.order.scope
        var progress = try SignalReviewProgress(json: work.order.body)
        for _ in 0..<Self.pages {
            try Task.checkCancellation()
            let stored = try await backend.store.subscriptions(
                in: scope, after: progress.after.map { OriginalTransactionID($0) }, limit: page)
            guard let last = stored.last else { return .done() }
            let now = backend.clock.now()
            var request = IngestRequest(app: app, learnedAt: now)
            for each in stored { try await review(each.state, thresholds, into: &request) }
            progress.after = last.history.key.originalTransactionId.rawValue
            let (asked, settings, body) = (request, backend.chosen, try progress.json)
            try await backend.store.write { transaction in
                // Subscriptions first, as in every other transaction.
                _ = try Ingest.apply([asked], in: transaction, settings)
                try transaction.note(body, on: work, until: now.adding(Self.lease))
            }
        }
        return .goesOn
    }

    /// Each Apple Account and each customer is looked through once, with the first of their subscriptions.
    private func review(
        _ state: Ledger.SubscriptionState, _ thresholds: AbuseThresholds, into request: inout IngestRequest
    ) async throws {
        let (key, now) = (state.key, request.learnedAt)
        let search = try await backend.search(AccountSearch(of: [key.originalTransactionId]), in: key.scope)
        if search.found.first == key.originalTransactionId {
            let found = try await backend.review(accountOf: key, thresholds, at: now)
            request.take(found, of: .account(key.originalTransactionId), in: key.scope)
        }
        let named = Set(state.tenures.compactMap(\.customer) + state.claims.map(\.claim.customer))
        for customer in named.sorted() {
            let name = CustomerName(key.app, customer)
            let first = try await backend.store.subscriptions(naming: name).first { $0.scope == key.scope }
            // Who is named by a claim alone that was not kept is looked through where they are named first.
            guard first == nil || first == key else { continue }
            let found = try await backend.review(CustomerKey(key.scope, customer), thresholds, at: now)
            request.take(found, of: .customer(customer), in: key.scope)
        }
    }
}

extension IngestRequest {
    fileprivate mutating func take(_ found: Backend.SignalsFound, of review: SignalReview, in scope: Scope) {
        signals += found.signals
        // Nothing of it counts by then but what begins to.
        if let again = found.again { orders.append(WorkOrder(review, in: scope, at: again)) }
    }
}
