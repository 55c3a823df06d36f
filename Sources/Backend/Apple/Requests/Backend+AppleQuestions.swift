import AppStoreWire
package import Ledger
package import Primitives
import Storage

/// What Apple is asked because somebody wants to know it now. Whatever Apple signed of it is kept like everything else.
extension Backend {
    /// What came of asking Apple about a subscription at once.
    package enum Refreshed: Sendable, Hashable {
        /// Apple answered.
        ///
        /// - Parameter isNew: whether the answer says anything that was not known.
        case answered(isNew: Bool)
        /// Apple could not be asked now; it is asked as soon as it can be.
        case later(code: String)
    }

    /// Asks Apple about a subscription now, whatever is due (RECON-1, RECON-6).
    ///
    /// - Throws: `BackendError.refreshedJustNow` where it was asked about less than 10 seconds ago, by this server.
    package func refresh(_ key: SubscriptionKey, desk: AppleDesk?) async throws -> Refreshed {
        try await checkKnown(key)
        guard let desk, let app = apps[key.app], app.asksByKey else { throw BackendError.appleNotAsked(key.app) }
        let now = clock.now()
        if let until = desk.beginRefresh(of: key, at: now) { throw BackendError.refreshedJustNow(until: until) }
        let call: ServerAPICall<StatusResponse> = try wellFormed { () throws(ServerAPIRequestError) in
            try .getAllSubscriptionStatuses(anyTransactionId: key.originalTransactionId.rawValue)
        }
        do {
            let answer = try await ask(call, AppleWay(key, by: desk))
            return .answered(isNew: try await take(answer, about: key, app))
        } catch BackendError.appleUnavailable(let code) {
            try await translatingStorageErrors {
                let order = try WorkOrder(fetchingHistoryOf: key, for: .refresh, at: now)
                try await store.write { try $0.order([order]) }
            }
            return .later(code: code)
        }
    }

    private func take(_ answer: StatusResponse, about key: SubscriptionKey, _ app: AppSettings) async throws -> Bool {
        let request = await told(by: answer, about: key, app).request
        let settings = chosen
        return try await translatingStorageErrors {
            try await store.write { transaction in
                let decisions = try Ingest.apply([request], in: transaction, settings).flatMap(\.decisions)
                let orders = try WorkOrder.fetchingGaps(in: decisions, at: request.learnedAt)
                if !orders.isEmpty { try transaction.order(orders) }
                return decisions.contains(where: \.changesHistory)
            }
        }
    }

    /// A purchase as Apple signed it, in an answer to a question about several.
    package struct ToldPurchase: Sendable, Hashable {
        package let fact: TransactionFact
        /// Whether it was not known before.
        package let isNew: Bool
    }

    /// What came of a question about several purchases.
    package struct ToldPurchases: Sendable, Hashable {
        package var purchases: [ToldPurchase] = []
        /// How many of them were left out because their signature, or what they say, was refused.
        package var refused = 0
        /// Whether these are all.
        package var isComplete = true
    }

    /// The purchases of an order number, as it stands on a customer's receipt from Apple.
    ///
    /// - Throws: `BackendError.unknownOrder` where Apple knows no such order of this app.
    package func lookUp(order: String, app id: AppID, desk: AppleDesk?) async throws -> ToldPurchases {
        let call: ServerAPICall<OrderLookupResponse> = try wellFormed { () throws(ServerAPIRequestError) in
            try .lookUpOrderID(orderId: order)
        }
        let way = AppleWay(id, .production, by: desk)
        let answer = try await ask(call, way)
        guard answer.status == .valid else { throw BackendError.unknownOrder }
        return try await keep(answer.signedTransactions ?? [], in: way.scope)
    }

    /// What Apple refunded to whoever bought a subscription, over all that they bought in the app.
    package func refunds(of key: SubscriptionKey, desk: AppleDesk?) async throws -> ToldPurchases {
        try await checkKnown(key)
        var (told, revision) = (ToldPurchases(), String?.none)
        for number in 0..<Self.mostRefundPages {
            let call: ServerAPICall<RefundHistoryResponse> = try wellFormed { () throws(ServerAPIRequestError) in
                try .getRefundHistory(anyTransactionId: key.originalTransactionId.rawValue, revision: revision)
            }
            let page: RefundHistoryResponse
            do {
                page = try await ask(call, AppleWay(key, by: desk))
            } catch BackendError.appleUnavailable(let code) {
                guard number > 0 else { throw BackendError.appleUnavailable(code: code) }
                told.isComplete = false
                return told
            }
            let kept = try await keep(page.signedTransactions, in: key.scope)
            told.purchases += kept.purchases
            told.refused += kept.refused
            guard page.hasMore else { return told }
            guard let next = page.revision, next != revision else { break }
            revision = next
        }
        told.isComplete = false
        return told
    }

    /// 1,000 refunds; whoever has more is asked about elsewhere.
    private static let mostRefundPages = 50

    private func keep(_ transactions: [String], in scope: Scope) async throws -> ToldPurchases {
        let app = try settings(of: scope.app)
        var (told, request) = (ToldPurchases(), IngestRequest(app: app, learnedAt: clock.now()))
        for jws in transactions {
            do {
                request.arrivals += try await proved(jws, nil, app: app, at: request.learnedAt)
                    .filter { $0.scope == scope }
            } catch BackendError.refusedEvidence {
                told.refused += 1
            }
        }
        guard !request.arrivals.isEmpty else { return told }
        let isNew = try await ingest(request).isNew
        for (arrival, isNew) in zip(request.arrivals, isNew) {
            for case .transaction(let fact) in arrival.facts {
                told.purchases.append(ToldPurchase(fact: fact, isNew: isNew))
            }
        }
        return told
    }

    // MARK: Test notifications

    /// How a test notification stands.
    package struct TestNotification: Sendable, Hashable {
        package let token: String
        /// When this app's servers took it; nil while none has.
        package let isReceived: Bool
        /// What came of Apple's attempts, in their order.
        package let attempts: [Attempt]

        package struct Attempt: Sendable, Hashable {
            package let at: Timestamp?
            /// Apple's spelling: `SUCCESS`, `TIMED_OUT`, …
            package let result: String?
        }
    }

    /// Asks Apple to post a test notification to the URL that App Store Connect has.
    ///
    /// - Returns: the token to ask for it by.
    package func requestTestNotification(_ way: AppleWay) async throws -> String {
        let call: ServerAPICall<SendTestNotificationResponse> = try wellFormed { () throws(ServerAPIRequestError) in
            try .requestTestNotification()
        }
        return try await ask(call, way).testNotificationToken
    }

    /// What became of a test notification, at Apple and here.
    package func testNotification(_ token: String, _ way: AppleWay) async throws -> TestNotification {
        let call: ServerAPICall<CheckTestNotificationResponse> = try wellFormed { () throws(ServerAPIRequestError) in
            try .getTestNotificationStatus(testNotificationToken: token)
        }
        let answer = try await ask(call, way)
        let app = try settings(of: way.scope.app)
        let request = try await request(
            ofNotification: Array(answer.signedPayload.utf8), app: app, at: clock.now())
        let uuids = request.arrivals.compactMap(\.notification?.notificationUUID)
        let known = try await translatingStorageErrors { try await store.knownNotifications(uuids, in: way.scope) }
        return TestNotification(
            token: token, isReceived: !known.isEmpty,
            attempts: (answer.sendAttempts ?? []).map {
                TestNotification.Attempt(at: $0.attemptDate, result: $0.sendAttemptResult?.rawValue)
            })
    }
}
