import Primitives
import StrictJSON
import Testing

@testable import AppStoreModel

/// The recipes of Apple's documentation: what happens, which notifications are sent, and what the payloads contain.
///
/// Source: Apple, App Store Server Notifications, `notificationType` and `subtype`.
@Suite struct RecipeTests {
    @Test func `a first purchase with a trial`() throws {
        var story = try Story()
        let period = try story.buy("plus.monthly", token: World.token.uppercased())
        #expect(story.names == ["SUBSCRIBED/INITIAL_BUY"])
        #expect(period.transactionId == period.originalTransactionId)
        #expect(period.expiresDate == World.days(7))
        let members = try story.members(of: period)
        #expect(members["transactionReason"]?.string == "PURCHASE")
        #expect(members["offerType"]?.int64 == 1)
        #expect(members["offerDiscountType"]?.string == "FREE_TRIAL")
        #expect(members["offerPeriod"]?.string == "P1W")
        #expect(members["offerIdentifier"] == nil)
        #expect(members["price"]?.int64 == 0)
        #expect(members["appAccountToken"]?.string == World.token)
        #expect(members["isUpgraded"] == nil)
        #expect(members["revocationDate"] == nil)
        let renewal = try story.renewalMembers()
        #expect(renewal["autoRenewStatus"]?.int64 == 1)
        #expect(renewal["renewalPrice"]?.int64 == 9990)
        #expect(renewal["renewalDate"]?.int64 == World.days(7).millisecondsSince1970)
        #expect(renewal["isInBillingRetryPeriod"] == nil)
    }

    @Test func `a renewal is a new transaction of a new order line that begins where the last one ended`() throws {
        var story = try Story()
        let trial = try story.buy("plus.monthly", token: World.token)
        try story.advance(to: World.days(8))
        #expect(story.names == ["SUBSCRIBED/INITIAL_BUY", "DID_RENEW"])
        let period = try story.latest
        #expect(period.transactionId != trial.transactionId)
        #expect(period.webOrderLineItemId != trial.webOrderLineItemId)
        #expect(period.originalTransactionId == trial.originalTransactionId)
        #expect(period.originalPurchaseDate == World.start)
        #expect(period.purchaseDate == trial.expiresDate)
        #expect(period.expiresDate == (try World.date(2026, 2, 8)))
        #expect(period.reason == .renewal)
        #expect(period.price == Milliunits(9990))
        #expect(period.offer == nil)
        #expect(period.appAccountToken?.description == World.token)
        #expect(story.told.last?.signedDate == World.days(7))
    }

