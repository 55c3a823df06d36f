import AppStoreWire
import Foundation
import Primitives
import Testing

extension VerifyReceiptOutcome {
    init(_ object: [String: Any], from host: VerifyReceiptHost = .sandbox) {
        self.init(httpStatus: 200, body: LegacySample.json(object), from: host)
    }

    var answer: VerifyReceiptAnswer? {
        switch meaning {
        case .answer(let answer), .expired(let answer): answer
        default: nil
        }
    }

    var refusal: LegacyRefusal? {
        guard case .notAnAnswer(let refusal) = meaning else { return nil }
        return refusal
    }
}

@Suite struct `What verifyReceipt answers, field by field` {
    private func instant(_ milliseconds: Int64) -> Timestamp { Timestamp(millisecondsSince1970: milliseconds) }

    @Test(.needsFixtures) func `PER-8 Apple's answer about a trial is one period, stated twice`() throws {
        let body = try Fixtures.bytes("mission/verifyReceipt-trial-sandbox.json")
        let outcome = VerifyReceiptOutcome(httpStatus: 200, body: body, from: .sandbox)
        guard case .answer(let answer) = outcome.meaning else {
            Issue.record("\(outcome.meaning)")
            return
        }
        #expect(outcome.status == .valid && outcome.body == body && !outcome.isRetryable)
        #expect(answer.environment == .sandbox && answer.bundleId == "com.mbalib.ios.wiki")
        #expect(answer.latestReceipt == "MII.....")
        #expect(answer.isComplete && answer.unreadableItems.isEmpty)
        #expect(answer.purchases.map(\.origin) == [.inApp, .latestReceiptInfo])
        for purchase in answer.purchases {
            #expect(purchase.quantity == 1 && purchase.productId == "com.mbalib.ios.wiki_r")
            #expect(purchase.transactionId == "1000000419163890" && purchase.originalTransactionId == "1000000419163890")
            #expect(purchase.purchaseDate == instant(1_531_900_515_000))
            #expect(purchase.originalPurchaseDate == instant(1_531_900_517_000))
            #expect(purchase.expiresDate == instant(1_531_904_115_000))
            #expect(purchase.webOrderLineItemId == "1000000039541410")
            #expect(purchase.isTrialPeriod == true && purchase.isInIntroOfferPeriod == false)
            #expect(purchase.cancellationDate == nil && purchase.cancellationReason == nil && purchase.isUpgraded == nil)
            #expect(purchase.iOS6 == nil && purchase.inAppOwnershipType == nil && purchase.appAccountToken == nil)
        }
        let renewal = try #require(answer.pendingRenewalInfo.first)
        #expect(answer.pendingRenewalInfo.count == 1)
        #expect(renewal.autoRenewStatus == .on && renewal.productId == "com.mbalib.ios.wiki_r")
        #expect(renewal.autoRenewProductId == "com.mbalib.ios.wiki_r" && renewal.originalTransactionId == "1000000419163890")
        #expect(renewal.expirationIntent == nil && renewal.gracePeriodExpiresDate == nil)
        let receipt = try #require(answer.receipt)
        #expect(receipt.receiptType == .productionSandbox && receipt.bundleId == "com.mbalib.ios.wiki")
        #expect(receipt.adamId == 0 && receipt.appItemId == 0 && receipt.downloadId == 0)
        #expect(receipt.versionExternalIdentifier == 0)
        #expect(receipt.applicationVersion == "244" && receipt.originalApplicationVersion == "1.0")
        #expect(receipt.receiptCreationDate == instant(1_531_900_517_000))
        #expect(receipt.requestDate == instant(1_531_900_546_430) && answer.orderingDate == receipt.requestDate)
        #expect(receipt.originalPurchaseDate == instant(1_375_340_400_000))
        #expect(receipt.expirationDate == nil && receipt.preorderDate == nil)
    }

