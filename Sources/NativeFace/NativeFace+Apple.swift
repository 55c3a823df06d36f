import APIContract
import Backend
import Ledger
import Primitives
import Server

/// How asking Apple stands, and what is asked on request.
extension NativeFace {
    func addApple(to router: inout EndpointRouter) {
        router.on(NativeAPI.listParkedNotifications, listParkedNotifications)
        router.on(NativeAPI.readApple, readApple)
        router.on(NativeAPI.sweepNotifications, sweepNotifications)
        router.on(NativeAPI.refreshSubscription, refreshSubscription)
        router.on(NativeAPI.fetchRefunds, fetchRefunds)
        router.on(NativeAPI.lookUpOrder, lookUpOrder)
        router.on(NativeAPI.extendSubscription, extendSubscription)
        router.on(NativeAPI.extendProduct, extendProduct)
        router.on(NativeAPI.readProductExtension, readProductExtension)
        router.on(NativeAPI.setAppAccountToken, setAppAccountToken)
        router.on(NativeAPI.requestTestNotification, requestTestNotification)
        router.on(NativeAPI.readTestNotification, readTestNotification)
        router.on(NativeAPI.listAppleRequests, listAppleRequests)
    }

    private func readApple(_ call: OfApp<EnvironmentQuery, NoBody>) async throws -> AppleBody {
        AppleBody(try await backend.appleStanding(of: call.app, in: call.query.environment, desk: desk))
    }

    private func listParkedNotifications(_ call: OfApp<EnvironmentQuery, NoBody>) async throws -> ParkedNotificationsBody {
        let parked = try await backend.parkedNotifications(app: call.app, environment: call.query.environment)
        return ParkedNotificationsBody(
            notifications: parked.map { parked in
                var item = ParkedNotificationsBody.Item(
                    id: parked.id, receivedAt: parked.receivedAt, reason: parked.reason, attempts: parked.attempts,
                    triedNextAt: parked.triedNextAt)
                item.signedPayload = parked.signedPayload
                return item
            })
    }

    private func sweepNotifications(_ call: OfApp<EnvironmentQuery, SweepRequestBody>) async throws -> AppleBody {
        try await backend.sweep(call.app, in: call.query.environment, from: call.body.from, until: call.body.until)
        return AppleBody(try await backend.appleStanding(of: call.app, in: call.query.environment, desk: desk))
    }
}

// MARK: On request

extension NativeFace {
    private typealias OfSubscription<Body: RequestContent> = Call<SubscriptionPath, EnvironmentQuery, Body>
    private typealias UnderId<Body: RequestContent> = Call<SubscriptionIdPath, EnvironmentQuery, Body>

    private func refreshSubscription(_ call: OfSubscription<NoBody>) async throws -> RefreshBody {
        switch try await backend.refresh(call.key(of: call.path.originalTransactionId, in: call.query.environment), desk: desk) {
        case .answered(let isNew): RefreshBody(isNew: isNew)
        case .later(let code): RefreshBody(waitingBecause: code)
        }
    }

    private func fetchRefunds(_ call: OfSubscription<NoBody>) async throws -> ToldPurchasesBody {
        let key = call.key(of: call.path.originalTransactionId, in: call.query.environment)
        return ToldPurchasesBody(try await backend.refunds(of: key, desk: desk))
    }

    private func lookUpOrder(_ call: Call<OrderPath, NoQuery, NoBody>) async throws -> ToldPurchasesBody {
        ToldPurchasesBody(try await backend.lookUp(order: call.path.orderId, app: call.app, desk: desk))
    }

    private func extendSubscription(_ call: UnderId<ExtensionBody>) async throws -> AppleRequestBody {
        AppleRequestBody(
            try await backend.extend(
                call.key(of: call.path.originalTransactionId, in: call.query.environment), by: call.body.length,
                try Backend.RequestedBy(id: call.path.id, actor: call.body.actor), desk: desk))
    }

    private func extendProduct(
        _ call: Call<ProductIdPath, EnvironmentQuery, ProductExtensionBody>
    ) async throws -> AppleRequestBody {
        let wanted = Backend.ProductExtension(
            product: Ledger.ProductID(call.path.productId), length: call.body.by.length,
            storefronts: call.body.storefrontCountryCodes)
        return AppleRequestBody(
            try await backend.extendAll(
                wanted, try Backend.RequestedBy(id: call.path.id, actor: call.body.by.actor), call.way(by: desk)))
    }

