internal import AppStoreModel
internal import Primitives
internal import SimulatorPKI
internal import StrictJSON

/// The App Store Server API: each call reads or changes the store and answers in Apple's form.
extension AppStoreSimulator {
    /// Answers a call. The caller is authenticated as the app.
    func answer(_ call: APICall) async -> APIAnswer {
        do {
            guard let route = APIRoute(call.method, call.path) else { return APIAnswer(status: 404) }
            let called = CalledEndpoint(app: call.app, environment: call.environment, endpoint: route.endpoint)
            if let retryAt = rateLimits.count(called, at: limitNow) {
                var answer = APIAnswer(APIError.rateLimited)
                answer.retryAt = retryAt
                return answer
            }
            var call = call
            call.isLate = route.showsLate
            return try await answer(route, call)
        } catch let error as APIError {
            return APIAnswer(error)
        } catch let refusal as StoreRefusal {
            return APIAnswer(APIError(refusal))
        } catch {
            return APIAnswer(APIError.general)
        }
    }

    private func answer(_ route: APIRoute, _ call: APICall) async throws -> APIAnswer {
        switch route {
        case .transaction(let id): return try transaction(id, call)
        case .history(let id, _): return try history(id, call)
        case .statuses(let id): return try statuses(id, call)
        case .order(let id): return try order(id, call)
        case .refunds(let id, let isV2): return try refunds(id, call, isPaged: isV2)
        case .appTransaction(let id): return try appTransaction(id, call)
        case .extend(let id): return try await extend(id, call)
        case .extendAll: return try await extendAll(call)
        case .extensionStatus(let product, let request): return try extensionStatus(product, request, call)
        case .consumption(let id, let isV2): return try await consumption(id, call, isV2: isV2)
        case .appAccountToken(let id): return try await setToken(id, call)
        case .finish(let id): return try await finish(id, call)
        case .requestTest: return try await requestTest(call)
        case .testStatus(let token): return try testStatus(token, call)
        case .notificationHistory: return try notificationHistory(call)
        case .retention(let route): return try retention(route, call)
        }
    }

    // MARK: Finding

    /// The store that a call sees: an older one under the fault `stale`, and where some things are shown late.
    private func shown(_ call: APICall) -> AppStore {
        if call.isStale, let stale = faults.stale { return stale }
        return call.isLate ? store.shownLate : store
    }

    /// The customer whose transaction, or whose app's transaction, is named.
    private func customer(
        _ text: String, _ call: APICall, else missing: APIError = .transactionNotFound
    ) throws -> StoreAccount {
        guard let id = TransactionNumber(text) else { throw APIError.invalidTransactionId }
        if let account = shown(call).customer(ofAppTransaction: id.number, call.app, call.environment) { return account }
        return shown(call)[try found(id, call, else: missing).account]
    }

    /// A transaction of the caller's own app, in the environment of the call.
    private func found(
        _ id: TransactionNumber, _ call: APICall, else missing: APIError = .transactionNotFound
    ) throws -> StorePurchase {
        guard shown(call).environment(of: id) == call.environment else { throw missing }
        let transaction = try shown(call).transaction(id)
        guard transaction.app == call.app else { throw missing }
        return transaction
    }

    private func named(
        _ text: String, _ call: APICall, invalid: APIError = .invalidTransactionId, else missing: APIError = .transactionNotFound
    ) throws -> StorePurchase {
        guard let id = TransactionNumber(text) else { throw invalid }
        if shown(call).customer(ofAppTransaction: id.number, call.app, call.environment) != nil {
            throw APIError.appTransactionIdNotSupported
        }
        return try found(id, call, else: missing)
    }

    private func signedNow(_ transaction: StorePurchase, _ call: APICall) throws -> String {
        try printer.signed(transaction, in: shown(call), at: shown(call).signingInstant)
    }

    // MARK: Transactions

    private func transaction(_ id: String, _ call: APICall) throws -> APIAnswer {
        let signed = try signedNow(try named(id, call), call)
        return APIAnswer { $0.member("signedTransactionInfo", signed) }
    }

    private func appTransaction(_ id: String, _ call: APICall) throws -> APIAnswer {
        let account = try customer(id, call)
        guard let signed = try printer.signedAppTransaction(of: call.app, for: account.number, in: shown(call)) else {
            throw APIError.appTransactionNotFound
        }
        return APIAnswer { $0.member("signedAppTransactionInfo", signed) }
    }

