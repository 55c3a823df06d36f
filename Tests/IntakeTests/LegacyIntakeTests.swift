import AppStoreWire
import Foundation
import Intake
import Ledger
import Primitives
import SimulatorPKI
import Testing

/// Our own receipts and answers, as facts.
@Suite struct LegacyIntakeTests {
    let world: LegacyWorld

    init() throws { world = try LegacyWorld.shared.get() }

    private func day(_ days: Int64) -> Timestamp { LegacyWorld.day(days) }

    // MARK: PER-1

    private func jws(_ change: [String: Any] = [:]) async throws -> Fact {
        let members: [String: Any] = [
            "transactionId": "1", "originalTransactionId": "1", "webOrderLineItemId": "77", "bundleId": "com.example",
            "productId": "plus.monthly", "purchaseDate": 1_767_225_600_749, "expiresDate": 1_769_904_000_749,
            "type": "Auto-Renewable Subscription", "signedDate": 1_767_225_600_749, "environment": "Sandbox",
            "transactionReason": "PURCHASE", "inAppOwnershipType": "PURCHASED",
            "appAccountToken": "a11ce000-0000-4000-8000-000000000001",
        ]
        let payload = try JSONSerialization.data(withJSONObject: members.merging(change) { $1 })
        let signed = try world.jws.sign(payload: Array(payload))
        let verified = try await world.verifier.transaction(signed, for: LegacyWorld.app, at: LegacyWorld.now).get()
        return Intake.translate(verified).fact
    }

    private func transactionReceipt(
        environment: String? = "Sandbox", by signer: TransactionReceiptAuthority? = nil
    ) throws -> TranslatedTransactionReceipt {
        let purchaseInfo = """
            {
            	"original-transaction-id" = "1";
            	"transaction-id" = "1";
            	"product-id" = "plus.monthly";
            	"purchase-date-ms" = "1767225600749";
            	"expires-date" = "1769904000749";
            	"bid" = "com.example";
            }
            """
        let list = try (signer ?? world.transactionReceipts).sign(purchaseInfo: purchaseInfo, environment: environment)
        let receipt = try world.verifier.transactionReceipt(Array(list.utf8), for: LegacyWorld.app, at: LegacyWorld.now).get()
        return Intake.translate(receipt)
    }

    @Test func `PER-1 one purchase as JWS, receipt, answer and receipt from before iOS 7 is one period, in any order`()
        async throws
    {
        guard case .fact(let old) = try transactionReceipt() else {
            Issue.record("no fact")
            return
        }
        // The line of the answer has no web order line item, as in the first years; product and second identify the period.
        let restored = LegacyWorld.item(["transaction_id": "9", "web_order_line_item_id": ""])
        let answer = try LegacyWorld.facts(LegacyWorld.answer(latest: [restored]))
        let receipt = try await world.facts(ofReceipt: try world.appReceipt([LegacyWorld.purchase()])).map(\.fact)
        let facts = [try await jws(), old.fact] + answer + receipt
        #expect(facts.count == 4 && Set(facts.map(\.key)).count == 4)
        var states: Set<Ledger.SubscriptionState> = []
        for first in facts.indices {
            let turned = Array(facts[first...] + facts[..<first])
            for order in [turned, turned.reversed()] { states.insert(order.state(of: "1")) }
        }
        #expect(states.count == 1)
        let periods = try #require(states.first).periods
        #expect(periods.count == 1)
        #expect(periods.first?.purchaseDate == Timestamp(millisecondsSince1970: 1_767_225_600_749))
        #expect(periods.first?.transaction.appAccountToken?.rawValue == "a11ce000-0000-4000-8000-000000000001")
    }

    @Test func `PER-1 a web order line item of zero is no key in a receipt or an answer either`() async throws {
        let receipt = try await world.facts(ofReceipt: try world.appReceipt([LegacyWorld.oneTimePurchase("5", type: 0)]))
        #expect(receipt.map(\.fact).transactions.map(\.webOrderLineItemId) == [nil])
        let answer = try LegacyWorld.facts(LegacyWorld.answer(latest: [LegacyWorld.item(["web_order_line_item_id": "0"])]))
        #expect(answer.transactions.map(\.webOrderLineItemId) == [nil])
    }

