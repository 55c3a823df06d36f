import Foundation
import Ledger
import Primitives
import Storage
import Testing

@testable import Backend

/// The flows that RevenueCat describes, by the translation alone.
///
/// Source: RevenueCat, "Common Webhook Flows", "Event Types and Fields", "Sample Events".
@Suite struct `Events as RevenueCat writes them` {
    private static func day(_ month: Int64, _ day: Int64) -> Timestamp { Tale.day(month, day) }
    private let first = Tale.purchase("1000", from: day(1, 1), to: day(2, 1))
    private let second = Tale.renewal("1001", from: day(2, 1), to: day(3, 1))

    // MARK: Trials

    @Test func `a trial that converts is an initial purchase and a renewal`() throws {
        var tale = Tale()
        tale.buys(Tale.purchase("1000", from: Self.day(1, 1), to: Self.day(1, 8), Tale.trial))
        tale.apple(Tale.renewal("1001", from: Self.day(1, 8), to: Self.day(2, 8)))
        let sent = try tale.sent()
        #expect(sent.map(\.type) == ["INITIAL_PURCHASE", "RENEWAL"])
        #expect(sent[0].text("period_type") == "TRIAL" && sent[0].number("price") == 0 && sent[0].number("renewal_number") == 1)
        #expect(sent[0].instant("expiration_at_ms") == Self.day(1, 8))
        #expect(sent[1].text("period_type") == "NORMAL" && sent[1].bool("is_trial_conversion") == true)
        #expect(sent[1].number("price") == 9.99 && sent[1].number("renewal_number") == 2)
    }

    @Test func `one who comes back after a trial that had lapsed renews`() throws {
        var tale = Tale()
        tale.buys(Tale.purchase("1000", from: Self.day(1, 1), to: Self.day(1, 8), Tale.trial))
        tale.apple(Tale.renewalInfo(signed: Self.day(1, 3)) { $0.autoRenewStatus = false })
        tale.passes(to: Self.day(1, 12))
        tale.buys(Tale.purchase("1001", from: Self.day(3, 1), to: Self.day(4, 1)))
        let sent = try tale.sent()
        #expect(sent.map(\.type) == ["INITIAL_PURCHASE", "CANCELLATION", "EXPIRATION", "RENEWAL"])
        #expect(sent[1].text("cancel_reason") == "UNSUBSCRIBE" && sent[1].number("price") == 0)
        #expect(sent[1].text("period_type") == "TRIAL" && sent[2].text("expiration_reason") == "UNSUBSCRIBE")
        #expect(sent[3].bool("is_trial_conversion") == true)
    }

    // MARK: Changes

    @Test func `an upgrade is a change of the old product and a renewal into the new one`() throws {
        var tale = Tale()
        tale.buys(Tale.purchase("1000", Tale.basic, from: Self.day(1, 1), to: Self.day(2, 1)))
        tale.buys(Tale.purchase("1001", Tale.plus, from: Self.day(1, 10), to: Self.day(2, 10)))
        let sent = try tale.sent()
        #expect(sent.map(\.type) == ["INITIAL_PURCHASE", "PRODUCT_CHANGE", "RENEWAL"])
        let (change, renewal) = (sent[1], sent[2])
        #expect(change.text("product_id") == "basic.monthly" && change.text("new_product_id") == "plus.monthly")
        #expect(change.text("transaction_id") == "1000" && change.number("price") == 0 && change.isNull("entitlement_ids"))
        #expect(change.instant("purchased_at_ms") == Self.day(1, 1) && change.instant("expiration_at_ms") == Self.day(1, 10))
        #expect(renewal.text("product_id") == "plus.monthly" && renewal.text("transaction_id") == "1001")
        #expect(renewal.bool("is_trial_conversion") == false && renewal.number("price") == 9.99)
        #expect(renewal.list("entitlement_ids") == ["archive", "plus"])
    }

