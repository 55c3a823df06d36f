import Foundation
import Primitives
import StrictJSON
import Testing

@testable import AppStoreModel

/// Payloads that Apple rarely signs, from public reports: tokens, ids and dates that differ from one copy to the next.
@Suite struct RareRecipeTests {
    private static let other = "5b0e6c6e-93a1-4c35-8f1e-0a8f3c1d2e4f"

    /// The members of a notification's renewal info.
    private func renewal(_ told: StoreNotification?, in story: Story) throws -> JSONObject {
        guard case .subscription(let subscription, _, let renewalDate) = try #require(told).subject else {
            throw CancellationError()
        }
        let payload = story.store.payload(of: subscription, renewalDate: renewalDate, signedDate: World.start)
        return try #require(try JSONDocument(payload).root.object)
    }

    // MARK: Tokens

    @Test(arguments: [nil, Self.other])
    func `later copies of a transaction carry another token or none, and earlier copies and renewals keep theirs`(token: String?)
        throws
    {
        var story = try Story()
        let bought = try story.buy("pro.monthly", token: World.token)
        try story.store.setSignedToken(token.flatMap { CompactUUID($0) }, of: bought.transactionId)
        let later = try story.store.transaction(bought.transactionId)
        #expect(try story.members(of: later)["appAccountToken"]?.string == token)
        let told = try #require(story.told.first?.subject.transaction)
        #expect(try story.members(of: told)["appAccountToken"]?.string == World.token)
        try story.advance(to: World.days(32))
        #expect(try story.members(of: try story.latest)["appAccountToken"]?.string == World.token)
    }

    @Test func `a notification from before a change of address is rebuilt with its token`() throws {
        var story = try Story()
        let bought = try story.buy("pro.monthly", token: World.token)
        let told = try #require(story.told.first)
        let before = story.store.payload(of: bought, signedDate: told.signedDate)
        try story.store.changeAddress(of: story.account)
        #expect(story.store.payload(of: bought, signedDate: told.signedDate) == before)
        #expect(try story.members(of: bought)["appAccountToken"] == nil)
    }

    // MARK: Two names of one charge

    @Test func `a period comes back under another id, which renews from then on`() throws {
        var story = try Story()
        let first = try story.buy("pro.monthly", token: World.token)
        story.forget()
        let (other, told) = try story.store.reissue(first.originalTransactionId)
        #expect(told.map(\.event) == [.initialBuy, .autoRenewDisabled])
        let again = try story.store.latestTransaction(of: other)
        #expect(again.originalTransactionId != first.originalTransactionId)
        #expect(again.transactionId == again.originalTransactionId)
        #expect(again.webOrderLineItemId == first.webOrderLineItemId)
        #expect(again.purchaseDate == first.purchaseDate && again.expiresDate == first.expiresDate)
        let number = try story.store.account(story.account).number
        #expect(story.store.subscriptions(of: story.app, for: number).count == 2)
        try story.advance(to: World.days(32))
        #expect(story.names.sorted() == ["DID_RENEW", "EXPIRED/VOLUNTARY"])
        #expect(try story.store.subscription(other.originalTransactionId).status == 1)
        #expect(throws: StoreRefusal.notActive) { try story.store.reissue(first.originalTransactionId) }
    }

    @Test func `notifications have another id of a charge than its histories, always the same one`() throws {
        var story = try Story()
        var form = NotificationForm()
        form.transactionId = .another
        story.store.setNotificationForm(form)
        let bought = try story.buy("pro.monthly")
        story.told += try story.store.requestRefund(bought.transactionId, .other)
        let ids = Set(story.told.compactMap { $0.subject.transaction?.transactionId })
        let other = try #require(ids.first)
        #expect(ids.count == 1 && other != bought.transactionId)
        let notified = try #require(story.told.first?.subject.transaction)
        #expect(notified.webOrderLineItemId == bought.webOrderLineItemId)
        #expect(notified.originalTransactionId == bought.transactionId)
        #expect(try story.store.account(story.account).installations[story.app]?.transactions == [bought.transactionId])
        #expect(try story.store.purchase(other).transactionId == bought.transactionId)
        story.store.setNotificationForm(NotificationForm())
        story.forget()
        story.told += try story.store.decideRefund(bought.transactionId, grants: false)
        #expect(story.told.last?.subject.transaction?.transactionId == bought.transactionId)
    }

    @Test func `the parts of a notification are signed a millisecond apart, and the next one after all of them`() throws {
        var story = try Story()
        try story.buy("pro.monthly")
        var form = NotificationForm()
        form.partsApart = Milliseconds(1)
        story.store.setNotificationForm(form)
        try story.autoRenew(false)
        try story.autoRenew(true)
        let dates = story.told.map { told in
            [told.transactionSignedDate, told.renewalSignedDate, told.signedDate].map { $0.since(World.start).count }
        }
        #expect(dates == [[0, 0, 0], [1, 2, 3], [4, 5, 6]])
    }

    // MARK: Failed renewals

    @Test(arguments: zip(StoreSubscription.GraceEnd.allCases, [(true, true), (false, true), (false, false)]))
    func `the end of a grace period is signed in notifications and statuses as chosen`(
        graceEnd: StoreSubscription.GraceEnd, isSigned: (inNotification: Bool, inStatus: Bool)
    ) throws {
        var story = try Story()
        let id = try story.buy("pro.monthly").originalTransactionId
        _ = try story.store.setPayment(.fails(gracePeriodDays: 16), graceEnd: graceEnd, of: id)
        try story.advance(to: World.days(32))
        #expect(story.names.last == "DID_FAIL_TO_RENEW/GRACE_PERIOD")
        let end = World.days(31 + 16).millisecondsSince1970
        let told = try renewal(story.told.last, in: story)["gracePeriodExpiresDate"]?.int64
        #expect(told == (isSigned.inNotification ? end : nil))
        #expect(try story.renewalMembers()["gracePeriodExpiresDate"]?.int64 == (isSigned.inStatus ? end : nil))
        #expect(try story.renewalMembers()["isInBillingRetryPeriod"]?.bool == true)
    }

    @Test(arguments: [nil, 16] as [Int64?])
    func `a failed renewal is notified again after its recovery, until the next renewal`(graceDays: Int64?) throws {
        var story = try Story()
        let first = try story.buy("pro.monthly")
        let id = first.originalTransactionId
        #expect(throws: StoreRefusal.notRecovered) { try story.store.repeatFailure(of: id) }
        try story.pay(.fails(gracePeriodDays: graceDays))
        try story.advance(to: World.days(35))
        #expect(throws: StoreRefusal.notRecovered) { try story.store.repeatFailure(of: id) }
        try story.pay(.succeeds)
        let recovery = try #require(story.told.last)
        #expect(recovery.event == .billingRecovery)
        story.told += try story.store.repeatFailure(of: id)
        let late = try #require(story.told.last)
        #expect(late.event == (graceDays == nil ? .failedToRenew : .failedToRenewInGracePeriod))
        #expect(late.signedDate > recovery.signedDate)
        #expect(late.subject.transaction?.transactionId == first.transactionId)
        #expect(try renewal(late, in: story)["isInBillingRetryPeriod"]?.bool == true)
        #expect(try story.subscription.status == 1)
        try story.advance(to: World.days(80))
        #expect(throws: StoreRefusal.notRecovered) { try story.store.repeatFailure(of: id) }
    }

    @Test func `a plan is bought as another subscription while one fails, which ends or is charged later`() throws {
        for recovers in [false, true] {
            var story = try Story()
            let old = try story.buy("pro.monthly").originalTransactionId
            try story.pay(.fails(gracePeriodDays: nil))
            try story.advance(to: World.days(35))
            #expect(throws: StoreRefusal.paymentDeclined) { try story.buy("plus.monthly") }
            var order = story.order("plus.monthly")
            order.isBesideFailing = true
            story.forget()
            let bought = try story.buy(order).transaction
            #expect(bought.originalTransactionId == bought.transactionId && bought.originalTransactionId != old)
            #expect(try story.store.subscription(old).status == 3)
            if recovers { story.told += try story.store.setPayment(.succeeds, of: old) }
            try story.advance(to: World.days(31 + 60))
            let ended = story.told.first { $0.event == .expiredInBillingRetry }?.subject.transaction
            #expect(ended?.originalTransactionId == (recovers ? nil : old))
            #expect(story.names.contains("DID_RENEW/BILLING_RECOVERY") == recovers)
            let number = try story.store.account(story.account).number
            let both = story.store.subscriptions(of: story.app, for: number)
            #expect(both.map(\.originalTransactionId) == [old, bought.originalTransactionId])
        }
    }

    @Test func `a downgrade is taken back by buying the running product again, which begins a new period at once`() throws {
        var story = try Story()
        let old = try story.buy("pro.monthly")
        var order = story.order("pro.monthly")
        order.beginsAnew = true
        #expect(throws: StoreRefusal.alreadySubscribed) { try story.buy(order) }
        try story.advance(to: World.days(5))
        _ = try story.buy("plus.monthly")
        try story.advance(to: World.days(10))
        story.forget()
        let bought = try story.buy(order)
        #expect(bought.outcome == .reverted && story.names == ["DID_CHANGE_RENEWAL_PREF"])
        #expect(bought.transaction.transactionId != old.transactionId && bought.transaction.reason == .purchase)
        #expect(bought.transaction.purchaseDate == World.days(10))
        #expect(bought.transaction.originalTransactionId == old.originalTransactionId)
        #expect(try story.subscription.autoRenewProduct == bought.transaction.product)
        try story.advance(to: World.days(32))
        #expect(!story.names.contains("DID_RENEW"), "the month from the first purchase is over and nothing renewed")
    }

    // MARK: Saved states

    @Test func `a state of before has none of it, and one with all of it is read as it was`() throws {
        var story = try Story()
        let bought = try story.buy("pro.monthly", token: World.token)
        let plain = try JSONEncoder().encode(story.store)
        for member in [
            "notificationForm", "notificationIds", "replaced", "recoveredFailure", "graceEnd", "previousOriginalTransactionId",
            "partsApart", "addressChangeSignedAt",
        ] {
            #expect(!String(decoding: plain, as: UTF8.self).contains("\"\(member)\""), "\(member)")
        }
        var form = NotificationForm()
        form.transactionId = .another
        form.partsApart = Milliseconds(1)
        story.store.setNotificationForm(form)
        try story.store.changeAddress(of: story.account)
        let id = try story.store.reissue(bought.originalTransactionId).subscription.originalTransactionId
        _ = try story.store.setPayment(.fails(gracePeriodDays: 16), graceEnd: .unsigned, of: id)
        try story.advance(to: World.days(33))
        _ = try story.store.setPayment(.succeeds, of: id)
        #expect(try story.store.subscription(id).recoveredFailure != nil)
        let read = try JSONDecoder().decode(AppStore.self, from: JSONEncoder().encode(story.store))
        #expect(read == story.store)
        try read.check()
        story.store.notificationForm?.partsApart = Milliseconds(-1)
        #expect(throws: DanglingReference.self) { try story.store.check() }
    }
}
