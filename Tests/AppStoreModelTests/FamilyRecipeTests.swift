import Foundation
import Primitives
import StrictJSON
import Testing

@testable import AppStoreModel

/// Source: Apple, "Supporting Family Sharing in your app".
@Suite struct FamilyRecipeTests {
    private static let shelf = """
        {"productID":"f","displayPrice":"9.99","groupNumber":1,"familyShareable":true,"recurringSubscriptionPeriod":"P1M"},\
        {"productID":"solo","displayPrice":"4.99","groupNumber":2,"familyShareable":false,"recurringSubscriptionPeriod":"P1M"}
        """

    /// Anna's family, with Ben in it.
    private static func family() throws -> Story {
        var story = try Story(subscriptions: shelf)
        _ = try story.store.openAccount("ben", in: .production)
        _ = try story.store.openFamily("home", organizer: story.account)
        story.told += try story.store.join("home", "ben")
        return story
    }

    @Test func `a member gets a subscription of their own, which follows the purchaser's`() throws {
        var story = try Self.family()
        let bought = try story.buy("f", token: World.token)
        #expect(story.names == ["SUBSCRIBED/INITIAL_BUY", "SUBSCRIBED/INITIAL_BUY"])
        let copy = try story.subscription(of: "ben")
        #expect(copy.ownership == .familyShared)
        #expect(copy.originalTransactionId != bought.originalTransactionId)
        let members = try story.members(of: try story.store.latestTransaction(of: copy))
        #expect(members["inAppOwnershipType"]?.string == "FAMILY_SHARED")
        #expect(members["appAccountToken"] == nil)
        #expect(members["expiresDate"]?.int64 == bought.expiresDate?.millisecondsSince1970)
        story.forget()
        try story.advance(to: World.days(32))
        #expect(story.names == ["DID_RENEW", "DID_RENEW"])
        try story.autoRenew(false)
        story.forget()
        try story.advance(to: World.days(70))
        #expect(story.names == ["EXPIRED/VOLUNTARY", "EXPIRED/VOLUNTARY"])
        #expect(try story.subscription(of: "ben").status == 2)
    }

    @Test func `a member who leaves, or whose purchaser is refunded, loses it at once`() throws {
        for leaves in [true, false] {
            var story = try Self.family()
            let bought = try story.buy("f")
            story.forget()
            let id = bought.transactionId
            story.told += try leaves ? story.store.leaveFamily("ben") : story.store.refund(id, RefundOrder())
            #expect(story.names == (leaves ? ["REVOKE"] : ["REFUND", "REVOKE"]))
            let copy = try story.subscription(of: "ben")
            #expect(copy.status == 5)
            let members = try story.members(of: try story.store.latestTransaction(of: copy))
            #expect(members["revocationType"]?.string == "FAMILY_REVOKE")
            #expect(try story.subscription.status == (leaves ? 1 : 5))
        }
    }

    @Test func `a later member gets what is shared, and what is not shareable stays with its buyer`() throws {
        var story = try Story(subscriptions: Self.shelf)
        try story.buy("solo")
        _ = try story.store.openAccount("ben", in: .production)
        _ = try story.store.openFamily("home", organizer: story.account)
        #expect(try story.store.join("home", "ben").isEmpty)
        story.forget()
        try story.buy("f")
        #expect(story.names == ["DID_CHANGE_RENEWAL_PREF/UPGRADE", "SUBSCRIBED/INITIAL_BUY"])
        _ = try story.store.openAccount("cleo", in: .production)
        #expect(try story.store.join("home", "cleo").map(\.event) == [.initialBuy])
        #expect(try story.store.setSharing(false, of: "home").map(\.event) == [.revoke, .revoke])
        #expect(try story.store.setSharing(true, of: "home").map(\.event) == [.resubscribe, .resubscribe])
    }

    @Test func `a member's copy is not refunded, extended or given a token`() throws {
        var story = try Self.family()
        try story.buy("f")
        let copy = try story.subscription(of: "ben").originalTransactionId
        #expect(throws: StoreRefusal.familyShared) { try story.store.refund(copy, RefundOrder()) }
        #expect(throws: StoreRefusal.familyShared) { try story.store.extend(copy, days: 3) }
        #expect(throws: StoreRefusal.familyShared) { try story.store.setAutoRenew(false, of: copy) }
        #expect(throws: StoreRefusal.familyShared) {
            try story.store.setAppAccountToken(#require(CompactUUID(World.token)), of: copy)
        }
    }

    @Test func `a family has six members, of one environment`() throws {
        var story = try Self.family()
        for name in ["c", "d", "e", "f"] {
            _ = try story.store.openAccount(name, in: .production)
            _ = try story.store.join("home", AccountID(name))
        }
        _ = try story.store.openAccount("g", in: .production)
        #expect(throws: StoreRefusal.familyFull) { try story.store.join("home", "g") }
        _ = try story.store.leaveFamily("f")
        _ = try story.store.openAccount("tester", in: .sandbox)
        #expect(throws: StoreRefusal.unknownEnvironment) { try story.store.join("home", "tester") }
        #expect(throws: StoreRefusal.notInFamily) { try story.store.leaveFamily("g") }
    }
}

