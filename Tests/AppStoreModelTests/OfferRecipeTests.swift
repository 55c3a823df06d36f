import Primitives
import StrictJSON
import Testing

@testable import AppStoreModel

/// A monthly product with offers of all kinds, and a higher one.
private let shelf = """
    {"productID":"m","displayPrice":"9.99","groupNumber":2,"recurringSubscriptionPeriod":"P1M",\
    "introductoryOffer":{"paymentMode":"free","subscriptionPeriod":"P1W"},\
    "adHocOffers":[{"offerID":"stay","referenceName":"s","paymentMode":"payAsYouGo","displayPrice":"4.99",\
    "subscriptionPeriod":"P1M","numberOfPeriods":2}],\
    "codeOffers":[{"referenceName":"NEW50","paymentMode":"payUpFront","displayPrice":"5.00","subscriptionPeriod":"P1M",\
    "numberOfPeriods":3,"eligibility":["new"],"isStackable":false},\
    {"referenceName":"BACK","paymentMode":"free","subscriptionPeriod":"P1M","eligibility":["expired","existing"]}],\
    "winbackOffers":[{"offerID":"again","referenceName":"w","paymentMode":"payUpFront","displayPrice":"1.00",\
    "subscriptionPeriod":"P1M","isEligible":true}]},\
    {"productID":"h","displayPrice":"19.99","groupNumber":1,"recurringSubscriptionPeriod":"P1M",\
    "adHocOffers":[{"offerID":"up","referenceName":"u","paymentMode":"payUpFront","displayPrice":"7.00",\
    "subscriptionPeriod":"P1M"}]}
    """

/// Source: Apple, "Setting up promotional offers", "Supporting win-back offers", App Store Connect Help (offer codes),
/// `OFFER_REDEEMED`.
@Suite struct OfferRecipeTests {
    @Test func `a promotional offer for the present product begins with the next renewal`() throws {
        var story = try Story(subscriptions: shelf)
        let first = try story.buy("m")
        story.forget()
        var order = story.order("m")
        order.offer = .promotional("stay")
        let redeemed = try story.buy(order)
        #expect(redeemed.outcome == .offerRedeemed)
        #expect(redeemed.transaction.transactionId == first.transactionId)
        #expect(story.names == ["OFFER_REDEEMED"])
        let renewal = try story.renewalMembers()
        #expect(renewal["offerType"]?.int64 == 2)
        #expect(renewal["offerIdentifier"]?.string == "stay")
        #expect(renewal["renewalPrice"]?.int64 == 4990)
        try story.advance(to: World.days(100))
        // A free week, two months of the offer, and then the list price: 8 January, 8 February, 8 March, 8 April.
        #expect(try story.prices == [0, 4990, 4990, 9990, 9990])
        let all = try #require(story.store.account(story.account).installations[story.app]).transactions
        #expect(try story.members(of: story.store.transaction(all[2]))["offerType"]?.int64 == 2)
    }

    @Test func `a promotional offer with an upgrade begins at once`() throws {
        var story = try Story(subscriptions: shelf)
        try story.buy("m")
        story.forget()
        var order = story.order("h")
        order.offer = .promotional("up")
        #expect(try story.buy(order).outcome == .upgraded)
        #expect(story.names == ["OFFER_REDEEMED/UPGRADE"])
        #expect(try story.latest.price == Milliunits(7000))
        #expect(try story.members(of: story.latest)["offerIdentifier"]?.string == "up")
    }

    @Test func `a customer who never subscribed gets no promotional offer, and a missing offer is refused`() throws {
        var story = try Story(subscriptions: shelf)
        var order = story.order("m")
        order.offer = .promotional("stay")
        #expect(throws: StoreRefusal.offerNotEligible) { try story.buy(order) }
        order.offer = .promotional("nothing")
        #expect(throws: StoreRefusal.unknownOffer) { try story.buy(order) }
    }

