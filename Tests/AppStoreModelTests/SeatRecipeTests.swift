import Primitives
import StrictJSON
import Testing

@testable import AppStoreModel

/// Seats of groups whose invitations Apple manages, and switches between standalone subscriptions and bundles.
///
/// Source: Apple, App Store Server API 1.22 and 1.23; `previousOriginalTransactionId`.
@Suite struct SeatRecipeTests {
    private static let shelf = """
        {"products":[{"productID":"coins","type":"Consumable","displayPrice":"0.99"}],"subscriptionGroups":[\
        {"id":"a","subscriptions":[\
        {"productID":"alone","displayPrice":"9.99","groupNumber":2,"recurringSubscriptionPeriod":"P1M"},\
        {"productID":"better","displayPrice":"12.99","groupNumber":1,"recurringSubscriptionPeriod":"P1M"},\
        {"productID":"family","displayPrice":"14.99","groupNumber":2,"familyShareable":true,\
        "recurringSubscriptionPeriod":"P1Y"}]},\
        {"id":"b","subscriptions":[\
        {"productID":"bundle","displayPrice":"19.99","groupNumber":1,"recurringSubscriptionPeriod":"P1M"}]}]}
        """

    /// Anna, who buys, and Ben.
    private static func story() throws -> Story {
        var story = try Story(catalogue: try Catalogue(storeKitFile: Array(shelf.utf8)))
        _ = try story.store.openAccount("ben", in: .production)
        return story
    }

    private func assign(_ id: TransactionNumber, to name: AccountID, in story: inout Story) throws -> StoreSubscription {
        let (seat, told) = try story.store.assignSeat(of: id, to: name)
        story.told += told
        return seat
    }

    // MARK: Seats

    @Test func `a seat is a subscription of its holder that follows the purchaser's`() throws {
        var story = try Self.story()
        let bought = try story.buy("alone", token: World.token)
        let seat = try assign(bought.originalTransactionId, to: "ben", in: &story)
        #expect(story.names == ["SUBSCRIBED/INITIAL_BUY", "SUBSCRIBED/INITIAL_BUY"])
        #expect(seat.originalTransactionId != bought.originalTransactionId)
        let members = try story.members(of: try story.store.latestTransaction(of: seat))
        #expect(members["inAppOwnershipType"]?.string == "ASSIGNED")
        #expect(members["originalTransactionId"]?.string == seat.originalTransactionId.rawValue)
        #expect(members["appAccountToken"] == nil)
        #expect(members["price"]?.int64 == 0)
        #expect(members["expiresDate"]?.int64 == bought.expiresDate?.millisecondsSince1970)
        story.forget()
        try story.advance(to: World.days(32))
        #expect(story.names == ["DID_RENEW", "DID_RENEW"])
        story.forget()
        try story.buy("better")
        #expect(story.names == ["DID_CHANGE_RENEWAL_PREF/UPGRADE", "DID_CHANGE_RENEWAL_PREF/UPGRADE"])
        #expect(story.productId(of: try story.store.latestTransaction(of: try story.subscription(of: "ben"))) == "better")
        try story.autoRenew(false)
        story.forget()
        try story.advance(to: World.days(70))
        #expect(story.names == ["EXPIRED/VOLUNTARY", "EXPIRED/VOLUNTARY"])
    }

    @Test func `a seat that is taken back is revoked, the purchaser keeps the subscription, and it may be assigned again`() throws
    {
        var story = try Self.story()
        let id = try story.buy("alone").originalTransactionId
        #expect(throws: StoreRefusal.unknownSeat) { try story.store.revokeSeat(of: id, from: "ben") }
        let seat = try assign(id, to: "ben", in: &story)
        story.forget()
        let (ended, told) = try story.store.revokeSeat(of: id, from: "ben")
        story.told += told
        #expect(story.names == ["REVOKE"])
        #expect(ended.originalTransactionId == seat.originalTransactionId && ended.status == 5)
        let members = try story.members(of: try story.store.latestTransaction(of: ended))
        #expect(members["revocationType"]?.string == "ASSIGNMENT_REVOKE")
        #expect(members["revocationDate"]?.int64 == World.start.millisecondsSince1970)
        #expect(members["revocationPercentage"] == nil)
        #expect(try story.subscription.status == 1)
        #expect(throws: StoreRefusal.unknownSeat) { try story.store.revokeSeat(of: id, from: "ben") }
        story.forget()
        try story.advance(to: World.days(32))
        #expect(story.names == ["DID_RENEW"])
        story.forget()
        let again = try assign(id, to: "ben", in: &story)
        #expect(story.names == ["SUBSCRIBED/RESUBSCRIBE"])
        #expect(again.originalTransactionId == seat.originalTransactionId && again.status == 1)
    }