    // MARK: PER-7

    struct Offer: Sendable, CustomStringConvertible {
        let fields: [String: String]
        let type: Int64?
        var identifier: String?
        var discount: String?
        var description: String { fields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ") }
    }

    /// Apple's numbers: 1 introductory, 2 promotional, 3 offer code.
    static let offers: [Offer] = [
        Offer(fields: [:], type: nil),
        Offer(fields: ["is_trial_period": "true"], type: 1, discount: "FREE_TRIAL"),
        Offer(fields: ["is_in_intro_offer_period": "true"], type: 1),
        Offer(fields: ["is_trial_period": "true", "is_in_intro_offer_period": "true"], type: 1, discount: "FREE_TRIAL"),
        Offer(fields: ["promotional_offer_id": "spring"], type: 2, identifier: "spring"),
        Offer(
            fields: ["promotional_offer_id": "spring", "is_trial_period": "true"], type: 2, identifier: "spring",
            discount: "FREE_TRIAL"),
        Offer(fields: ["offer_code_ref_name": "autumn"], type: 3, identifier: "autumn"),
        Offer(
            fields: ["offer_code_ref_name": "autumn", "is_trial_period": "true"], type: 3, identifier: "autumn",
            discount: "FREE_TRIAL"),
    ]

    @Test(arguments: offers) func `PER-7 an answer's flags and names give the period's offer as a JWS does`(offer: Offer)
        throws
    {
        let facts = try LegacyWorld.facts(LegacyWorld.answer(latest: [LegacyWorld.item(offer.fields)]))
        let details = try #require(facts.state(of: "1").periods.first?.transaction.details)
        #expect(details.offerType == offer.type)
        #expect(details.offerIdentifier == offer.identifier)
        #expect(details.offerDiscountType == offer.discount)
    }

    @Test func `PER-7 a receipt's trial, introductory price and promotional offer become the same values`() async throws {
        let marked: [(Int64, Int64?, String?, String?)] = [
            (1713, 1, nil, "FREE_TRIAL"), (1719, 1, nil, nil), (1721, 2, "spring", nil),
        ]
        for (attribute, type, identifier, discount) in marked {
            let purchase = LegacyWorld.purchase {
                if attribute == 1721 { $0.text(1721, "spring") } else { $0.integer(attribute, 1) }
            }
            let facts = try await world.facts(ofReceipt: try world.appReceipt([purchase])).map(\.fact)
            let details = try #require(facts.transactions.first?.details)
            #expect(details.offerType == type && details.offerIdentifier == identifier && details.offerDiscountType == discount)
        }
    }

    @Test(arguments: [Int64(1), 2, 3, 4])
    func `PER-7 a JWS's offer is kept with the period, win-back offers among them, and never mixed with another offer`(
        type: Int64
    ) async throws {
        let signed = try await jws(["offerType": type, "offerIdentifier": "spring", "offerDiscountType": "PAY_AS_YOU_GO"])
        let line = try LegacyWorld.facts(
            LegacyWorld.answer(latest: [LegacyWorld.item(["is_trial_period": "true"])]))
        let details = try #require([signed].state(of: "1").periods.first?.transaction.details)
        #expect(details.offerType == type && details.offerIdentifier == "spring")
        let joined = try #require(([signed] + line).state(of: "1").periods.first?.transaction.details)
        // A receipt cannot express a win-back offer; a free one appears as a trial. What Apple signed stays.
        #expect(joined.offerType == type && joined.offerIdentifier == "spring" && joined.offerDiscountType == "PAY_AS_YOU_GO")
    }

    // MARK: PER-8

