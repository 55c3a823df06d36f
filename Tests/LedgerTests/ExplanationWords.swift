import Ledger
import Primitives
import Testing

/// OWN-15: sentences that no story of docs/explanations.md shows; the texts here are written by hand.
@Suite struct ExplanationWords {
    private let january = transaction("1", from: day(2026, 1, 1), to: day(2026, 2, 1))

    private func book(_ policy: AppPolicy = AppPolicy(), by customer: CustomerID = alice) -> Book {
        var book = Book(policy)
        book.tell(january)
        _ = book.hear(claim(customer, .purchase, january, at: day(2026, 1, 1) + .seconds(5)))
        return book
    }

    private func said(_ book: Book, at instant: Timestamp, products: EntitlementMap? = nil) -> String {
        Explanation(
            of: book.history, book.state, at: instant, policies: PolicyTimeline(book.policy), products: products
        ).english.joined(separator: "\n")
    }

    private func notice(_ type: String, _ subtype: String? = nil, at instant: Timestamp) -> LedgerInput {
        .fact(
            .notice(
                NoticeFact(notificationUUID: "\(type)\(instant)", notificationType: type, subtype: subtype, signedDate: instant),
                about: key.originalTransactionId))
    }

    // MARK: Who

    /// A restore of what an anonymous customer bought, and which customer they turn out to be.
    @Test func `OWN-15 a restore that makes two customers one is not a log-in`() {
        var book = Book(AppPolicy { $0.mergeOnClaim = true })
        book.tell(january)
        let bought = Claim(
            id: .init("c"), customer: Claimant(CustomerID("anon-1"), isAnonymous: true), kind: .purchase, transaction: january,
            productId: plus, claimedAt: day(2026, 1, 1) + .seconds(5))
        _ = book.hear(bought)
        _ = book.hear(claim(bob, .restore, january, at: day(2026, 1, 5)))
        let words = said(book, at: day(2026, 1, 6))
        #expect(
            words.contains(
                "On 5 January 2026, 00:00 UTC, bob restored what the anonymous customer anon-1 owned. By the app's policy that "
                    + "makes both one customer. What belonged to anon-1 counts as bob's, from the beginning (OWN-10)."))
        #expect(!words.contains("became known as"))
    }

    @Test func `OWN-15 a token is explained with the reason why it identifies a customer, or why it does not`() throws {
        let (token, other) = (try #require(aliceToken), try #require(bobToken))
        func telling(_ bears: AppAccountToken, _ registrations: TokenRegistration...) -> String {
            var book = Book()
            for registration in registrations { book.tell(.registration(registration)) }
            book.tell(transaction("1", from: day(2026, 1, 1), to: day(2026, 2, 1)) { $0.appAccountToken = bears })
            return said(book, at: day(2026, 1, 20))
        }
        let late = day(2026, 1, 10)
        let minted = TokenRegistration(token: token, customer: alice, registeredAt: late, isVouched: true)
        let bobs = TokenRegistration(token: token, customer: bob, registeredAt: late - .days(2))
        let vouched = telling(token, minted, bobs)
        #expect(vouched.contains("the account token that was made for alice, as the app's backend or an import says (OWN-2)"))
        #expect(vouched.contains("was registered for bob. That has no effect, because it was made for alice (OWN-2)"))
        let own = CustomerID(other.rawValue)
        let ownId = TokenRegistration(token: other, customer: own, registeredAt: late, isVouched: true)
        #expect(telling(other, ownId).contains("the account token that is \(own)'s own id (OWN-2)"))
        let seen = TokenRegistration(token: token, customer: bob, registeredAt: day(2025, 12, 1), wasBorneBefore: true)
        #expect(telling(token, seen).contains("because it had been used for another purchase before, so that anybody could"))
    }

    @Test func `OWN-15 without an owner while the only claim is pending, and which limit makes it pend`() {
        var limited = Book(AppPolicy { ($0.restoreLimit, $0.customersPerAppleAccount) = (nil, 0) })
        limited.tell(january)
        _ = limited.hear(claim(alice, .restore, january, at: day(2026, 1, 5)))
        let words = said(limited, at: day(2026, 1, 6))
        #expect(words.contains("the subscription has had no owner, because a claim to it is pending (OWN-1)."), "\(words)")
        #expect(words.contains("because the app's policy lets an Apple Account serve 0 customers"), "\(words)")
    }

    // MARK: Refused, and why

    @Test(
        arguments: [
            (AppPolicy(onRestore: .keep), "it belonged to alice, and the app's policy did not let a restore move it"),
            (
                AppPolicy(onRestore: .transferIfInactive),
                "and the app's policy lets a restore move it only when it is over and Apple no longer tries to charge"
            ),
        ])
    func `OWN-15 a refused restore is explained with the choice that refused it`(_ policy: AppPolicy, _ words: String) {
        var book = book(policy)
        _ = book.hear(claim(bob, .restore, january, at: day(2026, 1, 5)))
        #expect(said(book, at: day(2026, 1, 6)).contains("bob asked to restore the subscription. This was refused: "))
        #expect(said(book, at: day(2026, 1, 6)).contains(words))
    }

    @Test func `OWN-15 a restore that a token locks, and a purchase where only tokens count, are explained`() throws {
        let token = try #require(aliceToken)
        var locked = Book(AppPolicy { ($0.onRestore, $0.tokenLocks) = (.transfer, true) })
        locked.tell(.registration(registered(token, alice)))
        locked.tell(transaction("1", from: day(2026, 1, 1), to: day(2026, 2, 1)) { $0.appAccountToken = token })
        _ = locked.hear(claim(bob, .restore, january, at: day(2026, 1, 5)))
        #expect(said(locked, at: day(2026, 1, 6)).contains("and the app's policy protects what was bought with one (OWN-2)"))

        var only = book(AppPolicy { $0.purchaseEvidence = .tokenOnly })
        let upgrade = transaction("2", pro, from: day(2026, 1, 9), to: day(2026, 2, 9))
        only.tell(upgrade)
        _ = only.hear(claim(bob, .purchase, upgrade, at: day(2026, 1, 9) + .seconds(5)))
        #expect(said(only, at: day(2026, 1, 10)).contains("under the app's policy only account tokens show who bought"))
    }

    @Test func `OWN-15 a claim approved later is explained as waiting until then, and so is an approval without effect`() {
        var book = book(AppPolicy(onRestore: .ask))
        let restore = claim(bob, .restore, january, at: day(2026, 1, 5))
        _ = book.hear(restore)
        for (id, at) in [("v1", day(2026, 1, 7)), ("v2", day(2026, 1, 9))] {
            book.tell(
                .vote(
                    OwnershipVote(
                        id: .init(id), kind: .approve(restore.id), actor: .operatorOfTenure("op"), votedAt: at, reason: "")))
        }
        #expect(
            said(book, at: day(2026, 1, 6)).contains(
                "bob asked to restore the subscription. This is pending a decision, which the app's policy requires for restores")
        )
        let after = said(book, at: day(2026, 1, 10))
        #expect(after.contains("to bob, because an operator approved bob's restore (OWN-9)"))
        #expect(after.contains("On 9 January 2026, 00:00 UTC, bob's restore was approved. That changed nothing (OWN-9)."))
    }

    // MARK: Apple's words

    @Test func `OWN-15 the end of Family Sharing without a type is not a refund, nor is the end of a seat`() {
        func revoked(_ type: String?, _ ownership: String) -> String {
            var book = Book()
            book.tell(
                transaction("1", from: day(2026, 1, 1), to: day(2026, 2, 1)) {
                    $0.details.inAppOwnershipType = ownership
                    $0.revocation = Revocation(
                        revocationDate: day(2026, 1, 9), revocationType: type, revocationReason: nil)
                })
            return said(book, at: day(2026, 1, 10))
        }
        let family = revoked(nil, "FAMILY_SHARED")
        #expect(family.contains("Family Sharing of plus.monthly stopped. ") && !family.contains("refunded"))
        let group = revoked("ASSIGNMENT_REVOKE", "ASSIGNED")
        #expect(group.contains("the seat in a group purchase that gave plus.monthly was taken back. "))
        #expect(!group.contains("refunded"))
        #expect(revoked(nil, "PURCHASED").contains("Apple refunded plus.monthly. "))
    }

    @Test func `OWN-15 a replacement by an unknown product is not explained as an end without news`() {
        var book = Book()
        book.tell(
            transaction("1", from: day(2026, 1, 1), to: day(2026, 2, 1)) {
                ($0.isUpgraded, $0.signedDate) = (true, day(2026, 1, 10))
            })
        let words = said(book, at: day(2026, 3, 1))
        #expect(words.contains("Apple says that another product replaced it, and has not shown which (PER-2)."), "\(words)")
        #expect(!words.contains("has not said that it renewed"))
    }

    @Test func `OWN-15 a higher price is explained once, however often Apple repeats it, and as requested only if it was`() {
        var book = book()
        for (signed, status) in [(10, nil), (12, 1), (14, 1)] as [(Int64, Int64?)] {
            book.tell(renewalInfo(signed: day(2026, 1, signed)) { $0.priceIncreaseStatus = status })
        }
        book.tell(renewal("2", from: day(2026, 2, 1), to: day(2026, 3, 1)))
        book.tell(renewalInfo(signed: day(2026, 2, 2)) { $0.priceIncreaseStatus = 1 })
        let words = said(book, at: day(2026, 2, 10))
        #expect(words.contains("the customer agreed to a higher price, or was informed of it and did not have to agree (PER-2)."))
        #expect(words.split(separator: "higher price").count == 2, "\(words)")
    }

    @Test func `OWN-15 under a commitment renewal off and on again are both explained`() {
        var book = Book()
        book.tell(
            transaction("1", from: day(2026, 1, 1), to: day(2026, 2, 1)) {
                $0.details.billingPlanType = "MONTHLY"
                $0.details.commitmentExpiresDate = day(2027, 1, 1)
            })
        book.tell(notice("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", at: day(2026, 1, 5)))
        book.tell(notice("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED", at: day(2026, 1, 7)))
        let words = said(book, at: day(2026, 1, 10))
        #expect(words.contains("auto-renew was turned off. Under the commitment the monthly charges continue"), "\(words)")
        let again = "auto-renew was turned on again: the subscription continues after the commitment (PER-10)."
        #expect(words.contains("On 7 January 2026, 00:00 UTC, " + again), "\(words)")
    }

    // MARK: What comes next

    @Test func `OWN-15 an early charge is explained with its future owner`() {
        var book = book()
        let word = renewalInfo(signed: day(2026, 1, 20)) { ($0.productId, $0.autoRenewProductId) = (plus, pro) }
        book.tell(word)
        _ = book.hear(claim(bob, .purchase, january, naming: pro, at: day(2026, 1, 20) + .minutes(2)))
        book.tell(
            renewal("2", pro, from: day(2026, 2, 1), to: day(2026, 3, 1)) { $0.signedDate = day(2026, 1, 31) + .hours(6) })
        #expect(
            said(book, at: day(2026, 1, 31) + .hours(12)).contains(
                "It has renewed already: the next period, of pro.monthly, begins on 1 February 2026, 00:00 UTC. From then on it "
                    + "belongs to bob, who asked for the change"))
    }

    @Test func `OWN-15 a pass is explained with its configured end, later as over, and without one as giving nothing`() {
        let pass = ProductID("pass")
        var book = Book()
        book.tell(transaction("1", pass, from: day(2026, 1, 1), to: nil) { $0.type = .nonRenewingSubscription })
        let products = EntitlementMap(entries: [], durations: [pass: .days(30)])
        #expect(said(book, at: day(2026, 1, 30), products: products).contains("it lasts until 31 January 2026, 00:00 UTC"))
        #expect(said(book, at: day(2026, 2, 1), products: products).contains("is not active: the duration that the app's"))
        #expect(said(book, at: day(2026, 1, 2)).contains("gives no access: the app's configuration sets no duration"))
    }

    @Test func `OWN-15 a charge of two subscriptions, and a key of two charges, are said`() {
        let earlier = day(2025, 12, 31)
        let other = transaction("2000", from: day(2026, 1, 1), to: day(2026, 2, 1)) {
            $0.originalTransactionId = OriginalTransactionID("2000")
            $0.webOrderLineItemId = "91"
            $0.signedDate = earlier
        }
        var elsewhere = book()
        elsewhere.tell(.chargeElsewhere(ChargeElsewhere(other, signedFirst: earlier)))
        #expect(
            said(elsewhere, at: day(2026, 1, 10)).contains(
                "On 1 January 2026, 00:00 UTC, plus.monthly was charged, and the same charge was signed first under the "
                    + "subscription 2000. It gives access there and none here (PER-1)."))
        var twice = book()
        twice.tell(renewal("2", from: day(2026, 3, 1), to: day(2026, 4, 1)) { $0.webOrderLineItemId = "91" })
        #expect(
            said(twice, at: day(2026, 3, 10)).contains(
                "On 1 March 2026, 00:00 UTC, plus.monthly was charged with the webOrderLineItemId 91, which an earlier period "
                    + "has, too. Their dates do not overlap, so that they are two charges (PER-1)."))
    }

    @Test func `OWN-15 a purchase in the Sandbox is explained as unpaid`() {
        let sandbox = SubscriptionKey(
            app: key.app, environment: .sandbox, originalTransactionId: key.originalTransactionId)
        var book = Book(key: sandbox)
        book.tell(january)
        #expect(said(book, at: day(2026, 1, 2)).hasSuffix("in Apple's Sandbox, for tests: nothing was paid (FACT-4)."))
        #expect(!said(self.book(), at: day(2026, 1, 2)).contains("Sandbox"))
    }
}

extension AppPolicy {
    fileprivate init(_ change: (inout AppPolicy) -> Void) {
        self.init()
        change(&self)
    }
}