    @Test func `a downgrade is a change now, and a renewal later`() throws {
        var tale = Tale()
        tale.buys(first)
        tale.apple(Tale.renewalInfo(signed: Self.day(1, 10)) { $0.autoRenewProductId = Tale.basic })
        #expect(try tale.types() == ["INITIAL_PURCHASE", "PRODUCT_CHANGE"])
        tale.apple(Tale.renewal("1001", Tale.basic, from: Self.day(2, 1), to: Self.day(3, 1)))
        let sent = try tale.sent()
        #expect(sent.map(\.type) == ["INITIAL_PURCHASE", "PRODUCT_CHANGE", "RENEWAL"])
        #expect(sent[1].text("product_id") == "plus.monthly" && sent[1].text("new_product_id") == "basic.monthly")
        #expect(sent[1].instant("expiration_at_ms") == Self.day(2, 1) && sent[1].text("transaction_id") == "1000")
        #expect(sent[2].text("product_id") == "basic.monthly" && sent[2].isNull("entitlement_ids"))
    }

    // MARK: Billing

    @Test func `a charge that fails is told twice, and then the end`() throws {
        var tale = Tale()
        tale.buys(first)
        tale.apple(Tale.renewalInfo(signed: Self.day(2, 1)) { ($0.isInBillingRetryPeriod, $0.expirationIntent) = (true, 2) })
        tale.passes(to: Self.day(2, 3))
        let sent = try tale.sent()
        #expect(sent.map(\.type) == ["INITIAL_PURCHASE", "BILLING_ISSUE", "CANCELLATION", "EXPIRATION"])
        #expect(sent[1].isNull("grace_period_expiration_at_ms") && sent[1].instant("expiration_at_ms") == Self.day(2, 1))
        #expect(sent[2].text("cancel_reason") == "BILLING_ERROR" && sent[3].text("expiration_reason") == "BILLING_ERROR")
        #expect(sent[1...].allSatisfy { $0.number("price") == 0 && $0.text("app_user_id") == "alice" })
    }

    @Test func `within the grace period a charge that succeeds is a renewal`() throws {
        var tale = Tale()
        tale.buys(first)
        tale.apple(
            Tale.renewalInfo(signed: Self.day(2, 1)) {
                ($0.isInBillingRetryPeriod, $0.gracePeriodExpiresDate) = (true, Self.day(2, 17))
            })
        tale.passes(to: Self.day(2, 3))
        tale.apple(Tale.renewal("1001", from: Self.day(2, 5), to: Self.day(3, 5)))
        let sent = try tale.sent()
        #expect(sent.map(\.type) == ["INITIAL_PURCHASE", "BILLING_ISSUE", "CANCELLATION", "RENEWAL"])
        #expect(sent[1].instant("grace_period_expiration_at_ms") == Self.day(2, 17))
        #expect(sent[3].bool("is_trial_conversion") == false && sent[3].number("renewal_number") == 2)
    }

    @Test func `one who buys again within the grace period renews`() throws {
        var tale = Tale()
        tale.buys(first)
        tale.apple(
            Tale.renewalInfo(signed: Self.day(2, 1)) {
                ($0.isInBillingRetryPeriod, $0.gracePeriodExpiresDate) = (true, Self.day(2, 17))
            })
        tale.buys(Tale.purchase("1001", from: Self.day(2, 5), to: Self.day(3, 5)))
        #expect(try tale.types() == ["INITIAL_PURCHASE", "BILLING_ISSUE", "CANCELLATION", "RENEWAL"])
    }

    @Test func `one who buys again after the end begins anew`() throws {
        var tale = Tale()
        tale.buys(first)
        tale.apple(Tale.renewalInfo(signed: Self.day(1, 20)) { $0.autoRenewStatus = false })
        tale.passes(to: Self.day(2, 5))
        tale.buys(Tale.purchase("1001", from: Self.day(4, 1), to: Self.day(5, 1)))
        let sent = try tale.sent()
        #expect(sent.map(\.type) == ["INITIAL_PURCHASE", "CANCELLATION", "EXPIRATION", "INITIAL_PURCHASE"])
        #expect(sent[3].text("transaction_id") == "1001" && sent[3].text("original_transaction_id") == "1000")
    }

