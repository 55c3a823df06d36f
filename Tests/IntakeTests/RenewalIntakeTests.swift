import AppStoreWire
import Foundation
import Intake
import Ledger
import Primitives
import Testing

/// What answers say about the next renewal, and what broken and incomplete answers must not do.
@Suite struct RenewalIntakeTests {
    private func day(_ days: Int64) -> Timestamp { LegacyWorld.day(days) }

    private let pending: [String: Any] = [
        "product_id": "plus.monthly", "original_transaction_id": "1", "auto_renew_product_id": "pro.monthly",
        "auto_renew_status": "1", "expiration_intent": "2", "is_in_billing_retry_period": "1",
        "grace_period_expires_date_ms": "1771000000000",
    ]

    private func renewals(_ pending: [[String: Any]], latest: [[String: Any]] = [LegacyWorld.item()]) throws -> [RenewalFact] {
        try LegacyWorld.facts(LegacyWorld.answer(latest: latest, pending: pending)).renewals
    }

    @Test func `a pending renewal becomes a fact with every value that a rule needs, dated by the answer`() throws {
        let facts = try renewals([pending])
        #expect(facts.count == 1)
        let fact = try #require(facts.first)
        #expect(fact.originalTransactionId == OriginalTransactionID("1") && fact.productId == ProductID("plus.monthly"))
        #expect(fact.autoRenewProductId == ProductID("pro.monthly") && fact.autoRenewStatus == true)
        #expect(fact.isInBillingRetryPeriod && fact.expirationIntent == 2)
        #expect(fact.gracePeriodExpiresDate == Timestamp(millisecondsSince1970: 1_771_000_000_000))
        #expect(fact.signedDate == day(20) && fact.source == .latestReceiptInfo)
    }

    @Test func `FACT-4 a pending renewal counts only beside a purchase of the same subscription in the same answer`() throws {
        #expect(try renewals([pending.merging(["original_transaction_id": "2"]) { $1 }]).isEmpty)
        #expect(try renewals([pending], latest: [LegacyWorld.oneTime("1", "lifetime")]).isEmpty)
        let unnamed = pending.filter { $0.key != "original_transaction_id" }
        #expect(try renewals([unnamed]).map(\.originalTransactionId.rawValue) == ["1"])
        let second = LegacyWorld.item(["original_transaction_id": "2", "transaction_id": "2", "web_order_line_item_id": "88"])
        #expect(try renewals([unnamed], latest: [LegacyWorld.item(), second]).isEmpty)
    }

    @Test func `of two pending renewals of one subscription the one about its newest product counts`() throws {
        let upgrade = LegacyWorld.item([
            "product_id": "pro.monthly", "transaction_id": "2", "web_order_line_item_id": "78",
            "purchase_date_ms": "\(day(5).millisecondsSince1970)",
        ])
        let present: [String: Any] = ["product_id": "pro.monthly", "original_transaction_id": "1", "auto_renew_status": "1"]
        for order in [[pending, present], [present, pending]] {
            let facts = try renewals(order, latest: [LegacyWorld.item(), upgrade])
            #expect(facts.map(\.productId) == [ProductID("pro.monthly")])
        }
        // Neither is about the newest product: which of them is valid is not known, and nothing is guessed.
        let strange = [pending.merging(["product_id": "a"]) { $1 }, pending.merging(["product_id": "b"]) { $1 }]
        #expect(try renewals(strange).isEmpty)
    }

    // MARK: iOS 6 style

    private func iOS6(_ change: [String: Any] = [:]) -> [String: Any] {
        func transaction(_ id: String, from purchase: Timestamp, to expires: Timestamp) -> [String: Any] {
            [
                "bid": "com.example", "product_id": "plus.monthly", "transaction_id": id, "original_transaction_id": "1",
                "purchase_date_ms": "\(purchase.millisecondsSince1970)", "expires_date": "\(expires.millisecondsSince1970)",
            ]
        }
        let body: [String: Any] = [
            "status": 21006, "receipt": transaction("1", from: day(0), to: day(31)),
            "latest_expired_receipt_info": transaction("2", from: day(31), to: day(59)), "auto_renew_status": 0,
            "auto_renew_product_id": "pro.monthly", "expiration_intent": "1", "is_in_billing_retry_period": "0",
        ]
        return body.merging(change) { $1 }
    }

    @Test func `an answer of the iOS 6 style gives two periods and the renewal at its top, dated by our clock`() throws {
        let facts = try LegacyWorld.facts(iOS6())
        #expect(facts.transactions.map(\.source) == [.latestTransaction, .transactionReceipt])
        #expect(facts.transactions.map(\.signedDate) == [LegacyWorld.now, day(0)])
        #expect(facts.state(of: "1").periods.map(\.end) == [day(31), day(59)])
        let renewal = try #require(facts.renewals.first)
        #expect(facts.renewals.count == 1 && renewal.originalTransactionId == OriginalTransactionID("1"))
        #expect(renewal.autoRenewStatus == false && renewal.expirationIntent == 1 && !renewal.isInBillingRetryPeriod)
        #expect(renewal.autoRenewProductId == ProductID("pro.monthly") && renewal.productId == ProductID("plus.monthly"))
        #expect(renewal.signedDate == LegacyWorld.now)
        let silent = iOS6([
            "auto_renew_status": NSNull(), "auto_renew_product_id": "", "expiration_intent": "", "is_in_billing_retry_period": "",
        ])
        #expect(try LegacyWorld.facts(silent).renewals.isEmpty)
    }

    // MARK: FACT-7

    @Test func `FACT-7 an answer without latest_receipt_info takes nothing from what was known before`() throws {
        let before = try LegacyWorld.facts(
            LegacyWorld.answer(
                latest: [
                    LegacyWorld.item(),
                    LegacyWorld.item([
                        "transaction_id": "2", "web_order_line_item_id": "78", "purchase_date_ms": "1769904000000",
                        "expires_date_ms": "1772323200000",
                    ]),
                ], pending: [["product_id": "plus.monthly", "original_transaction_id": "1", "auto_renew_status": "1"]]))
        let known = before.state(of: "1")
        for lists in [[LegacyWorld.item()], []] {
            for latest in [nil, []] as [[[String: Any]]?] {
                let broken = try LegacyWorld.facts(LegacyWorld.answer(inApp: lists, latest: latest, requested: day(50)))
                #expect(broken.count == lists.count)
                let after = (before + broken).state(of: "1")
                #expect(after.periods.map(\.end) == known.periods.map(\.end) && after.spans == known.spans)
                #expect(after.renewal == known.renewal)
            }
        }
    }

    @Test func `FACT-7 an element that cannot be read takes nothing with it`() throws {
        let bad = LegacyWorld.item(["purchase_date_ms": "yesterday"])
        #expect(try LegacyWorld.facts(LegacyWorld.answer(latest: [bad, LegacyWorld.item()])).transactions.count == 1)
    }
}