    private func readProductExtension(
        _ call: Call<ProductIdPath, EnvironmentQuery, NoBody>
    ) async throws -> ProductExtensionProgressBody {
        let progress = try await backend.extensionProgress(
            of: Ledger.ProductID(call.path.productId), call.path.id, call.way(by: desk))
        var body = ProductExtensionProgressBody(isComplete: progress.isComplete)
        (body.completeDate, body.succeededCount) = (progress.completeDate, progress.succeededCount)
        body.failedCount = progress.failedCount
        return body
    }

    private func setAppAccountToken(_ call: UnderId<TokenAtAppleBody>) async throws -> AppleRequestBody {
        guard let token = Ledger.AppAccountToken(call.body.appAccountToken) else {
            throw InvalidBody(member: "appAccountToken", reason: "is not a UUID")
        }
        return AppleRequestBody(
            try await backend.set(
                token, on: call.key(of: call.path.originalTransactionId, in: call.query.environment),
                try Backend.RequestedBy(id: call.path.id, actor: call.body.actor), desk: desk))
    }

    private func requestTestNotification(_ call: OfApp<EnvironmentQuery, NoBody>) async throws -> TestNotificationBody {
        TestNotificationBody(
            testNotificationToken: try await backend.requestTestNotification(call.way(by: desk)))
    }

    private func readTestNotification(
        _ call: Call<TestNotificationPath, EnvironmentQuery, NoBody>
    ) async throws -> TestNotificationBody {
        let found = try await backend.testNotification(call.path.testNotificationToken, call.way(by: desk))
        return TestNotificationBody(
            testNotificationToken: found.token, isReceived: found.isReceived,
            attempts: found.attempts.map { .init(attemptDate: $0.at, sendAttemptResult: $0.result) })
    }

    private func listAppleRequests(_ call: OfApp<SubjectQuery, NoBody>) async throws -> AppleRequestsBody {
        AppleRequestsBody(
            requests: try await backend.appleRequests(
                about: call.query.subject, app: call.app, environment: call.query.environment
            ).map { AppleRequestBody($0) })
    }
}

extension Call where Path: AppPathParameters, Query == EnvironmentQuery {
    /// The way to Apple that is meant.
    fileprivate func way(by desk: AppleDesk?) -> Backend.AppleWay { Backend.AppleWay(app, query.environment, by: desk) }
}

extension ExtensionBody {
    fileprivate var length: Backend.Extension { Backend.Extension(days: extendByDays, reasonCode: extendReasonCode) }
}

extension ToldPurchasesBody {
    fileprivate init(_ told: Backend.ToldPurchases) {
        self.init(
            purchases: told.purchases.map { told in
                var item = Item(
                    transactionId: told.fact.transactionId.rawValue,
                    originalTransactionId: told.fact.originalTransactionId.rawValue, productId: told.fact.productId.rawValue,
                    purchaseDate: told.fact.purchaseDate, isNew: told.isNew)
                item.revocationDate = told.fact.revocation?.revocationDate
                return item
            }, refusedCount: Int64(told.refused), isComplete: told.isComplete)
    }
}

extension AppleRequestBody {
    fileprivate init(_ request: Backend.AppleRequestReport) {
        self.init(
            endpoint: request.endpoint, id: request.id, subject: request.subject, actor: request.actor,
            requestedAt: request.requestedAt)
        content = request.content
        guard let result = request.result else { return }
        (outcome, answeredAt) = (result.outcome, result.at)
        answer = result.answer.isEmpty ? nil : result.answer
    }
}

extension AppleBody {
    fileprivate init(_ standing: AppleStanding) {
        self.init(asks: standing.server != nil, isLate: standing.isLate)
        sureUntil = standing.sureUntil
        sweeps = standing.sweeps.map {
            Sweep(purpose: $0.purpose, from: $0.from, until: $0.until, plannedAt: $0.plannedAt)
        }
        budgets = standing.budgets.map {
            Budget(
                endpoint: $0.endpoint, callsPerHour: $0.callsPerHour, takenUntil: $0.takenUntil, blockedUntil: $0.blockedUntil)
        }
        backlog = standing.backlog.map { Backlog(kind: $0.kind, due: Int64($0.count), dueSince: $0.dueSince) }
        lastNotification = standing.lastNotification.map { Heard(receivedAt: $0.receivedAt, signedDate: $0.signedDate) }
        server = standing.server.map { OfServer($0) }
    }
}

extension AppleBody.OfServer {
    fileprivate init(_ server: AppleStanding.OfServer) {
        self.init()
        answeredAt = server.last.answeredAt
        (failedAt, failure, failedEndpoint) = (server.last.failure?.at, server.last.failure?.code, server.last.failure?.endpoint)
        pausedUntil = server.pausedUntil
        clockAheadMilliseconds = server.clockLead?.count
    }
}