    @Test func `renewal that is off and on again before the end`() throws {
        var tale = Tale()
        tale.buys(first)
        tale.apple(Tale.renewalInfo(signed: Self.day(1, 10)) { $0.autoRenewStatus = false })
        tale.apple(Tale.renewalInfo(signed: Self.day(1, 11)) { $0.autoRenewStatus = true })
        #expect(try tale.types() == ["INITIAL_PURCHASE", "CANCELLATION", "UNCANCELLATION"])
    }

    // MARK: Money

    @Test(arguments: [
        ("USD", nil, nil, -9.99, -9.99), ("EUR", nil, nil, nil, -9.99), ("EUR", "REFUND_PRORATED", 50_000, nil, -4.995),
    ])
    func `what is given back is negative`(
        currency: String, type: String?, percentage: Int64?, dollars: Double?, own: Double
    ) throws {
        var bought = first
        bought.details.currency = currency
        var tale = Tale()
        tale.buys(bought)
        var refunded = bought
        refunded.signedDate = Self.day(1, 20)
        refunded.revocation = Revocation(
            revocationDate: Self.day(1, 19), revocationType: type, revocationPercentage: percentage)
        tale.apple(refunded)
        let refund = try #require(try tale.sent().first { $0.type == "CANCELLATION" })
        #expect(refund.text("cancel_reason") == "CUSTOMER_SUPPORT" && refund.text("currency") == currency)
        #expect(refund.number("price") == dollars && refund.number("price_in_purchased_currency") == own)
        guard type == nil else { return }
        tale.passes(to: Self.day(1, 21))
        let end = try #require(try tale.sent().last)
        #expect(end.type == "EXPIRATION" && end.text("expiration_reason") == "CUSTOMER_SUPPORT" && end.number("price") == 0)
        #expect(refund.instant("expiration_at_ms") == Self.day(1, 19))
        refunded.signedDate = Self.day(1, 25)
        refunded.revocation = nil
        tale.apple(refunded)
        let back = try #require(try tale.sent().last)
        #expect(back.type == "REFUND_REVERSED" && back.number("price_in_purchased_currency") == 9.99)
        #expect(back.instant("expiration_at_ms") == Self.day(2, 1))
    }

    @Test func `a price in another currency is not known in dollars, and one that nobody said is null`() throws {
        var tale = Tale()
        tale.buys(
            Tale.purchase("1000", from: Self.day(1, 1), to: Self.day(2, 1)) {
                ($0.details.price, $0.details.currency, $0.details.storefront) = (Milliunits(1_050_000), "JPY", "JPN")
            })
        tale.apple(
            Tale.renewal("1001", from: Self.day(2, 1), to: Self.day(3, 1)) {
                ($0.details.price, $0.details.currency, $0.details.storefront) = (nil, nil, nil)
            })
        let sent = try tale.sent()
        #expect(sent[0].isNull("price") && sent[0].number("price_in_purchased_currency") == 1050)
        #expect(sent[0].text("country_code") == "JP" && sent[0].text("currency") == "JPY")
        for name in ["price", "price_in_purchased_currency", "currency", "country_code"] {
            #expect(sent[1].isNull(name), "\(name)")
        }
        for name in ["tax_percentage", "commission_percentage", "takehome_percentage"] {
            #expect(sent[0].isNull(name), "\(name)")
        }
    }

    @Test func `who uses what the family shares paid nothing`() throws {
        var tale = Tale()
        tale.buys(
            Tale.purchase("1000", from: Self.day(1, 1), to: Self.day(2, 1)) { $0.details.inAppOwnershipType = "FAMILY_SHARED" })
        let sent = try tale.sent()
        #expect(sent[0].bool("is_family_share") == true && sent[0].number("price") == 0)
    }