    private func history(_ id: String, _ call: APICall) throws -> APIAnswer {
        let account = try customer(id, call)
        let filter = try HistoryFilter(call)
        let (request, store) = ([id] + filter.parts, shown(call))
        let start = try HistoryRevision.place(in: call.value("revision"), of: request, upTo: self.store.lastChange)
        let page = store.history(of: account, in: call.app, filter.order, from: start) { filter.admits($0, store) }
        let signed = try page.transactions.map { try signedNow($0, call) }
        return APIAnswer { json in
            json.member("revision", HistoryRevision(page.end, of: request).text)
            json.member("hasMore", page.hasMore)
            json.member("bundleId", shown(call)[call.app].bundleId)
            if call.environment == .production { json.member("appAppleId", shown(call)[call.app].appAppleId) }
            json.member("environment", call.environment.rawValue)
            json.member("signedTransactions") { $0.array { list in for text in signed { list.string(text) } } }
        }
    }

    private func refunds(_ id: String, _ call: APICall, isPaged: Bool) throws -> APIAnswer {
        let account = try customer(id, call)
        guard isPaged else { return try latestRefunds(of: account, call) }
        let request = [id, HistoryOrder.refunds.rawValue]
        let start = try HistoryRevision.place(in: call.value("revision"), of: request, upTo: store.lastChange)
        let page = shown(call).history(of: account, in: call.app, .refunds, from: start) { $0.isRefunded }
        let signed = try page.transactions.map { try signedNow($0, call) }
        return APIAnswer { json in
            json.member("signedTransactions") { $0.array { list in for text in signed { list.string(text) } } }
            json.member("revision", HistoryRevision(page.end, of: request).text)
            json.member("hasMore", page.hasMore)
        }
    }

    /// All of version 1: one page of at most 50, the oldest refund first.
    private func latestRefunds(of account: StoreAccount, _ call: APICall) throws -> APIAnswer {
        let all = (account.installations[call.app]?.transactions ?? []).compactMap { shown(call).find($0) }
            .filter(\.isRefunded).sorted { ($0.refundedAt, $0.transactionId) < ($1.refundedAt, $1.transactionId) }
        let signed = try all.suffix(50).map { try signedNow($0, call) }
        return APIAnswer { json in
            json.member("signedTransactions") { $0.array { list in for text in signed { list.string(text) } } }
        }
    }

    /// An unknown order is not an error.
    private func order(_ orderId: String, _ call: APICall) throws -> APIAnswer {
        let transactions = OrderNumber.transaction(of: orderId).flatMap { id -> [StorePurchase]? in
            do { return [try found(id, call)] } catch { return nil }
        }
        let signed = try (transactions ?? []).map { try signedNow($0, call) }
        return APIAnswer { json in
            json.member("status", signed.isEmpty ? 1 : 0)
            if !signed.isEmpty {
                json.member("signedTransactions") { $0.array { list in for text in signed { list.string(text) } } }
            }
        }
    }

    // MARK: Subscriptions

    private func statuses(_ id: String, _ call: APICall) throws -> APIAnswer {
        let account = try customer(id, call)
        let wanted = try call.values("status").map { text in
            guard let status = Int64(text), (1...5).contains(status) else { throw APIError.invalidStatus }
            return status
        }
        let subscriptions = shown(call).subscriptions(of: call.app, for: account.number)
            .filter { wanted.isEmpty || wanted.contains($0.status) }
        let groups = Dictionary(grouping: subscriptions, by: \.group).sorted { $0.key < $1.key }
        return try APIAnswer { json in
            json.member("environment", call.environment.rawValue)
            json.member("bundleId", shown(call)[call.app].bundleId)
            if call.environment == .production { json.member("appAppleId", shown(call)[call.app].appAppleId) }
            try json.member("data") { json in
                try json.array { list in
                    for (group, subscriptions) in groups {
                        try list.object { try write(group, subscriptions, call, to: &$0) }
                    }
                }
            }
        }
    }

    private func write(
        _ group: SubscriptionGroupID, _ subscriptions: [StoreSubscription], _ call: APICall, to json: inout JSONWriter
    ) throws {
        json.member("subscriptionGroupIdentifier", group.rawValue)
        try json.member("lastTransactions") { json in
            try json.array { list in
                for subscription in subscriptions {
                    let latest = try shown(call).latestTransaction(of: subscription)
                    let renewal = try printer.signed(
                        subscription, renewalDate: latest.expiresDate, in: shown(call), at: shown(call).signingInstant)
                    let transaction = try signedNow(latest, call)
                    list.object {
                        $0.member("originalTransactionId", subscription.originalTransactionId.rawValue)
                        $0.member("status", subscription.status)
                        $0.member("signedTransactionInfo", transaction)
                        $0.member("signedRenewalInfo", renewal)
                    }
                }
            }
        }
    }

    private func extend(_ id: String, _ call: APICall) async throws -> APIAnswer {
        let transaction = try named(
            id, call, invalid: .invalidOriginalTransactionId, else: .originalTransactionNotFound)
        guard transaction.originalTransactionId == transaction.transactionId else { throw APIError.originalTransactionNotFound }
        let order = try ExtensionOrder(try call.object())
        let report = try await extend(transaction.originalTransactionId, days: order.days)
        return APIAnswer { json in
            json.member("originalTransactionId", transaction.originalTransactionId.rawValue)
            json.optionalMember("webOrderLineItemId", report.latest.transaction.webOrderLineItemId.map { String($0) })
            json.member("success", true)
            json.optionalMember("effectiveDate", report.latest.transaction.expiresDate?.millisecondsSince1970)
        }
    }