    @Test func `auto-renew off and on, and off until the end`() throws {
        var story = try Story()
        let period = try story.buy("plus.monthly")
        try story.autoRenew(false)
        try story.autoRenew(false)
        let renewal = try story.renewalMembers()
        #expect(renewal["autoRenewStatus"]?.int64 == 0)
        #expect(renewal["renewalPrice"] == nil)
        #expect(renewal["currency"] == nil)
        try story.autoRenew(true)
        try story.autoRenew(false)
        try story.advance(to: World.days(30))
        #expect(
            story.names == [
                "SUBSCRIBED/INITIAL_BUY", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED",
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED",
                "EXPIRED/VOLUNTARY",
            ])
        #expect(try story.latest == period)
        #expect(try story.subscription.status == 2)
        #expect(try story.renewalMembers()["expirationIntent"]?.int64 == 1)
        #expect(story.told.last?.signedDate == World.days(7))
        #expect(throws: StoreRefusal.subscriptionEnded) { try story.autoRenew(true) }
    }

    @Test func `a resubscription keeps the subscription and gives no second trial`() throws {
        var story = try Story()
        let first = try story.buy("plus.monthly")
        try story.autoRenew(false)
        try story.advance(to: World.days(30))
        story.forget()
        let second = try story.buy("plus.yearly")
        #expect(story.names == ["SUBSCRIBED/RESUBSCRIBE"])
        #expect(second.originalTransactionId == first.transactionId)
        #expect(second.reason == .purchase)
        #expect(second.offer == nil)
        #expect(try story.subscription.status == 1)
        #expect(try story.subscription.recentSubscriptionStartDate == World.start)
        try story.autoRenew(false)
        try story.advance(to: World.days(30 + 365 + 61))
        try story.buy("plus.monthly")
        #expect(try story.subscription.recentSubscriptionStartDate == World.days(30 + 365 + 61))
        #expect(try story.latest.offer == nil)
    }

    @Test func `a higher level takes effect at once`() throws {
        var story = try Story()
        let old = try story.buy("plus.monthly")
        try story.advance(to: World.days(3))
        story.forget()
        let new = try story.buy("pro.monthly")
        #expect(story.names == ["DID_CHANGE_RENEWAL_PREF/UPGRADE"])
        #expect(story.told.first?.subject.transaction == new)
        #expect(new.purchaseDate == World.days(3))
        #expect(new.expiresDate == (try World.date(2026, 2, 4)))
        #expect(new.originalTransactionId == old.originalTransactionId)
        #expect(new.originalPurchaseDate == World.start)
        #expect(new.reason == .purchase)
        let superseded = try story.store.transaction(old.transactionId)
        #expect(try story.members(of: superseded)["isUpgraded"]?.bool == true)
        #expect(try story.members(of: new)["isUpgraded"] == nil)
    }

    @Test(arguments: [("pro.monthly", "plus.monthly"), ("pro.monthly", "plus.yearly"), ("plus.monthly", "plus.yearly")])
    func `a lower level, or the same level for another length, waits for the renewal`(from: String, to: String) throws {
        var story = try Story()
        let current = try story.buy(from)
        try story.autoRenew(false)
        story.forget()
        #expect(try story.buy(to) == current)
        #expect(story.names == ["DID_CHANGE_RENEWAL_PREF/DOWNGRADE"])
        #expect(try story.renewalMembers()["productId"]?.string == from)
        #expect(try story.renewalMembers()["autoRenewProductId"]?.string == to)
        #expect(try story.renewalMembers()["autoRenewStatus"]?.int64 == 1)
        #expect(throws: StoreRefusal.alreadySubscribed) { try story.buy(to) }
        try story.advance(to: try #require(current.expiresDate))
        #expect(story.names.last == "DID_RENEW")
        #expect(story.productId(of: try story.latest) == to)
        #expect(try story.latest.reason == .renewal)
    }

    @Test func `a downgrade can be cancelled`() throws {
        var story = try Story()
        try story.buy("pro.monthly")
        try story.buy("plus.monthly")
        story.forget()
        try story.buy("pro.monthly")
        #expect(story.names == ["DID_CHANGE_RENEWAL_PREF"])
        #expect(try story.renewalMembers()["autoRenewProductId"]?.string == "pro.monthly")
    }

    @Test func `a payment that fails without a grace period, and recovers later`() throws {
        var story = try Story()
        try story.buy("pro.monthly")
        try story.pay(.fails(gracePeriodDays: nil))
        story.forget()
        try story.advance(to: World.days(40))
        #expect(story.names == ["DID_FAIL_TO_RENEW"])
        #expect(try story.subscription.status == 3)
        let renewal = try story.renewalMembers()
        #expect(renewal["isInBillingRetryPeriod"]?.bool == true)
        #expect(renewal["gracePeriodExpiresDate"] == nil)
        #expect(renewal["expirationIntent"]?.int64 == 2)
        #expect(throws: StoreRefusal.paymentDeclined) { try story.buy("plus.monthly") }
        try story.pay(.succeeds)
        #expect(story.names.last == "DID_RENEW/BILLING_RECOVERY")
        #expect(try story.latest.purchaseDate == World.days(40))
        #expect(try story.subscription.status == 1)
    }

    @Test func `a payment that fails with a grace period and recovers within it keeps the billing date`() throws {
        var story = try Story()
        let first = try story.buy("pro.monthly")
        try story.pay(.fails(gracePeriodDays: 16))
        story.forget()
        try story.advance(to: World.days(40))
        #expect(story.names == ["DID_FAIL_TO_RENEW/GRACE_PERIOD"])
        #expect(try story.subscription.status == 4)
        #expect(try story.renewalMembers()["gracePeriodExpiresDate"]?.int64 == World.days(47).millisecondsSince1970)
        try story.pay(.succeeds)
        #expect(story.names.last == "DID_RENEW/BILLING_RECOVERY")
        #expect(try story.latest.purchaseDate == first.expiresDate)
        #expect(try story.latest.expiresDate == (try World.date(2026, 3, 1)))
    }

    @Test func `a payment that never recovers ends after 60 days`() throws {
        var story = try Story()
        try story.buy("pro.monthly")
        try story.pay(.fails(gracePeriodDays: 16))
        story.forget()
        try story.advance(to: World.days(365))
        #expect(story.names == ["DID_FAIL_TO_RENEW/GRACE_PERIOD", "GRACE_PERIOD_EXPIRED", "EXPIRED/BILLING_RETRY"])
        #expect(story.told.map(\.signedDate) == [World.days(31), World.days(47), World.days(91)])
        #expect(try story.subscription.status == 2)
        #expect(try story.renewalMembers()["expirationIntent"]?.int64 == 2)
        #expect(try story.renewalMembers()["isInBillingRetryPeriod"]?.bool == false)
    }

    @Test func `a refund of the current period revokes, and its reversal gives back what is left`() throws {
        var story = try Story()
        let period = try story.buy("pro.monthly")
        story.forget()
        try story.advance(to: World.days(5))
        try story.refund(period.transactionId, RefundOrder(percentage: 40_000, reason: .appIssue, isRequestedByCustomer: true))
        #expect(story.names == ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "REFUND"])
        #expect(story.told.map { $0.subject.subscription?.status } == [1, 5])
        #expect(story.told.map { $0.subject.transaction?.revocation == nil } == [true, false])
        #expect(try story.subscription.status == 5)
        let members = try story.members(of: try story.latest)
        #expect(members["revocationDate"]?.int64 == World.days(5).millisecondsSince1970)
        #expect(members["revocationReason"]?.int64 == 1)
        #expect(members["revocationType"]?.string == "REFUND_PRORATED")
        #expect(members["revocationPercentage"]?.int64 == 40_000)
        #expect(throws: StoreRefusal.alreadyRefunded) { try story.refund(period.transactionId) }
        try story.reverse(period.transactionId)
        #expect(story.names.last == "REFUND_REVERSED")
        #expect(try story.subscription.status == 1)
        #expect(try story.members(of: try story.latest)["revocationDate"] == nil)
        #expect(throws: StoreRefusal.notRefunded) { try story.reverse(period.transactionId) }
        try story.advance(to: World.days(60))
        #expect(story.names.last == "EXPIRED/VOLUNTARY")
    }

    @Test func `a refund of an old period leaves the subscription alone`() throws {
        var story = try Story()
        let first = try story.buy("pro.monthly")
        try story.advance(to: World.days(40))
        story.forget()
        try story.refund(first.transactionId)
        #expect(story.names == ["REFUND"])
        #expect(story.told.first?.subject.transaction?.transactionId == first.transactionId)
        #expect(try story.subscription.status == 1)
        #expect(try story.subscription.autoRenews)
        #expect(try story.latest.revocation == nil)
    }

    @Test func `a refund after the end leaves the subscription expired, and so does its reversal`() throws {
        var story = try Story()
        let period = try story.buy("pro.monthly")
        try story.autoRenew(false)
        try story.advance(to: World.days(40))
        try story.refund(period.transactionId)
        #expect(try story.subscription.status == 2)
        try story.reverse(period.transactionId)
        #expect(try story.subscription.status == 2)
    }

    @Test func `a refund that is reversed after the period gives nothing back`() throws {
        var story = try Story()
        let period = try story.buy("pro.monthly")
        try story.refund(period.transactionId)
        try story.advance(to: World.days(40))
        #expect(story.names.last == "REFUND")
        try story.reverse(period.transactionId)
        #expect(story.told.last?.subject.subscription?.status == 2)
        story.forget()
        try story.advance(to: World.days(80))
        #expect(story.names.isEmpty)
    }

    @Test func `a one-time purchase is charged once, and again after a refund`() throws {
        var story = try Story()
        let lifetime = try story.buy("lifetime")
        #expect(story.names == ["ONE_TIME_CHARGE"])
        let members = try story.members(of: lifetime)
        #expect(members["type"]?.string == "Non-Consumable")
        for absent in ["webOrderLineItemId", "expiresDate", "subscriptionGroupIdentifier"] { #expect(members[absent] == nil) }
        #expect(throws: StoreRefusal.alreadyOwned) { try story.buy("lifetime") }
        try story.refund(lifetime.transactionId)
        #expect(story.told.last?.subject.subscription == nil)
        #expect(try story.buy("lifetime").originalTransactionId != lifetime.originalTransactionId)
    }

    @Test func `a new device gets new transaction ids for the same order lines`() throws {
        var story = try Story()
        let period = try story.buy("plus.monthly")
        try story.buy("lifetime")
        try story.advance(to: World.days(2))
        let restored = try story.store.restore(story.app, for: story.account)
        #expect(restored.map(story.productId) == ["lifetime", "plus.monthly"])
        #expect(restored[1].webOrderLineItemId == period.webOrderLineItemId)
        #expect(restored[1].transactionId != period.transactionId)
        #expect(restored[1].purchaseDate == period.purchaseDate)
        #expect(restored[0].purchaseDate == World.days(2))
        #expect(restored[0].originalPurchaseDate == World.start)
        try story.refund(restored[1].transactionId)
        #expect(try story.store.transaction(period.transactionId).revocation != nil)
        #expect(try story.store.transaction(restored[1].transactionId).revocation != nil)
    }

    @Test func `notifications of one instant still have an order`() throws {
        var story = try Story()
        try story.buy("plus.monthly")
        for isOn in [false, true, false, true] { try story.autoRenew(isOn) }
        let dates = story.told.map(\.signedDate)
        #expect(zip(dates, dates.dropFirst()).allSatisfy { $0 < $1 })
        #expect(dates.first == World.start)
        #expect(story.store.signingInstant == dates.last)
    }

    @Test func `a pay-as-you-go offer is billed several times`() throws {
        var story = try Story(
            .sandbox,
            subscriptions: """
                {"productID":"a","displayPrice":"9.99","groupNumber":1,"recurringSubscriptionPeriod":"P1M",\
                "introductoryOffer":{"paymentMode":"payAsYouGo","displayPrice":"0.99","subscriptionPeriod":"P1M",\
                "numberOfPeriods":2}}
                """)
        try story.buy("a")
        #expect(try story.renewalMembers()["offerType"]?.int64 == 1)
        #expect(try story.renewalMembers()["renewalPrice"]?.int64 == 990)
        try story.advance(to: World.days(80))
        #expect(try story.prices == [990, 990, 9990])
    }
}

@Suite struct StoreTests {
    @Test func `the same seed and calls give the same ids, times and notifications`() throws {
        func life(seed: UInt64) throws -> [StoreNotification] {
            var story = try Story(seed: seed)
            try story.buy("plus.monthly", token: World.token)
            try story.buy("pro.monthly")
            try story.advance(to: World.days(400))
            return story.told
        }
        #expect(try life(seed: 3) == life(seed: 3))
        #expect(try life(seed: 3).map(\.notificationUUID) != life(seed: 4).map(\.notificationUUID))
    }

    @Test func `a notification's UUID is one of version 4`() throws {
        var story = try Story()
        try story.buy("lifetime")
        let uuid = try #require(story.told.first?.notificationUUID.description)
        #expect(uuid.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
    }

    @Test func `things fall due in order, whatever order they were bought in`() throws {
        var (store, app) = try World.store()
        for name in ["a", "b", "c"] {
            let account = try store.openAccount(name, in: .production).id
            let product: StoreProductID = name == "b" ? "plus.monthly" : "pro.monthly"
            _ = try store.buy(PurchaseOrder(app: app, account: account, product: product))
        }
        var dates: [Timestamp] = []
        while let told = try store.step(upTo: World.days(100)) { dates += told.map(\.signedDate) }
        #expect(dates == dates.sorted())
        #expect(dates.count == 10)
        #expect(store.now == World.days(100))
    }

    @Test(arguments: ["", "a b", "ä", String(repeating: "a", count: 65), "a/b", "\u{0}"])
    func `an invalid account id is refused`(name: String) throws {
        var (store, _) = try World.store()
        #expect(throws: StoreRefusal.invalidAccountId) { try store.openAccount(name, in: .production) }
    }

    @Test func `unknown names are refused`() throws {
        var story = try Story()
        #expect(throws: StoreRefusal.unknownProduct) { try story.buy("gold") }
        #expect(throws: StoreRefusal.unknownAccount) { try story.buy(story.order("lifetime", by: "otto")) }
        let nobody = try World.transaction(1)
        #expect(throws: StoreRefusal.unknownTransaction) { try story.refund(nobody) }
        #expect(throws: StoreRefusal.unknownSubscription) { try story.store.setAutoRenew(false, of: nobody) }
        #expect(throws: StoreRefusal.accountExists) { try story.store.openAccount("anna", in: .production) }
    }
}