    @Test func `a code is for the customers that it names, works once, and replaces the introductory offer`() throws {
        var story = try Story(subscriptions: shelf)
        let bought = try story.store.redeem(code: "NEW50", app: story.app, account: story.account)
        #expect(bought.outcome == .purchased)
        #expect(bought.notifications.map(\.event) == [.initialBuy])
        let members = try story.members(of: bought.transaction)
        #expect(members["offerType"]?.int64 == 3)
        #expect(members["offerIdentifier"]?.string == "NEW50")
        #expect(members["offerDiscountType"]?.string == "PAY_UP_FRONT")
        #expect(members["offerPeriod"]?.string == "P3M")
        #expect(bought.transaction.expiresDate == (try World.date(2026, 4, 1)))
        #expect(throws: StoreRefusal.offerNotEligible) {
            try story.store.redeem(code: "NEW50", app: story.app, account: story.account)
        }
        let again = try story.store.redeem(code: "BACK", app: story.app, account: story.account)
        #expect(again.notifications.map(\.event) == [.offerRedeemed])
        #expect(throws: StoreRefusal.offerNotEligible) {
            try story.store.redeem(code: "BACK", app: story.app, account: story.account)
        }
    }

    @Test func `a win-back offer is for former subscribers, and is named to the server`() throws {
        var story = try Story(subscriptions: shelf)
        try story.buy("m")
        var order = story.order("m")
        order.offer = .winBack("again")
        #expect(throws: StoreRefusal.offerNotEligible) { try story.buy(order) }
        try story.autoRenew(false)
        #expect(try story.renewalMembers()["eligibleWinBackOfferIds"] == nil)
        try story.advance(to: World.days(30))
        let ids = try story.renewalMembers()["eligibleWinBackOfferIds"]?.array?.map { $0.string }
        #expect(ids == ["again"])
        story.forget()
        #expect(try story.buy(order).outcome == .resubscribed)
        #expect(story.names == ["SUBSCRIBED/RESUBSCRIBE"])
        #expect(try story.members(of: story.latest)["offerType"]?.int64 == 4)
    }

    @Test func `an introductory offer is given once, unless the app's server allows it again`() throws {
        var story = try Story(subscriptions: shelf)
        try story.buy("m")
        try story.autoRenew(false)
        try story.advance(to: World.days(30))
        #expect(try story.buy("m").offer == nil)
        try story.autoRenew(false)
        try story.advance(to: World.days(70))
        var order = story.order("m")
        order.offer = .introductory
        #expect(try story.buy(order).transaction.price == Milliunits(0))
    }
}

/// Source: Apple, "Managing Price Increases".
@Suite struct PriceRecipeTests {
    @Test func `a customer who does not answer a price increase loses the subscription, one who agrees pays more`() throws {
        for agrees in [nil, true, false] as [Bool?] {
            var story = try Story()
            try story.buy("pro.monthly")
            story.forget()
            story.told += try story.store.raisePrice(
                of: "pro.monthly", in: story.app, to: Milliunits(29_990), needsConsent: true)
            #expect(try story.renewalMembers()["priceIncreaseStatus"]?.int64 == 0)
            let id = try story.subscription.originalTransactionId
            if let agrees { story.told += try story.store.answerPriceIncrease(agrees, of: id) }
            try story.advance(to: World.days(32))
            switch agrees {
            case nil:
                #expect(story.names == ["PRICE_INCREASE/PENDING", "EXPIRED/PRICE_INCREASE"])
                #expect(try story.renewalMembers()["expirationIntent"]?.int64 == 3)
            case true?:
                #expect(story.names == ["PRICE_INCREASE/PENDING", "PRICE_INCREASE/ACCEPTED", "DID_RENEW"])
                #expect(try story.prices == [19_990, 29_990])
            case false?:
                let off = "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED"
                #expect(story.names == ["PRICE_INCREASE/PENDING", off, "EXPIRED/VOLUNTARY"])
            }
        }
    }