@Suite struct ExtensionRecipeTests {
    /// Source: Apple, Extend a Subscription Renewal Date.
    @Test func `an extension moves the end, twice a year, and goes to the family too`() throws {
        var story = try Story()
        let period = try story.buy("pro.monthly")
        story.forget()
        let id = period.originalTransactionId
        story.told += try story.store.extend(id, days: 10)
        #expect(story.names == ["RENEWAL_EXTENDED"])
        #expect(try story.latest.expiresDate == World.days(41))
        _ = try story.store.extend(id, days: 1)
        #expect(throws: StoreRefusal.tooManyExtensions) { try story.store.extend(id, days: 1) }
        try story.advance(to: World.days(41))
        #expect(try story.subscription.status == 1)
        #expect(try story.latest.transactionId == period.transactionId)
        try story.advance(to: World.days(42))
        #expect(try story.latest.transactionId != period.transactionId)
    }

    @Test func `free periods and ended subscriptions are not extended`() throws {
        var story = try Story()
        let trial = try story.buy("plus.monthly")
        #expect(throws: StoreRefusal.notExtendable) { try story.store.extend(trial.transactionId, days: 1) }
        #expect(throws: StoreRefusal.invalidExtension) { try story.store.extend(trial.transactionId, days: 91) }
    }

    @Test func `a mass extension notifies of each, and of all at the end`() throws {
        var story = try Story()
        try story.buy("pro.monthly")
        _ = try story.store.openAccount("ben", in: .production, country: "DEU")
        _ = try story.buy(story.order("pro.monthly", by: "ben"))
        story.forget()
        let order = MassExtension(
            requestIdentifier: "r", app: story.app, environment: .production, of: "pro.monthly",
            terms: .init(days: 5, storefronts: ["DEU"]))
        try story.store.extendAll(order)
        #expect(story.store.massExtensions.first?.completeDate == nil)
        try story.advance(to: World.start.adding(.minutes(2)))
        #expect(story.names == ["RENEWAL_EXTENDED", "RENEWAL_EXTENSION/SUMMARY"])
        #expect(story.store.massExtensions.first?.succeededCount == 1)
        #expect(try story.latest.expiresDate == World.days(31))
    }
}

