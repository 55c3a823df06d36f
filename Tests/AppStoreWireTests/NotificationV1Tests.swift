import AppStoreWire
import Foundation
import Primitives
import Testing

@Suite struct `The content of a notification of version 1` {
    private func instant(_ milliseconds: Int64) -> Timestamp { Timestamp(millisecondsSince1970: milliseconds) }

    private func read(_ object: [String: Any]) throws -> NotificationV1Hint {
        try NotificationV1Hint(body: LegacySample.json(object))
    }

    private func code(_ body: [UInt8]) -> LegacyRefusal.Code? {
        do throws(LegacyRefusal) {
            _ = try NotificationV1Hint(body: body)
            return nil
        } catch { return error.code }
    }

    private func code(_ object: [String: Any]) -> LegacyRefusal.Code? { code(LegacySample.json(object)) }

    @Test func `every field is read, including withdrawn ones`() throws {
        let hint = try read(LegacySample.notification)
        #expect(hint.notificationType == .didChangeRenewalStatus && hint.environment == .production)
        #expect(hint.bid == "com.example.tenure" && hint.bvrs == "196" && hint.bundleId == "com.example.tenure")
        #expect(hint.originalTransactionId == "1000000419163890")
        #expect(hint.autoRenewProductId == "com.example.gold.yearly" && hint.autoRenewAdamId == 1_508_744_966)
        #expect(hint.autoRenewStatus == .off && hint.autoRenewStatusChangeDate == instant(1_531_900_800_000))
        #expect(hint.expirationIntent == .customerTurnedOff && hint.deprecation == "Mon, 5 Jun 2023 10:00:00 UTC")
        #expect(hint.latestReceipt == "TUlJ" && hint.latestExpiredReceipt == "TUlK")
        #expect(hint.cancellationDate == instant(1_531_900_800_000) && hint.webOrderLineItemId == "1000000039541410")
        #expect(hint.withdrawnPurchases.map(\.origin) == [.latestReceiptInfo, .latestExpiredReceiptInfo])
        #expect(hint.withdrawnPurchases.map(\.expiresDate) == [instant(1_504_144_739_749), instant(1_504_144_739_749)])
        #expect(hint.withdrawnPurchases.first?.iOS6?.bid == "com.example.old")
        let unified = try #require(hint.unifiedReceipt)
        #expect(unified.environment == .production && unified.status == "0" && unified.latestReceipt == "TUlL")
        #expect(unified.purchases.map(\.transactionId) == ["1000000419163891"])
        #expect(unified.purchases.first?.isUpgraded == true)
        #expect(unified.pendingRenewalInfo.first?.gracePeriodExpiresDate == instant(1_531_907_715_000))
        #expect(hint.purchases.count == 3 && hint.unreadableItems.isEmpty)
        #expect(hint.json == LegacySample.json(LegacySample.notification))
    }

    @Test func `a notification of the first years names the app in its purchase only`() throws {
        let old: [String: Any] = [
            "notification_type": "RENEWAL", "environment": "Sandbox", "auto_renew_status": "true",
            "latest_receipt_info": LegacySample.transactionReceipt, "auto_renew_status_change_date": "",
        ]
        let hint = try read(old)
        #expect(hint.notificationType == .renewal && hint.environment == .sandbox && hint.bid == nil)
        #expect(hint.bundleId == "com.example.old" && hint.unifiedReceipt == nil && hint.autoRenewStatus == .on)
        #expect(hint.autoRenewStatusChangeDate == nil)
    }

    @Test(
        arguments: [
            ("PROD", "Production", Environment.production), ("Production", "Production", .production),
            ("Sandbox", "Sandbox", .sandbox),
            (nil, "Sandbox", .sandbox), ("PROD", nil, .production),
        ] as [(String?, String?, Environment)])
    func `FACT-4 Production is written PROD at the top and in full below`(
        _ top: String?, _ unified: String?, _ environment: Environment
    ) throws {
        var body = LegacySample.changing(LegacySample.notification, "environment", to: top)
        body = LegacySample.changing(body, "unified_receipt", "environment", to: unified)
        #expect(try read(body).environment == environment)
    }