    @Test func `an increase that needs no consent is notified and charged`() throws {
        var story = try Story()
        try story.buy("pro.monthly")
        story.forget()
        story.told += try story.store.raisePrice(of: "pro.monthly", in: story.app, to: Milliunits(21_990), needsConsent: false)
        try story.advance(to: World.days(62))
        #expect(story.names == ["PRICE_INCREASE/ACCEPTED", "DID_RENEW", "DID_RENEW"])
        #expect(try story.prices == [19_990, 21_990, 21_990])
        #expect(throws: StoreRefusal.invalidPrice) {
            try story.store.raisePrice(of: "pro.monthly", in: story.app, to: Milliunits(1), needsConsent: false)
        }
    }

    @Test func `a product that is no longer sold ends at the renewal, and cannot be bought`() throws {
        var story = try Story()
        try story.buy("pro.monthly")
        story.forget()
        try story.store.setForSale(false, "pro.monthly", in: story.app)
        try story.advance(to: World.days(40))
        #expect(story.names == ["EXPIRED/PRODUCT_NOT_FOR_SALE"])
        #expect(try story.renewalMembers()["expirationIntent"]?.int64 == 4)
        #expect(throws: StoreRefusal.productNotForSale) { try story.buy("pro.monthly") }
    }
}

/// Source: Apple, "Managing the life cycle of monthly subscriptions with a 12-month commitment".
@Suite struct CommitmentRecipeTests {
    private static let year = """
        {"productID":"y","displayPrice":"60.00","groupNumber":1,"recurringSubscriptionPeriod":"P1Y","billingPlans":[\
        {"billingPlanType":"BILLED_UPFRONT","displayPrice":"60.00","isEnabled":true},\
        {"billingPlanType":"MONTHLY","displayPrice":"6.00","commitmentDisplayPrice":"72.00","isEnabled":true}]}
        """

    private static func story() throws -> Story {
        var story = try Story(subscriptions: year)
        var order = story.order("y")
        order.plan = .monthly
        try story.buy(order)
        return story
    }

    @Test func `twelve months are charged although auto-renew is off, and then it ends`() throws {
        var story = try Self.story()
        let first = try story.members(of: try story.latest)
        #expect(first["billingPlanType"]?.string == "MONTHLY")
        #expect(first["price"]?.int64 == 6000)
        let commitment = try #require(first["commitmentInfo"]?.object)
        #expect(commitment["billingPeriodNumber"]?.int64 == 1)
        #expect(commitment["totalBillingPeriods"]?.int64 == 12)
        #expect(commitment["commitmentPrice"]?.int64 == 72_000)
        #expect(commitment["commitmentExpiresDate"]?.int64 == (try World.date(2027, 1, 1)).millisecondsSince1970)
        try story.autoRenew(false)
        #expect(story.names.last == "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED")
        let renewal = try story.renewalMembers()
        #expect(renewal["autoRenewStatus"]?.int64 == 1)
        #expect(renewal["commitmentInfo"]?.object?["commitmentAutoRenewStatus"]?.int64 == 0)
        story.forget()
        try story.advance(to: try World.date(2027, 2, 1))
        #expect(story.names == Array(repeating: "DID_RENEW", count: 11) + ["EXPIRED/VOLUNTARY"])
        #expect(try story.prices == Array(repeating: 6000, count: 12))
    }

    @Test func `grace never applies, and a month that is paid late moves the year's end`() throws {
        var story = try Self.story()
        try story.pay(.fails(gracePeriodDays: 16))
        story.forget()
        try story.advance(to: World.days(40))
        #expect(story.names == ["DID_FAIL_TO_RENEW"])
        #expect(try story.subscription.status == 3)
        try story.pay(.succeeds)
        #expect(story.names.last == "DID_RENEW/BILLING_RECOVERY")
        let month = try story.members(of: try story.latest)
        #expect(month["commitmentInfo"]?.object?["billingPeriodNumber"]?.int64 == 2)
        // 10 February and eleven months.
        #expect(
            month["commitmentInfo"]?.object?["commitmentExpiresDate"]?.int64
                == (try World.date(2027, 1, 10)).millisecondsSince1970)
    }

    @Test func `the App Store tries for ninety days`() throws {
        var story = try Self.story()
        try story.pay(.fails(gracePeriodDays: nil))
        story.forget()
        try story.advance(to: World.days(365))
        #expect(story.names == ["DID_FAIL_TO_RENEW", "EXPIRED/BILLING_RETRY"])
        #expect(story.told.last?.signedDate == World.days(31 + 90))
    }

    @Test func `a plan that is not sold is not bought`() throws {
        var story = try Story()
        var order = story.order("plus.yearly")
        order.plan = .monthly
        #expect(throws: StoreRefusal.planNotOffered) { try story.buy(order) }
    }
}