    @Test func `PER-8 an entry in one list is kept, and one in both lists is one fact, from the latest list`() throws {
        let inApp = [
            LegacyWorld.item(["quantity": "1"]), LegacyWorld.oneTime("500", "coins", ["quantity": "30"]),
        ]
        let latest = [
            LegacyWorld.item(["is_trial_period": "true"]),
            LegacyWorld.item([
                "transaction_id": "2", "purchase_date_ms": "1769904000000", "expires_date_ms": "1772323200000",
                "web_order_line_item_id": "78",
            ]),
        ]
        let facts = try LegacyWorld.facts(LegacyWorld.answer(inApp: inApp, latest: latest))
        #expect(facts.transactions.count == 3)
        let periods = facts.state(of: "1").periods
        #expect(periods.map(\.end) == [day(31), day(59)])
        #expect(periods.first?.transaction.details.offerDiscountType == "FREE_TRIAL")
        let coins = facts.state(of: "500").periods
        #expect(coins.count == 1 && coins.first?.transaction.details.quantity == 30)
    }

    @Test func `PER-8 where the lists differ about one period the latest one wins, about its end and about a refund`() throws {
        let refunded = ["cancellation_date_ms": "\(day(5).millisecondsSince1970)"]
        let extended = ["expires_date_ms": "\(day(40).millisecondsSince1970)"]
        for (inApp, latest, end) in [(refunded, extended, day(40)), (extended, refunded, day(5))] {
            let facts = try LegacyWorld.facts(
                LegacyWorld.answer(inApp: [LegacyWorld.item(inApp)], latest: [LegacyWorld.item(latest)]))
            #expect(facts.state(of: "1").periods.map(\.end) == [end])
        }
    }

    @Test func `PER-8 different web order line items are different periods in both lists, and without one the second decides`()
        throws
    {
        let other = LegacyWorld.item(["web_order_line_item_id": "78", "transaction_id": "2"])
        let bare = LegacyWorld.item(["web_order_line_item_id": "", "transaction_id": "3"])
        func count(_ inApp: [String: Any], _ latest: [String: Any]) throws -> Int {
            try LegacyWorld.facts(LegacyWorld.answer(inApp: [inApp], latest: [latest])).count
        }
        #expect(try count(other, LegacyWorld.item()) == 2)
        #expect(try count(bare, LegacyWorld.item()) == 1)
        #expect(try count(LegacyWorld.item(), bare) == 1)
    }

    @Test func `FACT-2 what the device's receipt contained is as old as the receipt, unless it shows a later cancellation`()
        throws
    {
        let facts = try LegacyWorld.facts(
            LegacyWorld.answer(inApp: [LegacyWorld.item()], latest: [LegacyWorld.oneTime("500", "lifetime")])
        ).transactions
        #expect(facts.map(\.signedDate) == [day(20), day(10)])
        let later = ["cancellation_date_ms": "\(day(15).millisecondsSince1970)"]
        #expect(
            try LegacyWorld.facts(LegacyWorld.answer(inApp: [LegacyWorld.item(later)])).transactions.map(\.signedDate)
                == [day(20)])
    }

    @Test func `FACT-2 asking again about an old receipt does not undo a refund that Apple signed since`() async throws {
        var refund = try #require([try await jws()].transactions.first)
        (refund.signedDate, refund.revocation) = (day(15), Revocation(revocationDate: day(15)))
        let answer = try LegacyWorld.facts(LegacyWorld.answer(inApp: [LegacyWorld.item()]))
        #expect((answer + [.transaction(refund)]).state(of: "1").periods.map(\.end) == [day(15)])
    }

    @Test func `ENT-4 an upgraded item's cancellation date is the switch and no refund`() throws {
        let upgraded = LegacyWorld.item(["cancellation_date_ms": "\(day(5).millisecondsSince1970)", "is_upgraded": "true"])
        let period = try #require(try LegacyWorld.facts(LegacyWorld.answer(latest: [upgraded])).state(of: "1").periods.first)
        #expect(period.endReason == .replaced && period.end == day(5))
    }

    // MARK: PER-9

    @Test(arguments: [(Int64(0), true), (1, false), (2, false), (9, false)])
    func `PER-9 a receipt's types are kept with their quantity, and only a non-consumable is owned`(
        type: Int64, gives: Bool
    ) async throws {
        let receipt = try world.appReceipt([LegacyWorld.oneTimePurchase("5", type: type, quantity: 3)])
        let periods = try await world.facts(ofReceipt: receipt).map(\.fact).state(of: "5").periods
        #expect(periods.map(\.givesAccess) == [gives] && periods.first?.transaction.details.quantity == 3)
    }