@Suite struct RequestRecipeTests {
    /// Source: Apple, "Handling refund notifications": the server is asked and has twelve hours.
    @Test(
        arguments: [
            (RefundRequest.Preference.decline, ["REFUND_DECLINED"]),
            (.grantFull, ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "REFUND"]), (nil, ["REFUND"]),
        ] as [(RefundRequest.Preference?, [String])])
    func `a requested refund is decided after twelve hours by the server's preference`(
        wish: RefundRequest.Preference?, end: [String]
    ) throws {
        var story = try Story()
        let period = try story.buy("pro.monthly")
        story.forget()
        story.told += try story.store.requestRefund(period.transactionId, .unintendedPurchase)
        #expect(story.names == ["CONSUMPTION_REQUEST"])
        #expect(throws: StoreRefusal.refundRequested) { try story.store.requestRefund(period.transactionId, .other) }
        if let wish { try story.store.answerRefundRequest(period.transactionId, preference: wish) }
        try story.advance(to: World.start.adding(.hours(12)).adding(Milliseconds(-1)))
        #expect(story.names.count == 1)
        try story.advance(to: World.start.adding(.hours(13)))
        #expect(Array(story.names.suffix(end.count)) == end)
    }

    @Test func `a prorated refund returns the rest of the period`() throws {
        var story = try Story()
        let period = try story.buy("pro.monthly")
        try story.advance(to: World.days(15))
        _ = try story.store.requestRefund(period.transactionId, .other)
        try story.store.answerRefundRequest(period.transactionId, preference: .grantProrated)
        try story.advance(to: World.days(16))
        let revocation = try #require(try story.latest.revocation)
        #expect(revocation.kind == .refundProrated)
        // Half a day after the middle of 31 days.
        #expect(revocation.percentage == 50_000)
    }

    @Test func `a subscription of Sandbox renews fast and twelve times`() throws {
        var story = try Story(.sandbox)
        var terms = story.store[story.app].terms
        terms.sandboxRate = .monthly(minutes: 5)
        try story.store.setTerms(terms, of: story.app)
        let first = try story.buy("pro.monthly")
        #expect(first.expiresDate == World.start.adding(.minutes(5)))
        try story.advance(to: World.days(1))
        #expect(story.names == ["SUBSCRIBED/INITIAL_BUY"] + Array(repeating: "DID_RENEW", count: 12) + ["EXPIRED/VOLUNTARY"])
        #expect(story.told.last?.signedDate == World.start.adding(.minutes(65)))
    }

    @Test func `a renewal is charged and notified up to a day before it begins`() throws {
        var story = try Story()
        var terms = story.store[story.app].terms
        terms.earlyCharge = .hours(24)
        try story.store.setTerms(terms, of: story.app)
        let first = try story.buy("pro.monthly")
        story.forget()
        try story.advance(to: try #require(first.expiresDate).adding(Milliseconds(-1)))
        #expect(story.names == ["DID_RENEW"])
        let told = try #require(story.told.first)
        #expect(told.subject.transaction?.purchaseDate == first.expiresDate)
        #expect(told.signedDate < (try #require(first.expiresDate)))
        #expect(told.signedDate >= (try #require(first.expiresDate)).adding(.hours(-24)))
    }

    /// Source: Apple, JWSRenewalInfo (`appAccountToken`) and Set App Account Token.
    @Test(arguments: [(TokenOfPlanChange.new, 1), (.kept, 0)])
    func `a change of plan has its own token, or the previous one`(_ choice: TokenOfPlanChange, _ expected: Int) throws {
        let tokens = ["7e3fb204-2fe2-4d7c-8c8a-0b1c3dbd1d11", "aa3fb204-2fe2-4d7c-8c8a-0b1c3dbd1d22"]
        for (first, second) in [("plus.monthly", "pro.monthly"), ("pro.monthly", "plus.monthly")] {
            var story = try Story()
            var terms = story.store[story.app].terms
            terms.tokenOfPlanChange = choice
            try story.store.setTerms(terms, of: story.app)
            try story.buy(first, token: tokens[0])
            try story.buy(second, token: tokens[1])
            #expect(try story.subscription.appAccountToken?.description == tokens[expected])
            try story.advance(to: World.days(35))
            let renewed = try #require(story.told.last { $0.subject.transaction != nil }?.subject.transaction)
            #expect(renewed.appAccountToken?.description == tokens[expected])
            // Where there was no token, both use that of the change.
            var bare = try Story()
            try bare.store.setTerms(terms, of: bare.app)
            try bare.buy(first, token: nil)
            try bare.buy(second, token: tokens[1])
            #expect(try bare.subscription.appAccountToken?.description == tokens[1])
        }
    }

    @Test func `terms that an earlier version saved lack the choice about tokens`() throws {
        let saved = Data(#"{"earlyCharge":0,"sandboxRate":{"realTime":{}}}"#.utf8)
        var terms = try JSONDecoder().decode(StoreApp.Terms.self, from: saved)
        #expect(terms == StoreApp.Terms())
        terms.tokenOfPlanChange = .kept
        #expect(try JSONDecoder().decode(StoreApp.Terms.self, from: JSONEncoder().encode(terms)) == terms)
    }

    @Test func `a silent subscription renews without a notification`() throws {
        var story = try Story()
        try story.buy("pro.monthly")
        try story.store.setSilent(true, of: try story.subscription.originalTransactionId)
        story.forget()
        try story.advance(to: World.days(70))
        #expect(story.names.isEmpty)
        #expect(try story.prices.count == 3)
    }

    /// Source: Apple, "Change your Apple Account country or region".
    @Test func `an account moves to another country when nothing renews any more`() throws {
        var story = try Story()
        try story.buy("pro.monthly")
        #expect(throws: StoreRefusal.subscriptionsActive) { try story.store.changeStorefront(of: story.account, to: "DEU") }
        try story.autoRenew(false)
        try story.advance(to: World.days(40))
        _ = try story.store.changeStorefront(of: story.account, to: "DEU")
        let again = try story.buy("pro.monthly")
        let members = try story.members(of: again)
        // OWN-14: another subscription; in the first country the purchase would continue the first one.
        #expect(members["originalTransactionId"]?.string == again.transactionId.rawValue)
        #expect(members["storefront"]?.string == "DEU")
        #expect(members["currency"]?.string == "EUR")
        #expect(members["storefrontId"]?.string == "143443")
    }

    @Test func `a notification about an app as a whole names no transaction`() throws {
        var story = try Story(.sandbox)
        try story.buy("lifetime")
        let consent = try #require(try story.store.rescindConsent(to: story.app, for: story.account).first)
        let parts = SignedParts(appTransaction: "a.b.c")
        let body = try #require(try JSONDocument(story.store.payload(of: consent, with: parts)).root.object)
        #expect(body["notificationType"]?.string == "RESCIND_CONSENT")
        #expect(body["appData"]?.object?["signedAppTransactionInfo"]?.string == "a.b.c")
        let told = story.store.externalPurchase(.externalPurchaseCreated, in: story.app, .sandbox)
        let token = try #require(try JSONDocument(story.store.payload(of: told[0], with: SignedParts())).root.object)
        #expect(token["data"] == nil)
        let id = token["externalPurchaseToken"]?.object?["externalPurchaseId"]?.string
        #expect(id?.hasPrefix("SANDBOX") == true)
    }

    @Test func `a failing card fails for all subscriptions, and debts are paid when it works again`() throws {
        var story = try Story()
        try story.buy("pro.monthly")
        _ = try story.store.setPayment(.fails, of: story.account)
        #expect(throws: StoreRefusal.paymentDeclined) { try story.buy("lifetime") }
        story.forget()
        try story.advance(to: World.days(40))
        #expect(story.names == ["DID_FAIL_TO_RENEW"])
        story.told += try story.store.setPayment(.succeeds, of: story.account)
        #expect(story.names.last == "DID_RENEW/BILLING_RECOVERY")
    }
}
