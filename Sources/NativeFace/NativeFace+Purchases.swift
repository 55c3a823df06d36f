import APIContract
import Backend
import Ledger
import Primitives
import Server

/// What is asked and said of purchases.
extension NativeFace {
    func addPurchases(to router: inout EndpointRouter) {
        router.on(NativeAPI.askPurchase, askPurchase)
        router.on(NativeAPI.issueAppAccountToken, issueAppAccountToken)
        router.on(NativeAPI.registerAppAccountToken, registerAppAccountToken)
        router.on(NativeAPI.confirmDelivery, confirmDelivery)
        router.on(NativeAPI.noteConsumption, noteConsumption)
    }

    private func askPurchase(_ call: OfCustomer<EnvironmentQuery, IntentBody>) async throws -> ForecastBody {
        ForecastBody(
            try await backend.askBeforePurchase(
                of: ProductID(call.body.productId), by: call.customer,
                showing: .init(call.body.shown), app: call.app, environment: call.query.environment))
    }

    private func issueAppAccountToken(_ call: OfCustomer<NoQuery, NoBody>) async throws -> AppAccountTokenBody {
        AppAccountTokenBody(appAccountToken: try await backend.issueToken(to: call.customer, app: call.app).rawValue)
    }

    private func registerAppAccountToken(
        _ call: Call<AppAccountTokenPath, RegistrationQuery, NoBody>
    ) async throws -> NoContent {
        guard let token = AppAccountToken(call.path.token) else { throw ParameterError("token", "is not a UUID") }
        try await backend.register(token, for: call.customer, isMinted: call.query.minted, app: call.app)
        return NoContent()
    }

    private func confirmDelivery(
        _ call: Call<CustomerTransactionPath, EnvironmentQuery, NoBody>
    ) async throws -> DeliveryBody {
        let delivered = try await backend.confirmDelivery(
            of: TransactionID(call.path.transactionId), to: call.customer, app: call.app, environment: call.query.environment)
        return DeliveryBody(
            transactionId: delivered.delivery.transactionId.rawValue, deliveredAt: delivered.delivery.deliveredAt,
            quantity: delivered.units)
    }

    private func noteConsumption(
        _ call: Call<CustomerTransactionPath, EnvironmentQuery, ConsumptionNoteBody>
    ) async throws -> NotedBody {
        let note = try await backend.note(
            try knowledge(call.body), of: TransactionID(call.path.transactionId), by: call.customer, app: call.app,
            environment: call.query.environment)
        return NotedBody(notedAt: note.notedAt)
    }

    private func knowledge(_ body: ConsumptionNoteBody) throws -> ConsumptionKnowledge {
        var knowledge = ConsumptionKnowledge(customerConsented: body.customerConsented)
        if let spelling = body.deliveryStatus {
            guard let status = ConsumptionReport.DeliveryStatus(rawValue: spelling) else {
                let known = ConsumptionReport.DeliveryStatus.allCases.map(\.rawValue).joined(separator: ", ")
                throw InvalidBody(member: "deliveryStatus", reason: "must be one of \(known)")
            }
            knowledge.deliveryStatus = status
        }
        knowledge.consumptionPercentage = body.consumptionPercentage
        knowledge.playTime = body.playTimeMilliseconds.map { Milliseconds($0) }
        knowledge.accountCreatedAt = body.accountCreatedAt
        let status = body.userStatus.flatMap { Int32(exactly: $0) }.flatMap(ConsumptionReport.UserStatus.init(rawValue:))
        knowledge.userStatus = status ?? .undeclared
        return knowledge
    }
}