    @Test func `a seat is refused to the purchaser, to who has one, in another environment and after the end`() throws {
        var story = try Self.story()
        let id = try story.buy("alone").originalTransactionId
        _ = try story.store.openAccount("tester", in: .sandbox)
        #expect(throws: StoreRefusal.alreadySubscribed) { try story.store.assignSeat(of: id, to: story.account) }
        #expect(throws: StoreRefusal.unknownEnvironment) { try story.store.assignSeat(of: id, to: "tester") }
        #expect(throws: StoreRefusal.unknownAccount) { try story.store.assignSeat(of: id, to: "otto") }
        let seat = try assign(id, to: "ben", in: &story).originalTransactionId
        #expect(throws: StoreRefusal.seatAssigned) { try story.store.assignSeat(of: id, to: "ben") }
        #expect(throws: StoreRefusal.familyShared) { try story.store.assignSeat(of: seat, to: story.account) }
        #expect(throws: StoreRefusal.familyShared) { try story.store.refund(seat, RefundOrder()) }
        story.forget()
        try story.refund(id)
        #expect(story.names == ["REFUND", "REVOKE"])
        #expect(try story.store.subscription(seat).status == 5)
        #expect(throws: StoreRefusal.notActive) { try story.store.assignSeat(of: id, to: "ben") }
    }

    @Test func `a family shares its purchases beside seats, and leaving it takes no seat`() throws {
        var story = try Self.story()
        _ = try story.store.openFamily("home", organizer: story.account)
        let id = try story.buy("family").originalTransactionId
        let seat = try assign(id, to: "ben", in: &story).originalTransactionId
        #expect(try story.store.join("home", "ben").isEmpty)
        #expect(try story.store.leaveFamily("ben").isEmpty)
        #expect(try story.store.subscription(seat).status == 1)
        _ = try story.store.openAccount("cleo", in: .production)
        #expect(try story.store.join("home", "cleo").map(\.event) == [.initialBuy])
        #expect(throws: StoreRefusal.seatAssigned) { try story.store.assignSeat(of: id, to: "cleo") }
        #expect(throws: StoreRefusal.unknownSeat) { try story.store.revokeSeat(of: id, from: "cleo") }
    }

    // MARK: Switches

    @Test func `a switch into a bundle and back gives new subscriptions that name the ones they replace`() throws {
        var story = try Self.story()
        var old = try story.buy("alone", token: World.token)
        for (day, product) in [(10, "bundle"), (20, "alone")] as [(Int64, StoreProductID)] {
            try story.advance(to: World.days(day))
            story.forget()
            let purchase = try story.store.switchSubscription(old.originalTransactionId, to: product)
            story.told += purchase.notifications
            #expect(purchase.outcome == .switched)
            #expect(story.names == ["SUBSCRIBED/INITIAL_BUY", "REVOKE"])
            let new = purchase.transaction
            #expect(new.originalTransactionId == new.transactionId)
            let members = try story.members(of: new)
            #expect(members["previousOriginalTransactionId"]?.string == old.originalTransactionId.rawValue)
            #expect(members["productId"]?.string == product.rawValue)
            #expect(members["appAccountToken"]?.string == World.token)
            let ended = try story.members(of: try story.store.transaction(old.transactionId))
            #expect(ended["revocationDate"]?.int64 == World.days(day).millisecondsSince1970)
            #expect(ended["revocationType"] == nil && ended["revocationReason"] == nil)
            #expect(try story.store.subscription(old.originalTransactionId).status == 5)
            old = new
        }
        let number = try story.store.account(story.account).number
        #expect(story.store.subscriptions(of: story.app, for: number).map(\.status) == [5, 5, 1])
        story.forget()
        try story.advance(to: World.days(60))
        #expect(story.names == ["DID_RENEW"])
        let renewed = try story.store.latestTransaction(of: try story.store.subscription(old.originalTransactionId))
        #expect(renewed.transactionId != old.transactionId)
        let name = "previousOriginalTransactionId"
        #expect(try story.members(of: renewed)[name]?.string == story.members(of: old)[name]?.string)
    }

    @Test func `a switch is refused inside a group, to what is sold once or not at all, and after the end`() throws {
        var story = try Self.story()
        let id = try story.buy("alone").originalTransactionId
        #expect(throws: StoreRefusal.invalidSwitch) { try story.store.switchSubscription(id, to: "better") }
        #expect(throws: StoreRefusal.invalidSwitch) { try story.store.switchSubscription(id, to: "coins") }
        #expect(throws: StoreRefusal.unknownProduct) { try story.store.switchSubscription(id, to: "gold") }
        try story.store.setForSale(false, "bundle", in: story.app)
        #expect(throws: StoreRefusal.productNotForSale) { try story.store.switchSubscription(id, to: "bundle") }
        try story.store.setForSale(true, "bundle", in: story.app)
        _ = try story.store.setPayment(.fails, of: story.account)
        #expect(throws: StoreRefusal.paymentDeclined) { try story.store.switchSubscription(id, to: "bundle") }
        _ = try story.store.setPayment(.succeeds, of: story.account)
        let bundle = try story.buy("bundle").originalTransactionId
        #expect(throws: StoreRefusal.alreadySubscribed) { try story.store.switchSubscription(id, to: "bundle") }
        try story.refund(bundle)
        #expect(throws: StoreRefusal.notActive) { try story.store.switchSubscription(bundle, to: "alone") }
        #expect(try story.store.switchSubscription(id, to: "bundle").transaction.originalTransactionId != bundle)
    }
}