    @Test func `every documented field of an app receipt's answer is read`() throws {
        let answer = try #require(VerifyReceiptOutcome(LegacySample.answer).answer)
        let receipt = try #require(answer.receipt)
        #expect(receipt.appItemId == 7 && receipt.versionExternalIdentifier == 9)
        #expect(receipt.downloadId == 500_935_934_584_949_200)
        #expect(receipt.expirationDate == instant(1_563_436_517_000) && receipt.preorderDate == instant(1_530_403_200_000))
        let old = try #require(answer.purchases(in: .inApp).first)
        #expect(old.subscriptionGroupIdentifier == nil && old.isUpgraded == nil && old.promotionalOfferId == "spring")
        let new = try #require(answer.purchases(in: .latestReceiptInfo).first)
        #expect(new.transactionId == "1000000419163891" && new.originalTransactionId == "1000000419163890")
        #expect(new.cancellationDate == instant(1_531_900_800_000) && new.cancellationReason == .appIssue)
        #expect(new.subscriptionGroupIdentifier == "20624274" && new.isUpgraded == true)
        #expect(new.inAppOwnershipType == .familyShared && new.offerCodeRefName == "autumn")
        #expect(new.appAccountToken?.rawValue == "7e3fb20b-4cdb-47cc-936d-99d65f608138")
        let renewal = try #require(answer.pendingRenewalInfo.first)
        #expect(renewal.autoRenewProductId == "com.example.gold.yearly" && renewal.productId == "com.example.gold.monthly")
        #expect(renewal.expirationIntent == .billingError && renewal.isInBillingRetryPeriod == true)
        #expect(renewal.gracePeriodExpiresDate == instant(1_531_907_715_000))
        #expect(renewal.priceConsentStatus == .pending && renewal.priceIncreaseStatus == .agreed)
        #expect(renewal.offerCodeRefName == "winter" && renewal.promotionalOfferId == "summer")
    }

    @Test func `an expired transaction receipt of the iOS 6 style is read in its flat shape`() throws {
        let outcome = VerifyReceiptOutcome(LegacySample.expired, from: .production)
        guard case .expired(let answer) = outcome.meaning else {
            Issue.record("\(outcome.meaning)")
            return
        }
        #expect(answer.environment == .production && answer.receipt == nil && answer.orderingDate == nil)
        #expect(answer.bundleId == "com.example.old")
        #expect(answer.autoRenewStatus == .off && answer.autoRenewProductId == "com.example.silver")
        #expect(answer.expirationIntent == .customerTurnedOff && answer.isInBillingRetryPeriod == false)
        #expect(answer.purchases.map(\.origin) == [.iOS6Receipt, .latestExpiredReceiptInfo])
        for purchase in answer.purchases {
            #expect(purchase.transactionId == "1000000329310742" && purchase.originalTransactionId == "1000000328915948")
            #expect(purchase.purchaseDate == instant(1_504_144_439_749))
            #expect(purchase.expiresDate == instant(1_504_144_739_749))
            #expect(purchase.originalPurchaseDate == instant(1_504_075_965_000))
            #expect(purchase.isTrialPeriod == false && purchase.isInIntroOfferPeriod == true)
            let old = try #require(purchase.iOS6)
            #expect(old.bid == "com.example.old" && old.bvrs == "1" && old.itemId == "1276511095")
            #expect(old.appItemId == "774384491" && old.versionExternalIdentifier == "827233954")
            #expect(old.uniqueIdentifier == "a063c2c321dd885642a5cddd9160e0ad8291d978")
            #expect(old.uniqueVendorIdentifier == "B78549AC-58D4-4750-8E6F-F4CCE6138A5A")
        }
    }

    @Test func `a running subscription of the iOS 6 style has its newest renewal as one object`() throws {
        var body = LegacySample.expired
        body["status"] = 0
        body["latest_receipt_info"] = body.removeValue(forKey: "latest_expired_receipt_info")
        let answer = try #require(VerifyReceiptOutcome(body).answer)
        #expect(answer.purchases.map(\.origin) == [.iOS6Receipt, .latestReceiptInfo])
        #expect(answer.isComplete)
    }

    @Test(arguments: [
        ("expires_date_ms", "expires_date", 1_531_904_115_000), ("purchase_date_ms", "purchase_date", 1_531_900_515_000),
        ("cancellation_date_ms", "cancellation_date", 1_531_900_800_000),
    ])
    func `a date without milliseconds is read from its text, and the Pacific text is never read`(
        _ exact: String, _ text: String, _ milliseconds: Int64
    ) throws {
        func dates(_ item: [String: Any]) throws -> [Timestamp?] {
            let body = LegacySample.changing(LegacySample.answer, "latest_receipt_info", "0", to: item)
            let purchase = try #require(VerifyReceiptOutcome(body).answer?.purchases(in: .latestReceiptInfo).first)
            return [purchase.expiresDate, purchase.purchaseDate, purchase.cancellationDate]
        }
        var item = LegacySample.latest
        item[exact] = nil
        item[text + "_pst"] = "no date at all"
        #expect(try dates(item).contains(instant(milliseconds)))
        item[exact] = ""
        #expect(try dates(item).contains(instant(milliseconds)))
        // Milliseconds prevail over the text beside them.
        item[exact] = "1600000000000"
        #expect(try dates(item).contains(instant(1_600_000_000_000)))
    }