    @Test func `T15 input that is not a notification is refused with the reason`() {
        let sample = LegacySample.notification
        for text in ["", "<html>", "{", "{}x", #"{"notification_type":"CANCEL","notification_type":"REVOKE"}"#] {
            #expect(code(Array(text.utf8)) == .bodyUnreadable, "\(text)")
        }
        for text in ["[]", "null", "1", #""CANCEL""#] { #expect(code(Array(text.utf8)) == .notAnObject, "\(text)") }
        for text in ["{}", #"{"signedPayload":"a.b.c"}"#, #"{"notification_type":"TEST"}"#, #"{"environment":"PROD"}"#] {
            #expect(code(Array(text.utf8)) == .fieldMissing, "\(text)")
        }
        for environment in ["prod", "PRODUCTION", "SANDBOX", "Xcode"] {
            #expect(code(LegacySample.changing(sample, "environment", to: environment)) == .fieldInvalid)
        }
        #expect(code(LegacySample.changing(sample, "environment", to: "Sandbox")) == .environmentContradicted)
        #expect(code(LegacySample.changing(sample, "unified_receipt", to: "none")) == .fieldInvalid)
        #expect(code(LegacySample.changing(sample, "cancellation_date_ms", to: "1e400")) == .fieldInvalid)
        #expect(code([UInt8](repeating: 0x20, count: 5 << 20)) == .bodyUnreadable)
    }

    @Test func `an unreadable purchase is set aside and the hint remains`() throws {
        let body = LegacySample.changing(LegacySample.notification, "latest_receipt_info", to: [String: Any]())
        let hint = try read(body)
        #expect(hint.withdrawnPurchases.map(\.origin) == [.latestExpiredReceiptInfo])
        #expect(hint.unreadableItems.map(\.place) == ["latest_receipt_info"])
        let other = try read(
            LegacySample.changing(LegacySample.notification, "unified_receipt", "latest_receipt_info", "0", "quantity", to: "x"))
        #expect(other.unreadableItems.map(\.place) == ["unified_receipt.latest_receipt_info[0]"])
        #expect(other.unifiedReceipt?.purchases.isEmpty == true)
    }

    @Test func `FACT-3 the password is compared and never shown`() throws {
        let hint = try read(LegacySample.notification)
        #expect(hint.hasPassword(equalTo: "b9ae2d1987d24d47"))
        for wrong in ["", "b9ae2d1987d24d4", "b9ae2d1987d24d470", "B9AE2D1987D24D47", "b9ae2d1987d24d46", "\u{0}"] {
            #expect(!hint.hasPassword(equalTo: wrong))
        }
        let silent = try read(LegacySample.changing(LegacySample.notification, "password", to: nil))
        let empty = try read(LegacySample.changing(LegacySample.notification, "password", to: ""))
        for hint in [silent, empty] { #expect(!hint.hasPassword(equalTo: "") && !hint.hasPassword(equalTo: "b9ae2d1987d24d47")) }
        var dumped = ""
        dump(hint, to: &dumped)
        for text in ["\(hint)", String(reflecting: hint), dumped, "\([hint])"] {
            #expect(!text.contains("b9ae2d") && !text.contains("1000000419163890"))
        }
    }

    @Test func `T33 a notification with any bytes changed never traps`() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var numbers = SeededNumbers(seed: seed)
        let body = LegacySample.json(LegacySample.notification)
        for _ in 0..<2000 {
            var other = body
            for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                other[Int.random(in: other.indices, using: &numbers)] = UInt8.random(in: 0x20...0x7E, using: &numbers)
            }
            do throws(LegacyRefusal) {
                let hint = try NotificationV1Hint(body: other)
                #expect(hint.meaning?.candidates.isEmpty != true, "seed \(seed)")
            } catch {
                #expect(!error.detail.contains("b9ae2d"), "seed \(seed)")
            }
        }
    }
}