    private func extendAll(_ call: APICall) async throws -> APIAnswer {
        let object = try call.object()
        let order = try ExtensionOrder(object)
        guard let product = object["productId"]?.string else { throw APIError.invalidProductId }
        var storefronts: [String] = []
        if let list = object["storefrontCountryCodes"], !list.isNull {
            guard let codes = list.array, codes.count > 0 else { throw APIError.emptyStorefronts }
            for code in codes {
                guard let text = code.string, Storefront(validating: text) != nil else { throw APIError.invalidStorefront }
                storefronts.append(text)
            }
        }
        let request = MassExtension(
            requestIdentifier: order.requestIdentifier, app: call.app, environment: call.environment,
            of: StoreProductID(product),
            terms: .init(days: order.days, storefronts: storefronts))
        try await changing { store throws(StoreRefusal) in
            try store.extendAll(request)
            return ((), [])
        }
        return APIAnswer { $0.member("requestIdentifier", order.requestIdentifier) }
    }

    private func extensionStatus(_ product: String, _ request: String, _ call: APICall) throws -> APIAnswer {
        let order = shown(call).massExtensions.last {
            $0.requestIdentifier == request && $0.product.rawValue == product && $0.app == call.app
                && $0.environment == call.environment
        }
        guard let order else { throw APIError.extensionRequestNotFound }
        return APIAnswer { json in
            json.member("requestIdentifier", order.requestIdentifier)
            json.member("complete", order.completeDate != nil)
            guard let date = order.completeDate else { return }
            json.member("completeDate", date.millisecondsSince1970)
            json.member("succeededCount", order.succeededCount)
            json.member("failedCount", order.failedCount)
        }
    }

    // MARK: What servers say

    private func consumption(_ id: String, _ call: APICall, isV2: Bool) async throws -> APIAnswer {
        let transaction = try named(id, call)
        try Self.refuseForeignPayment(of: transaction)
        let kind = shown(call)[call.app].catalogue[transaction.product].kind
        if !isV2, kind != .consumable { throw APIError.notConsumable }
        let preference = try ConsumptionBody.preference(in: try call.object(), isV2: isV2, kind: kind)
        do {
            try await changing { store throws(StoreRefusal) in
                try store.answerRefundRequest(transaction.transactionId, preference: preference)
                return ((), [])
            }
        } catch StoreRefusal.noRefundRequested {
            // Apple accepts it all the same.
        }
        return APIAnswer(status: 202)
    }

    /// Refuses what another account pays for. Apple's error for a seat has no published number.
    private static func refuseForeignPayment(of transaction: StorePurchase) throws {
        switch transaction.ownership {
        case .purchased: return
        case .familyShared: throw APIError.familyTransactionNotSupported
        case .assigned: throw APIError.generalBadRequest
        }
    }

    private func setToken(_ id: String, _ call: APICall) async throws -> APIAnswer {
        let transaction = try named(
            id, call, invalid: .invalidOriginalTransactionId, else: .originalTransactionNotFound)
        try Self.refuseForeignPayment(of: transaction)
        guard transaction.originalTransactionId == transaction.transactionId else { throw APIError.notOriginalTransactionId }
        guard let text = try call.object()["appAccountToken"]?.string, let token = CompactUUID(text) else {
            throw APIError.tokenNotUUID
        }
        try await changing { store throws(StoreRefusal) in
            try store.setAppAccountToken(token, of: transaction.transactionId)
            return ((), [])
        }
        return APIAnswer()
    }

    private func finish(_ id: String, _ call: APICall) async throws -> APIAnswer {
        let transaction = try named(id, call)
        try await finish(transaction.transactionId)
        return APIAnswer()
    }
}

extension StorePurchase {
    fileprivate var refundedAt: Timestamp { revocation?.date ?? purchaseDate }

    /// Whether it was refunded; what a family no longer shares, a seat or a switched subscription was not.
    fileprivate var isRefunded: Bool { revocation?.isRefund ?? false }
}

extension APIError {
    /// A refusal of the store as an error of this API.
    init(_ refusal: StoreRefusal) {
        self =
            switch refusal {
            case .unknownSubscription, .subscriptionEnded, .notExtendable: .extensionIneligible
            case .tooManyExtensions: .extensionMaximum
            case .familyShared: .familyExtension
            case .invalidExtension: .invalidExtendByDays
            case .unknownProduct: .invalidProductId
            case .unknownTransaction: .transactionNotFound
            default: .generalBadRequest
            }
    }
}