    @Test func `FACT-5 unknown values and fields survive`() throws {
        var item = LegacySample.latest
        item["in_app_ownership_type"] = "LENT"
        item["cancellation_reason"] = "7"
        item["brand_new_field"] = ["deep": [1, 2]]
        var body = LegacySample.changing(LegacySample.answer, "latest_receipt_info", "0", to: item)
        body = LegacySample.changing(body, "pending_renewal_info", "0", "expiration_intent", to: "99")
        body = LegacySample.changing(body, "receipt", "receipt_type", to: "Lunar")
        let answer = try #require(VerifyReceiptOutcome(body).answer)
        let purchase = try #require(answer.purchases(in: .latestReceiptInfo).first)
        #expect(purchase.inAppOwnershipType?.rawValue == "LENT" && purchase.cancellationReason?.rawValue == 7)
        #expect(try JSONSerialization.jsonObject(with: Data(purchase.json)) as? NSDictionary == item as NSDictionary)
        #expect(answer.pendingRenewalInfo.first?.expirationIntent?.rawValue == 99)
        #expect(answer.receipt?.receiptType?.rawValue == "Lunar" && answer.receipt?.receiptType?.environment == nil)
    }

    @Test func `the order of the lists is kept and an empty in_app is valid`() throws {
        let ids = ["3", "1", "2"]
        let items = ids.map { id in LegacySample.inApp.merging(["transaction_id": id]) { $1 } }
        let body = LegacySample.changing(LegacySample.answer, "receipt", "in_app", to: items)
        #expect(VerifyReceiptOutcome(body).answer?.purchases(in: .inApp).map(\.transactionId) == ids)
        let nothing: [String: Any] = [
            "status": 0, "environment": "Production", "receipt": ["bundle_id": "com.example.tenure", "in_app": [Any]()],
        ]
        let answer = try #require(VerifyReceiptOutcome(nothing, from: .production).answer)
        #expect(answer.purchases.isEmpty && answer.isComplete)
    }

    // MARK: What cannot be read

    @Test(arguments: [
        ("purchase_date_ms", "1e400"), ("purchase_date_ms", "-1"), ("purchase_date_ms", "253402300800000"),
        ("purchase_date_ms", "9223372036854775808"), ("expires_date_ms", "soon"), ("cancellation_date_ms", "+1"),
        ("is_trial_period", "maybe"), ("is_trial_period", "2"), ("quantity", "one"), ("cancellation_reason", "1.0"),
        ("transaction_id", "a\u{0}b"), ("original_purchase_date_ms", " 1531900517000"),
    ])
    func `FACT-7 an item with an impossible field is set aside whole, and the valid ones count`(
        _ field: String, _ value: String
    ) throws {
        let bad = LegacySample.inApp.merging([field: value]) { $1 }
        let body = LegacySample.changing(LegacySample.answer, "receipt", "in_app", to: [LegacySample.inApp, bad])
        let answer = try #require(VerifyReceiptOutcome(body).answer)
        #expect(answer.purchases(in: .inApp).count == 1 && answer.purchases(in: .latestReceiptInfo).count == 1)
        let unreadable = try #require(answer.unreadableItems.first)
        #expect(answer.unreadableItems.count == 1 && !answer.isComplete)
        #expect(unreadable.place == "receipt.in_app[1]")
        #expect(unreadable.refusal.code == .fieldInvalid && unreadable.refusal.detail == "receipt.in_app[1].\(field)")
        #expect(try JSONSerialization.jsonObject(with: Data(unreadable.json)) as? NSDictionary == bad as NSDictionary)
    }

    @Test(arguments: [
        "1e400", "-1e400", "1.5", "-1", "99999999999999999999", "253402300800000", "true", "[]", "{}", "[1531904115000]",
        "\"0x10\"", "\"\\u0031e5\"",
    ])
    func `T33 a date that is not an instant, in any JSON, never traps and never becomes a missing one`(_ json: String) throws {
        let text = String(decoding: LegacySample.json(LegacySample.answer), as: UTF8.self)
        let body = text.replacing(#""expires_date_ms":"1531904115000""#, with: #""expires_date_ms":"# + json)
        let outcome = VerifyReceiptOutcome(httpStatus: 200, body: Array(body.utf8), from: .sandbox)
        let answer = try #require(outcome.answer)
        #expect(answer.purchases.isEmpty && !answer.isComplete)
        #expect(
            answer.unreadableItems.map(\.refusal.detail) == [
                "receipt.in_app[0].expires_date_ms", "latest_receipt_info[0].expires_date_ms",
            ])
    }