@Suite struct `Notifications of version 1 as those of version 2` {
    /// A monthly period that began this many days after the first, with additional fields.
    private static func period(_ id: Int, day: Int, days: Int = 30, _ more: [String: Any] = [:]) -> [String: Any] {
        let start = 1_600_000_000_000 + day * 86_400_000
        return [
            "transaction_id": "\(id)", "original_transaction_id": "1", "product_id": "com.example.gold.monthly",
            "purchase_date_ms": "\(start)", "expires_date_ms": "\(start + days * 86_400_000)",
        ].merging(more) { $1 }
    }

    private static func ended(day: Int) -> [String: Any] { ["cancellation_date_ms": "\(1_600_000_000_000 + day * 86_400_000)"] }

    private static var upgraded: [String: Any] { ["is_upgraded": "true"] }

    private static func renewal(_ more: [String: Any] = [:]) -> [String: Any] {
        [
            "original_transaction_id": "1", "product_id": "com.example.gold.monthly",
            "auto_renew_product_id": "com.example.gold.monthly", "auto_renew_status": "1",
        ].merging(more) { $1 }
    }

    private func candidates(
        _ type: String, _ periods: [[String: Any]]? = nil, _ renewals: [[String: Any]] = [], _ more: [String: Any] = [:]
    ) throws -> Set<String>? {
        var body: [String: Any] = ["notification_type": type, "environment": "PROD", "original_transaction_id": "1"]
        if let periods { body["unified_receipt"] = ["latest_receipt_info": periods, "pending_renewal_info": renewals] }
        let hint = try NotificationV1Hint(body: LegacySample.json(body.merging(more) { $1 }))
        guard let meaning = hint.meaning else { return nil }
        #expect((meaning.certain != nil) == (meaning.candidates.count == 1))
        #expect(Set(meaning.candidates).count == meaning.candidates.count)
        return Set(meaning.candidates.map { "\($0.notificationType.rawValue).\($0.subtype?.rawValue ?? "")" })
    }

    @Test(arguments: [
        ("INITIAL_BUY", "SUBSCRIBED.INITIAL_BUY"), ("DID_RENEW", "DID_RENEW."), ("DID_RECOVER", "DID_RENEW.BILLING_RECOVERY"),
        ("RENEWAL", "DID_RENEW.BILLING_RECOVERY"), ("REFUND", "REFUND."), ("REVOKE", "REVOKE."),
        ("CONSUMPTION_REQUEST", "CONSUMPTION_REQUEST."),
    ])
    func `a type with one counterpart has it, whatever the body contains`(_ type: String, _ expected: String) throws {
        #expect(try candidates(type) == [expected])
        let periods = [Self.period(1, day: 0, Self.upgraded), Self.period(2, day: 10)]
        #expect(try candidates(type, periods, [Self.renewal()]) == [expected])
    }

    @Test(arguments: ["EXPIRED", "initial_buy", "DID_CHANGE_RENEWAL_PREF ", "SUBSCRIBED", "TEST"])
    func `FACT-5 an unknown type has no meaning and keeps its spelling`(_ type: String) throws {
        #expect(try candidates(type) == nil)
        let body = LegacySample.json(["notification_type": type, "environment": "PROD"])
        #expect(try NotificationV1Hint(body: body).notificationType.rawValue == type)
    }