    @Test func `an introductory price and an offer code are named`() throws {
        var tale = Tale()
        tale.buys(
            Tale.purchase("1000", from: Self.day(1, 1), to: Self.day(2, 1)) {
                ($0.details.offerType, $0.details.offerDiscountType) = (1, "PAY_AS_YOU_GO")
            })
        tale.apple(
            Tale.renewal("1001", from: Self.day(2, 1), to: Self.day(3, 1)) {
                ($0.details.offerType, $0.details.offerIdentifier) = (3, "summer")
            })
        tale.apple(
            Tale.renewal("1002", from: Self.day(3, 1), to: Self.day(4, 1)) {
                ($0.details.offerType, $0.details.offerIdentifier) = (2, "loyal")
            })
        let sent = try tale.sent()
        #expect(sent.map { $0.text("period_type") } == ["INTRO", "NORMAL", "NORMAL"])
        #expect(sent.map { $0.text("offer_code") } == [nil, "summer", nil])
        #expect(sent[1].bool("is_trial_conversion") == false)
    }

    // MARK: Owners

    @Test func `a transfer is one event, which names both`() throws {
        var policy = AppPolicy()
        policy.onRestore = .transfer
        var tale = Tale(policy)
        tale.buys(first)
        tale.hear(.claim(Tale.claim(Tale.bob, .restore, first, at: Self.day(1, 5))), at: Self.day(1, 5))
        let sent = try tale.sent()
        #expect(sent.map(\.type) == ["INITIAL_PURCHASE", "TRANSFER"])
        #expect(sent[1].list("transferred_from") == ["alice"] && sent[1].list("transferred_to") == ["bob"])
        tale.apple(second)
        #expect(try tale.sent().last?.text("app_user_id") == "bob")
    }

    @Test func `what was bought before anybody claimed it is told when somebody does, and once`() throws {
        var tale = Tale()
        tale.apple(first)
        tale.apple(second)
        #expect(try tale.types() == [])
        tale.hear(.claim(Tale.claim(Tale.alice, .queue, second, at: Self.day(2, 3))), at: Self.day(2, 3))
        let sent = try tale.sent()
        #expect(sent.map(\.type) == ["INITIAL_PURCHASE"])
        #expect(sent[0].text("app_user_id") == "alice" && sent[0].text("transaction_id") == "1001")
        #expect(sent[0].instant("event_timestamp_ms") == Self.day(2, 3) && sent[0].number("renewal_number") == 2)
    }

    @Test func `what was over before anybody claimed it is told nobody`() throws {
        var tale = Tale()
        tale.apple(first)
        tale.passes(to: Self.day(2, 20))
        tale.hear(.claim(Tale.claim(Tale.alice, .restore, first, at: Self.day(5, 3))), at: Self.day(5, 3))
        #expect(try tale.types() == [])
    }

    @Test func `one who was anonymous keeps that id as the original one, and nothing is transferred`() throws {
        let anonymous = CustomerID("$RCAnonymousID:0a")
        var tale = Tale()
        let claim = Claim(
            id: .init("c"), customer: Claimant(anonymous, isAnonymous: true), kind: .purchase, transaction: first,
            productId: first.productId, claimedAt: Self.day(1, 1).adding(.seconds(5)))
        tale.hear(.fact(.transaction(first)), .claim(claim), at: Self.day(1, 1).adding(.seconds(5)))
        let merge = CustomerMerge(anonymous: anonymous, identified: Tale.alice, mergedAt: Self.day(1, 5))
        tale.hear(.merge(merge), at: Self.day(1, 5))
        tale.apple(second)
        let sent = try tale.sent()
        #expect(sent.map(\.type) == ["INITIAL_PURCHASE", "RENEWAL"])
        #expect(sent[0].text("app_user_id") == anonymous.rawValue && sent[0].list("aliases") == [anonymous.rawValue])
        #expect(sent[1].text("app_user_id") == "alice" && sent[1].text("original_app_user_id") == anonymous.rawValue)
        #expect(sent[1].list("aliases") == [anonymous.rawValue, "alice"])
    }

    // MARK: The rest

    @Test func `access for want of news is a temporary grant`() throws {
        var tale = Tale()
        tale.buys(first)
        tale.passes(to: Self.day(2, 1).adding(.minutes(5)))
        #expect(try tale.types() == ["INITIAL_PURCHASE", "TEMPORARY_ENTITLEMENT_GRANT"])
    }