    @Test func `PER-9 an answer names no types, and what does not expire is not assumed to be permanent`() throws {
        let periods = try LegacyWorld.facts(LegacyWorld.answer(latest: [LegacyWorld.oneTime("5", "x")])).state(of: "5").periods
        #expect(periods.map(\.transaction.type) == [.unstated] && periods.map(\.givesAccess) == [false])
    }

    // MARK: FACT-3

    @Test func `FACT-3 a transaction receipt is a fact only where its signer is known and its environment cannot promote it`()
        throws
    {
        guard case .fact(let proven) = try transactionReceipt() else {
            Issue.record("proved and of the Sandbox, and no fact")
            return
        }
        #expect(proven.form == .transactionReceipt && proven.evidence.starts(with: "{".utf8))
        #expect([proven.fact].transactions.first?.source == .transactionReceipt)
        for environment in ["Production", nil] {
            #expect(try transactionReceipt(environment: environment) == .mustAskApple(.environmentNotSigned))
        }
        let stranger = try TransactionReceiptAuthority(validity: day(-1)...day(300))
        #expect(throws: ReceiptRefusal.self) { try transactionReceipt(by: stranger) }
        let elsewhere = AppStoreVerifier(roots: .apple)
        let list = try stranger.sign(
            purchaseInfo: """
                {
                	"original-transaction-id" = "1";
                	"transaction-id" = "1";
                	"product-id" = "plus.monthly";
                	"purchase-date-ms" = "1767225600749";
                	"bid" = "com.example";
                }
                """, environment: "Sandbox")
        let unproved = try elsewhere.transactionReceipt(Array(list.utf8), for: LegacyWorld.app, at: LegacyWorld.now).get()
        #expect(Intake.translate(unproved) == .mustAskApple(.signerUnknown))
    }

    @Test func `FACT-3 of a notification of version 1 only the receipt in it becomes facts, and only if it verifies`()
        async throws
    {
        let genuine = try world.appReceipt([LegacyWorld.purchase()])
        var forged = genuine
        forged[forged.count - 1] ^= 1
        for (receipt, count) in [(genuine, 1), (forged, 0)] {
            // The hint says more than the receipt; nothing of that may count.
            let body: [String: Any] = [
                "notification_type": "DID_RENEW", "environment": "Sandbox", "bid": "com.example",
                "unified_receipt": [
                    "latest_receipt": Data(receipt).base64EncodedString(),
                    "latest_receipt_info": [
                        LegacyWorld.item(), LegacyWorld.item(["transaction_id": "2", "web_order_line_item_id": "78"]),
                    ],
                ] as [String: Any],
            ]
            let hint = try NotificationV1Hint(body: Array(try JSONSerialization.data(withJSONObject: body)))
            #expect(hint.purchases.count == 2)
            let text = try #require(hint.unifiedReceipt?.latestReceipt)
            let der = try ReceiptEncoding.bytes(base64: text.utf8).get()
            let outcome = await world.verifier.appReceipt(der, for: LegacyWorld.app, at: LegacyWorld.now)
            var facts: [ProvenFact] = []
            if case .success(let verified) = outcome { facts = Intake.translate(verified) }
            #expect(facts.count == count)
        }
    }

    @Test func `FACT-6 all facts of one answer carry its body, and all of a receipt its bytes`() async throws {
        let body = LegacyWorld.answer(
            latest: [LegacyWorld.item(["never_heard_of": "kept"])], pending: [["product_id": "plus.monthly"]])
        let proven = try LegacyWorld.proven(body)
        #expect(proven.count == 2 && Set(proven.map(\.evidence)).count == 1)
        #expect(proven.allSatisfy { $0.form == .verifyReceiptAnswer })
        let kept = String(decoding: try #require(proven.first).evidence, as: UTF8.self)
        #expect(kept.contains("never_heard_of"))
        let receipt = try world.appReceipt([LegacyWorld.purchase()])
        let facts = try await world.facts(ofReceipt: receipt)
        #expect(facts.map(\.evidence) == [receipt] && facts.map(\.form) == [.appReceipt])
    }
}