    @Test func `INTERACTIVE_RENEWAL is an upgrade where a running period was replaced, and a resubscription after a lapse`()
        throws
    {
        let upgrade = "DID_CHANGE_RENEWAL_PREF.UPGRADE"
        let resubscription = "SUBSCRIBED.RESUBSCRIBE"
        let both: Set<String>? = [upgrade, resubscription]
        let replaced = Self.period(1, day: 0, Self.upgraded.merging(Self.ended(day: 10)) { $1 })
        #expect(try candidates("INTERACTIVE_RENEWAL", [Self.period(2, day: 10), replaced]) == [upgrade])
        #expect(try candidates("INTERACTIVE_RENEWAL", [Self.period(1, day: 0), Self.period(2, day: 40)]) == [resubscription])
        // An upgrade long ago is not this one.
        #expect(
            try candidates("INTERACTIVE_RENEWAL", [replaced, Self.period(2, day: 10), Self.period(3, day: 90)]) == [
                resubscription
            ])
        // The body does not show it: one period, an unmarked overlap, no lapse, another subscription, nothing, something
        // unreadable.
        #expect(try candidates("INTERACTIVE_RENEWAL", [Self.period(1, day: 0)]) == both)
        #expect(try candidates("INTERACTIVE_RENEWAL", [Self.period(1, day: 0), Self.period(2, day: 10)]) == both)
        #expect(try candidates("INTERACTIVE_RENEWAL", [Self.period(1, day: 0), Self.period(2, day: 30)]) == both)
        let stranger = Self.period(9, day: 0, ["original_transaction_id": "9"])
        #expect(try candidates("INTERACTIVE_RENEWAL", [stranger, Self.period(2, day: 40)]) == both)
        #expect(try candidates("INTERACTIVE_RENEWAL", []) == both)
        #expect(try candidates("INTERACTIVE_RENEWAL") == both)
        let broken = Self.period(3, day: 20, ["expires_date_ms": "x"])
        #expect(try candidates("INTERACTIVE_RENEWAL", [Self.period(1, day: 0), Self.period(2, day: 40), broken]) == both)
    }

    @Test func `CANCEL is an upgrade where the ended period is marked, and a refund where nothing replaced it`() throws {
        let both: Set<String>? = ["REFUND.", "DID_CHANGE_RENEWAL_PREF.UPGRADE"]
        let refunded = Self.period(1, day: 0, Self.ended(day: 10).merging(["cancellation_reason": "0"]) { $1 })
        let replaced = Self.period(1, day: 0, Self.upgraded.merging(Self.ended(day: 10)) { $1 })
        #expect(try candidates("CANCEL", [refunded]) == ["REFUND."])
        #expect(try candidates("CANCEL", [replaced, Self.period(2, day: 10)]) == ["DID_CHANGE_RENEWAL_PREF.UPGRADE"])
        // Refunded after it had been renewed: the renewal began when the period was over.
        let late = Self.period(1, day: 0, Self.ended(day: 45))
        #expect(try candidates("CANCEL", [late, Self.period(2, day: 30)]) == ["REFUND."])
        // The last end counts: an upgrade first, then the refund of what followed.
        let second = Self.period(2, day: 10, Self.ended(day: 20))
        #expect(try candidates("CANCEL", [replaced, second]) == ["REFUND."])
        // The body does not show it: unmarked but replaced, no end at all, withdrawn fields only, nothing.
        #expect(try candidates("CANCEL", [refunded, Self.period(2, day: 10)]) == both)
        #expect(try candidates("CANCEL", [Self.period(1, day: 0)]) == both)
        #expect(try candidates("CANCEL", nil, [], ["latest_expired_receipt_info": refunded]) == both)
        #expect(try candidates("CANCEL") == both)
    }

    @Test func `DID_FAIL_TO_RENEW has a grace period where the renewal names its end`() throws {
        let grace = Self.renewal(["grace_period_expires_date_ms": "1600000000000"])
        #expect(try candidates("DID_FAIL_TO_RENEW", [], [grace]) == ["DID_FAIL_TO_RENEW.GRACE_PERIOD"])
        #expect(try candidates("DID_FAIL_TO_RENEW", [], [Self.renewal()]) == ["DID_FAIL_TO_RENEW."])
        let both: Set<String>? = ["DID_FAIL_TO_RENEW.", "DID_FAIL_TO_RENEW.GRACE_PERIOD"]
        #expect(try candidates("DID_FAIL_TO_RENEW", [], [Self.renewal(["original_transaction_id": "9"])]) == both)
        #expect(try candidates("DID_FAIL_TO_RENEW") == both)
    }

    @Test func `DID_CHANGE_RENEWAL_PREF is a downgrade where another product is next`() throws {
        let type = "DID_CHANGE_RENEWAL_PREF"
        let periods = [Self.period(1, day: 0)]
        let next = Self.renewal(["auto_renew_product_id": "com.example.silver"])
        #expect(try candidates(type, periods, [next]) == [type + ".DOWNGRADE"])
        #expect(try candidates(type, periods, [Self.renewal()]) == [type + "."])
        let replaced = Self.period(1, day: 0, Self.upgraded)
        #expect(try candidates(type, [replaced, Self.period(2, day: 9)], [Self.renewal()]) == [type + ".", type + ".UPGRADE"])
        // The body does not show it: it says nothing, names two next products, or one that is active already.
        let all: Set<String>? = [type + ".", type + ".UPGRADE", type + ".DOWNGRADE"]
        #expect(try candidates(type) == all)
        #expect(try candidates(type, periods, [next], ["auto_renew_product_id": "com.example.bronze"]) == all)
        #expect(try candidates(type, [Self.period(1, day: 0, ["product_id": "com.example.silver"])], [next]) == all)
    }

    @Test(
        arguments: [
            ("true", nil, ["AUTO_RENEW_ENABLED"]), ("false", nil, ["AUTO_RENEW_DISABLED"]), (nil, "1", ["AUTO_RENEW_ENABLED"]),
            (nil, "0", ["AUTO_RENEW_DISABLED"]), ("true", "1", ["AUTO_RENEW_ENABLED"]),
            ("true", "0", ["AUTO_RENEW_ENABLED", "AUTO_RENEW_DISABLED"]),
            (nil, nil, ["AUTO_RENEW_ENABLED", "AUTO_RENEW_DISABLED"]),
        ] as [(String?, String?, Set<String>)])
    func `DID_CHANGE_RENEWAL_STATUS has a meaning where the body's two places agree`(
        _ top: String?, _ pending: String?, _ expected: Set<String>
    ) throws {
        var renewal = Self.renewal()
        renewal["auto_renew_status"] = pending
        let found = try candidates(
            "DID_CHANGE_RENEWAL_STATUS", [], [renewal], top.map { ["auto_renew_status": $0] } ?? [:])
        #expect(found == Set(expected.map { "DID_CHANGE_RENEWAL_STATUS." + $0 }))
    }

    @Test func `PRICE_INCREASE_CONSENT is pending until the renewal shows that the customer agreed`() throws {
        let type = "PRICE_INCREASE_CONSENT"
        #expect(try candidates(type, [], [Self.renewal(["price_consent_status": "0"])]) == ["PRICE_INCREASE.PENDING"])
        #expect(try candidates(type, [], [Self.renewal(["price_consent_status": "1"])]) == ["PRICE_INCREASE.ACCEPTED"])
        #expect(try candidates(type) == ["PRICE_INCREASE.PENDING", "PRICE_INCREASE.ACCEPTED"])
    }

    @Test func `FACT-2 the order of the purchases in the body changes nothing`() throws {
        let periods = [
            Self.period(1, day: 0, Self.upgraded.merging(Self.ended(day: 10)) { $1 }), Self.period(2, day: 10),
            Self.period(3, day: 40), Self.period(4, day: 70, Self.ended(day: 75)),
        ]
        let seed = UInt64.random(in: 0 ... .max)
        var numbers = SeededNumbers(seed: seed)
        for type in ["INTERACTIVE_RENEWAL", "CANCEL", "DID_CHANGE_RENEWAL_PREF"] {
            let expected = try candidates(type, periods, [Self.renewal()])
            for _ in 0..<20 {
                #expect(try candidates(type, periods.shuffled(using: &numbers), [Self.renewal()]) == expected, "seed \(seed)")
            }
        }
    }
}