    @Test(arguments: ["transaction_id", "original_transaction_id", "product_id", "purchase_date_ms"])
    func `an item without identity is set aside`(_ field: String) throws {
        var item = LegacySample.inApp
        item[field] = nil
        item["purchase_date"] = nil
        if field != "purchase_date_ms" { item["purchase_date_ms"] = "1531900515000" }
        let answer = try #require(
            VerifyReceiptOutcome(LegacySample.changing(LegacySample.answer, "latest_receipt_info", to: [item])).answer)
        #expect(answer.unreadableItems.map(\.refusal.code) == [.fieldMissing])
        #expect(answer.unreadableItems.map(\.place) == ["latest_receipt_info[0]"])
    }

    @Test func `an element that is not an object is set aside`() throws {
        let body = LegacySample.changing(LegacySample.answer, "pending_renewal_info", to: [LegacySample.renewal, 7, NSNull()])
        let answer = try #require(VerifyReceiptOutcome(body).answer)
        #expect(answer.pendingRenewalInfo.count == 1)
        #expect(answer.unreadableItems.map(\.refusal.code) == [.notAnObject, .notAnObject])
        #expect(answer.unreadableItems.map(\.json) == [Array("7".utf8), Array("null".utf8)])
    }

    @Test func `FACT-7 an omission from the newest list counts only if the list is present`() throws {
        func isComplete(_ list: Any?) -> Bool? {
            VerifyReceiptOutcome(LegacySample.changing(LegacySample.answer, "latest_receipt_info", to: list)).answer?.isComplete
        }
        #expect(isComplete([LegacySample.latest]) == true)
        #expect(isComplete([Any]()) == false)
        #expect(isComplete(nil) == false)
        // Without a subscription there is no newest list, and so nothing can be missing from it.
        var item = LegacySample.inApp
        for key in ["expires_date", "expires_date_ms", "expires_date_pst"] { item[key] = nil }
        var body = LegacySample.changing(LegacySample.answer, "receipt", "in_app", to: [item])
        body["latest_receipt_info"] = nil
        #expect(VerifyReceiptOutcome(body).answer?.isComplete == true)
        // But an empty one is how Apple's broken answers look.
        body["latest_receipt_info"] = [Any]()
        #expect(VerifyReceiptOutcome(body).answer?.isComplete == false)
    }

    // MARK: Lax typing

    /// The same scalar in another JSON type; unchanged where there is no other type.
    private static func retyped(_ value: Any, key: String, _ numbers: inout SeededNumbers) -> Any {
        // Apple never writes the status as a string, so that is not tolerated.
        if key == "status" { return value }
        if let array = value as? [Any] { return array.map { retyped($0, key: key, &numbers) } }
        if let object = value as? [String: Any] {
            // Sorted, so that one seed always gives the same body.
            return object.sorted { $0.key < $1.key }.reduce(into: [String: Any]()) {
                $0[$1.key] = retyped($1.value, key: $1.key, &numbers)
            }
        }
        let text = "\(value)"
        var forms: [Any] = [text]
        let isFlag = key.hasPrefix("is_") || key == "auto_renew_status"
        if let integer = Int64(text), String(integer) == text {
            forms.append(NSNumber(value: integer))
            if isFlag { forms += [NSNumber(value: integer == 1), integer == 1 ? "true" : "false"] }
        } else if isFlag {
            let isTrue = text == "true"
            forms += [NSNumber(value: isTrue), NSNumber(value: isTrue ? 1 : 0), isTrue ? "1" : "0"]
        }
        return forms[Int.random(in: forms.indices, using: &numbers)]
    }

    /// The decoded content, without the raw bytes and with its types.
    private static func shape(_ value: Any) -> String {
        if value is [UInt8] { return "bytes" }
        let children = Mirror(reflecting: value).children.filter { $0.label != "json" }
        if children.isEmpty { return "\(type(of: value)) \(value)" }
        return "\(type(of: value))(" + children.map { "\($0.label ?? ""): \(shape($0.value))" }.joined(separator: ", ") + ")"
    }

    @Test func `a value has the same meaning as string, number and Boolean`() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var numbers = SeededNumbers(seed: seed)
        for sample in [LegacySample.answer, LegacySample.expired] {
            let expected = Self.shape(try #require(VerifyReceiptOutcome(sample).answer))
            var spellings: Set<[UInt8]> = []
            for _ in 0..<200 {
                let other = try #require(Self.retyped(sample, key: "", &numbers) as? [String: Any])
                spellings.insert(LegacySample.json(other))
                let answer = try #require(VerifyReceiptOutcome(other).answer, "seed \(seed)")
                #expect(Self.shape(answer) == expected, "seed \(seed)")
            }
            #expect(spellings.count > 190)
        }
    }
}
