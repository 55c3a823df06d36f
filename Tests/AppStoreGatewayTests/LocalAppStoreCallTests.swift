import AppStoreGateway
import AppStoreSimulatorTesting
import AppStoreWire
import Crypto
import Foundation
import Primitives
import Testing

/// Calls that the local App Store answers over HTTP: it checks the tokens as Apple does, and shares no code with the gateway.
@Suite struct `Calls of the local App Store` {
    private struct Scene {
        let store: LocalAppStore
        let gateway: AppStoreGateway
        let key: AppStoreKey
        let host: ServerAPIHost

        func ask<Response>(_ call: ServerAPICall<Response>) async throws -> Response {
            try await gateway.answer(to: call, as: key, from: host).get().response
        }
    }

    private static let keyId = "2X9R4HXF34"

    /// - Parameter isRightKey: false: the store knows another key by the same id.
    private static func run(isRightKey: Bool = true, _ body: @escaping @Sendable (Scene) async throws -> Void) async throws {
        let root = URL(filePath: #filePath).appending(path: "../../..").standardized
        let file = try Data(contentsOf: root.appending(path: "Examples/shop.storekit"))
        var shop = Shop(bundleId: "com.example.shop", storeKitFile: Array(file))
        let privateKey = P256.Signing.PrivateKey()
        let known = isRightKey ? privateKey : P256.Signing.PrivateKey()
        shop.inAppPurchaseKey = (keyId, known.publicKey.pemRepresentation)
        shop.sharedSecret = "shared"
        let signingKey = try SigningKey(pem: privateKey.pemRepresentation, keyId: keyId, issuerId: Shop.issuerId)
        try await LocalAppStore.run(shop) { store in
            let gateway = try AppStoreGateway(.waiting(), now: { Timestamp(millisecondsSince1970: store.now) })
            let host = ServerAPIHost(baseURL: store.serverAddress(of: .sandbox), environment: .sandbox)
            let key = AppStoreKey(signingKey: signingKey, bundleId: "com.example.shop")
            try await gateway.closing { try await body(Scene(store: store, gateway: gateway, key: key, host: host)) }
        }
    }

    @Test func `a subscription's transaction, statuses, history and notifications`() async throws {
        try await Self.run { scene in
            let bought = try await scene.store.buy("plus.monthly", for: try await scene.store.openAccount("anna"))
            try await scene.store.advance(days: 40)
            let id = bought.originalTransactionId
            let subscription = try await scene.store.subscription(id)

            let transaction = try await scene.ask(.getTransactionInfo(transactionId: id))
            #expect(transaction.signedTransactionInfo.split(separator: ".").count == 3)
            let statuses = try await scene.ask(.getAllSubscriptionStatuses(anyTransactionId: id))
            let last = try #require(statuses.data.first?.lastTransactions.first)
            #expect(last.originalTransactionId == id && last.status.rawValue == subscription.status)
            let history = try await scene.ask(.getTransactionHistory(anyTransactionId: id))
            #expect(history.signedTransactions.count == 3 && !history.hasMore)
            let now = scene.store.now
            let notifications = try await scene.ask(
                .getNotificationHistory(
                    NotificationHistoryRequest(
                        startDate: Timestamp(millisecondsSince1970: now - 20 * 86_400_000),
                        endDate: Timestamp(millisecondsSince1970: now))))
            #expect(!notifications.notificationHistory.isEmpty)
        }
    }

    @Test func `an answer about consumption, an extension, and a transaction that the host does not know`() async throws {
        try await Self.run { scene in
            let anna = try await scene.store.openAccount("anna")
            let bought = try await scene.store.buy("plus.monthly", for: anna)
            let before = try await scene.store.subscription(bought.originalTransactionId).latestTransaction.expiresDate
            _ = try await scene.ask(
                .sendConsumptionInformation(
                    transactionId: bought.transactionId,
                    ConsumptionRequest(customerConsented: true, deliveryStatus: .delivered, sampleContentProvided: false)))
            try await scene.store.advance(days: 8)
            let extended = try await scene.ask(
                .extendSubscriptionRenewalDate(
                    originalTransactionId: bought.originalTransactionId,
                    ExtendRenewalDateRequest(extendByDays: 5, extendReasonCode: .customerSatisfaction, requestIdentifier: "one")))
            #expect(extended.success)
            let after = try await scene.store.subscription(bought.originalTransactionId).latestTransaction.expiresDate
            #expect(try #require(after) > (try #require(before)))

            let unknown = await scene.gateway.answer(
                to: try .getTransactionInfo(transactionId: "70000000000001"), as: scene.key, from: scene.host)
            guard case .failure(let failure) = unknown else {
                Issue.record("the store knows it")
                return
            }
            #expect(failure.code == "apple.4040010" && failure.scope == .transaction)
        }
    }

    @Test func `another private key by the same id is refused as Apple refuses it`() async throws {
        try await Self.run(isRightKey: false) { scene in
            let answer = await scene.gateway.answer(
                to: try .getTransactionInfo(transactionId: "70000000000001"), as: scene.key, from: scene.host)
            guard case .failure(let failure) = answer else {
                Issue.record("the store accepts it")
                return
            }
            #expect(failure.code == "unauthenticated" && failure.scope == .app)
        }
    }

    @Test func `a receipt, its secret and the other environment`() async throws {
        try await Self.run { scene in
            let anna = try await scene.store.openAccount("anna")
            let bought = try await scene.store.buy("plus.monthly", for: anna)
            let receipt = try await scene.store.receipt(of: anna)
            func outcome(_ password: String, _ host: VerifyReceiptHost) async throws -> VerifyReceiptOutcome {
                let face = scene.store.serverAddress(of: host == .production ? .production : .sandbox)
                return try await scene.gateway.outcome(
                    of: try VerifyReceiptRequest(receiptData: receipt, password: password),
                    from: VerifyReceiptAddress(host: host, url: face + "/verifyReceipt")
                ).get()
            }
            let production = try await outcome("shared", .production)
            #expect(production.hostToAsk(havingAsked: [.production]) == .sandbox)
            #expect(try await outcome("another", .sandbox).meaning == .wrongSecret)
            guard case .answer(let answer) = try await outcome("shared", .sandbox).meaning else {
                Issue.record("no answer")
                return
            }
            #expect(answer.bundleId == "com.example.shop")
            #expect(answer.purchases.contains { $0.originalTransactionId == bought.originalTransactionId })
        }
    }
}
