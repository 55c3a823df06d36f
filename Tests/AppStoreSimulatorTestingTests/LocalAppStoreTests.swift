import AppStoreSimulatorTesting
import AppStoreWire
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Primitives
import Testing

/// Uses the library as developers do to test their own servers: only its public part, with an independently written verifier.
@Suite struct LocalAppStoreTests {
    private func shop() throws -> Shop {
        let root = URL(filePath: #filePath).appending(path: "../../..").standardized
        let file = try Data(contentsOf: root.appending(path: "Examples/shop.storekit"))
        return Shop(bundleId: "com.example.shop", storeKitFile: Array(file))
    }

    @Test func `a purchase is signed under the store's root, renews when the clock moves, and is notified`() async throws {
        try await LocalAppStore.run(try shop()) { store in
            let anna = try await store.openAccount("anna")
            let bought = try await store.buy(
                "plus.monthly", for: anna, appAccountToken: "2f0c3b1e-7a55-4c0d-9a51-0d8a6f1f9b11")
            // The free week, then two months.
            try await store.advance(days: 7 + 31 + 1)
            let subscription = try await store.subscription(bought.originalTransactionId)
            #expect(subscription.status == 1)
            // 2026-01-08 and two months.
            #expect(subscription.latestTransaction.expiresDate == 1_772_928_000_000)
            let told = try await store.notifications().map { "\($0.notificationType) \($0.subtype ?? "")" }
            #expect(told == ["SUBSCRIBED INITIAL_BUY", "DID_RENEW ", "DID_RENEW "])

            let verifier = AppStoreVerifier(roots: TrustRoots.apple.adding(der: store.rootCertificate))
            let app = ExpectedApp(bundleId: "com.example.shop", appAppleId: 1, environments: [.sandbox])
            let now = Timestamp(millisecondsSince1970: store.now)
            let verified = try await verifier.transaction(
                subscription.latestTransaction.signedTransactionInfo, for: app, at: now
            ).get()
            #expect(verified.payload.originalTransactionId == bought.transactionId)
            for notification in try await store.notifications() {
                _ = try await verifier.notification(notification.signedPayload, for: app, at: now).get()
            }
        }
    }

    @Test func `a card that fails, a refund and a refusal have Apple's words`() async throws {
        try await LocalAppStore.run(try shop()) { store in
            let anna = try await store.openAccount("anna", in: .production)
            let bought = try await store.buy("pro.monthly", for: anna)
            await #expect(throws: LocalAppStoreError.refused("alreadySubscribed")) {
                _ = try await store.buy("pro.monthly", for: anna)
            }
            await #expect(throws: LocalAppStoreError.refused("unknownProduct")) { _ = try await store.buy("none", for: anna) }
            try await store.setCard(of: anna, fails: true)
            try await store.advanceToNext()
            #expect(try await store.subscription(bought.originalTransactionId).status == 3)
            try await store.setCard(of: anna, fails: false)
            let paid = try await store.subscription(bought.originalTransactionId)
            #expect(paid.status == 1)
            let refunded = try await store.refund(paid.latestTransaction.transactionId)
            #expect(refunded.revocationDate == store.now)
            #expect(try await store.subscription(bought.originalTransactionId).status == 5)
            let told = try await store.notifications().map(\.notificationType)
            #expect(told == ["SUBSCRIBED", "DID_FAIL_TO_RENEW", "DID_RENEW", "REFUND"])
        }
    }

    @Test func `its faces answer over HTTP on ports of their own`() async throws {
        try await LocalAppStore.run(try shop()) { store in
            let anna = try await store.openAccount("anna")
            let bought = try await store.buy("lifetime", for: anna)
            let receipt = try await store.receipt(of: anna)
            let body = #"{"receipt-data":"\#(receipt)"}"#
            let answer = try await Self.post(body, to: store.serverAddress(of: .sandbox) + "/verifyReceipt")
            #expect(answer.contains(#""status":0"#) && answer.contains(bought.transactionId))
            let wrong = try await Self.post(body, to: store.serverAddress(of: .production) + "/verifyReceipt")
            #expect(wrong.contains(#""status":21007"#))
            let clock = try await HTTPClient.shared.execute(
                HTTPClientRequest(url: store.controlAddress + "/clock"), timeout: .minutes(10))
            #expect(String(buffer: try await clock.body.collect(upTo: 4096)).contains("\(store.now)"))
        }
    }

    @Test func `a snapshot restores everything, including the clock`() async throws {
        try await LocalAppStore.run(try shop()) { store in
            let anna = try await store.openAccount("anna")
            let bought = try await store.buy("plus.yearly", for: anna)
            let snapshot = try await store.save()
            let before = try await store.subscription(bought.originalTransactionId)
            try await store.advance(days: 400)
            try await store.openAccount("ben")
            #expect(try await store.notifications().count == 2)
            try await store.restore(snapshot)
            #expect(store.now == 1_767_225_600_000)
            let after = try await store.subscription(bought.originalTransactionId)
            #expect(after.latestTransaction.expiresDate == before.latestTransaction.expiresDate)
            #expect(try await store.notifications().count == 1)
            await #expect(throws: LocalAppStoreError.refused("clockGoesForward")) { try await store.advance(days: -1) }
            await #expect(throws: LocalAppStoreError.refused("tooFar")) { try await store.advance(days: .max) }
            await #expect(throws: LocalAppStoreError.refused("invalidURL")) {
                try await store.sendNotifications(to: "gopher://a")
            }
            // And it continues as if nothing had happened.
            try await store.openAccount("ben")
        }
    }

    @Test func `the body's error is rethrown, and an invalid file is refused`() async throws {
        struct Mine: Error {}
        await #expect(throws: Mine.self) { try await LocalAppStore.run(try shop()) { _ in throw Mine() } }
        await #expect(throws: LocalAppStoreError.refused("catalogue")) {
            try await LocalAppStore.run(Shop(bundleId: "a.b", storeKitFile: [])) { _ in }
        }
        var tooOld = try shop()
        tooOld.startsAt = 0
        await #expect(throws: LocalAppStoreError.refused("configuration")) { try await LocalAppStore.run(tooOld) { _ in } }
    }

    @Test func `undelivered notifications are kept and reported, and auto-renew off ends a subscription`() async throws {
        try await LocalAppStore.run(try shop()) { store in
            // Nobody listens at the discard port.
            try await store.sendNotifications(to: "http://127.0.0.1:9/")
            let bought = try await store.buy("pro.monthly", for: try await store.openAccount())
            #expect(try await store.notifications().map(\.isDelivered) == [false])
            #expect(try await store.setAutoRenew(false, of: bought.originalTransactionId).autoRenews == false)
            try await store.advance(days: 31)
            #expect(try await store.subscription(bought.originalTransactionId).status == 2)
            #expect(try await store.transaction(bought.transactionId).expiresDate == bought.expiresDate)
            #expect(try await store.restorePurchases(for: "account-1").count == 1)
        }
    }

    @Test func `a body that is cancelled ends its store`() async throws {
        let shop = try shop()
        await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await LocalAppStore.run(shop) { _ in try await Task.sleep(for: .seconds(600)) }
            }
            group.cancelAll()
            await #expect(throws: CancellationError.self) { try await group.next() }
        }
    }

    private static func post(_ body: String, to url: String) async throws -> String {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.body = .bytes(ByteBuffer(string: body))
        let response = try await HTTPClient.shared.execute(request, timeout: .minutes(10))
        return String(buffer: try await response.body.collect(upTo: 1 << 20))
    }
}