    @Test func `an extension moves the end`() throws {
        var tale = Tale()
        tale.buys(first)
        var extended = first
        (extended.signedDate, extended.expiresDate) = (Self.day(1, 15), Self.day(2, 11))
        tale.apple(extended)
        let sent = try tale.sent()
        #expect(sent.map(\.type) == ["INITIAL_PURCHASE", "SUBSCRIPTION_EXTENDED"])
        #expect(sent.map { $0.instant("expiration_at_ms") } == [Self.day(2, 1), Self.day(2, 11)], "the first as it was then")
    }

    @Test func `what is bought once is no subscription`() throws {
        var tale = Tale()
        let coins = Tale.purchase("1000", ProductID("coins"), from: Self.day(1, 1), to: Self.day(2, 1)) {
            ($0.type, $0.expiresDate, $0.webOrderLineItemId) = (.consumable, nil, nil)
        }
        tale.buys(coins)
        let sent = try tale.sent()
        #expect(sent.map(\.type) == ["NON_RENEWING_PURCHASE"])
        #expect(sent[0].isNull("expiration_at_ms") && sent[0].isNull("renewal_number") && sent[0].number("price") == 9.99)
        #expect(sent[0].text("store") == "APP_STORE" && sent[0].text("period_type") == "NORMAL")
    }

    @Test func `where earlier periods may be unknown they are not counted`() throws {
        var tale = Tale()
        let later = Tale.renewal("1007", from: Self.day(1, 1), to: Self.day(2, 1))
        tale.hear(
            .fact(.transaction(later)), .claim(Tale.claim(Tale.alice, .queue, later, at: Self.day(1, 2))), at: Self.day(1, 2))
        let sent = try tale.sent()
        #expect(sent.map(\.type) == ["RENEWAL"] && sent[0].isNull("renewal_number") && sent[0].isNull("is_trial_conversion"))
    }

    @Test func `what cannot be read is null, and what the event says stands`() throws {
        var tale = Tale()
        tale.buys(first)
        tale.apple(second)
        let sent = try tale.sent(blind: true)
        #expect(sent.map(\.type) == ["INITIAL_PURCHASE", "RENEWAL"])
        #expect(sent[1].instant("purchased_at_ms") == Self.day(2, 1) && sent[1].instant("expiration_at_ms") == Self.day(3, 1))
        for name in ["period_type", "price", "currency", "is_family_share", "country_code", "entitlement_ids", "renewal_number"] {
            #expect(sent[1].isNull(name), "\(name)")
        }
        #expect(sent[1].list("aliases") == ["alice"] && sent[1].text("transaction_id") == "1001")
    }

    @Test func `an amount is a decimal number`() throws {
        for (count, text) in [(0, "0"), (9990, "9.99"), (-9990, "-9.99"), (50, "0.05"), (-1, "-0.001"), (25_000, "25")]
            as [(Int64, String)]
        {
            var lifecycle = RevenueCatBody.Lifecycle(customer: "a", product: "p", original: nil, transaction: nil)
            (lifecycle.price, lifecycle.currency) = (Milliunits(count), "USD")
            let body = RevenueCatBody(
                .renewal, in: Tale.key.scope, toldAt: Timestamp(millisecondsSince1970: 0), .lifecycle(lifecycle))
            #expect(body.text(id: "e").contains(#""price":\#(text),"currency":"USD","price_in_purchased_currency":\#(text),"#))
        }
    }

    /// Source: ISO 3166-1.
    @Test func `storefronts are countries of two letters`() {
        for (three, two) in [
            ("USA", "US"), ("DEU", "DE"), ("GBR", "GB"), ("CHE", "CH"), ("AUT", "AT"), ("XKS", "XK"), ("PRK", "KP"),
        ] {
            #expect(StorefrontCountry.code(of: three) == two)
        }
        #expect(StorefrontCountry.code(of: "AAA") == nil && StorefrontCountry.code(of: "") == nil)
    }
}
