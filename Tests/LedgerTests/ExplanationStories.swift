import Ledger
import Primitives
import Testing

/// The lives behind docs/explanations.md, by the number of the story there.
struct ExplanationStory: Sendable, CustomTestStringConvertible {
    let number: Int
    /// What was known for each text of the story, and the instant that it explains.
    let tellings: [Told]

    var testDescription: String { "story \(number)" }

    struct Told: Sendable {
        let book: StoryBook
        let at: Timestamp
        private static let products = EntitlementMap(entries: [], durations: [ProductID("pass.30days"): .days(30)])

        var lines: [String] {
            let state = SubscriptionState(folding: book.history, under: book.policies)
            return Explanation(of: book.history, state, at: at, policies: book.policies, products: Self.products).english
        }
    }

    init(_ number: Int, _ tellings: (StoryBook, Timestamp)...) {
        self.number = number
        self.tellings = tellings.map { Told(book: $0.0, at: $0.1) }
    }

    /// The page's order.
    static var all: [ExplanationStory] { purchases + changes + ends + refunds + owners + restores + others }
}

/// A ledger under the versions of a policy.
struct StoryBook: Sendable {
    private(set) var history: SubscriptionHistory
    let policies: PolicyTimeline

    init(_ inputs: LedgerInput..., under policies: PolicyTimeline = PolicyTimeline(AppPolicy())) {
        history = SubscriptionHistory(key: key)
        self.policies = policies
        for input in inputs { tell(input) }
    }

    mutating func tell(_ input: LedgerInput) {
        history = Decision(on: [input], history: history, policies: policies, learnedAt: day(2026, 12, 31)).history
    }

    func with(_ inputs: LedgerInput...) -> StoryBook {
        var book = self
        for input in inputs { book.tell(input) }
        return book
    }
}

/// Noon of a day of 2026.
private func noon(_ month: Int64, _ dayOfMonth: Int64) -> Timestamp { day(2026, month, dayOfMonth) + .hours(12) }

private func fact(_ transaction: TransactionFact) -> LedgerInput { .fact(.transaction(transaction)) }

private func word(_ info: RenewalFact) -> LedgerInput { .fact(.renewal(info)) }

private func word(_ at: Timestamp, renews: Bool = true, into product: ProductID? = nil) -> LedgerInput {
    word(renewalInfo(signed: at, renews: renews) { $0.autoRenewProductId = product })
}

private func notice(_ type: String, _ subtype: String? = nil, at: Timestamp, reason: String? = nil) -> LedgerInput {
    var notice = NoticeFact(notificationUUID: "\(type) \(at)", notificationType: type, subtype: subtype, signedDate: at)
    notice.transactionId = TransactionID("1")
    notice.consumptionRequestReason = reason
    return .fact(.notice(notice, about: key.originalTransactionId))
}

/// A price, in thousandths of a euro.
private func costs(
    _ price: Int64, _ change: @escaping (inout TransactionFact) -> Void = { _ in }
) -> (inout TransactionFact) -> Void {
    {
        $0.details.price = Milliunits(price)
        $0.details.currency = "EUR"
        change(&$0)
    }
}

private func offer(_ type: Int64, _ id: String?, _ discount: String, _ period: String?) -> (inout TransactionFact) -> Void {
    {
        $0.details.offerType = type
        $0.details.offerIdentifier = id
        $0.details.offerDiscountType = discount
        $0.details.offerPeriod = period
    }
}

private func uploads(
    _ customer: CustomerID, _ transaction: TransactionFact, after wait: Milliseconds = .seconds(5),
    _ kind: Claim.Kind = .purchase
) -> LedgerInput {
    .claim(claim(customer, kind, transaction, at: transaction.purchaseDate + wait))
}

/// January of plus.monthly.
private let january = transaction("1", from: noon(1, 1), to: noon(2, 1), costs(9990))
/// The same, owned by Alice.
private let alices = StoryBook(fact(january), uploads(alice, january))
private let february = renewal("2", from: noon(2, 1), to: noon(3, 1), costs(9990))

extension ExplanationStory {
    fileprivate static var purchases: [ExplanationStory] {
        let week = transaction(
            "1", from: day(2026, 3, 1) + .hours(9), to: day(2026, 3, 8) + .hours(9), costs(0, offer(1, nil, "FREE_TRIAL", "P1W")))
        let trial = StoryBook(
            fact(week), uploads(alice, week, after: .seconds(8)),
            fact(renewal("2", from: day(2026, 3, 8) + .hours(9), to: day(2026, 4, 8) + .hours(9), costs(9990))),
            word(day(2026, 3, 8) + .hours(9)))
        let cheap = offer(1, nil, "PAY_AS_YOU_GO", "P1M")
        let march = transaction("1", from: noon(3, 1), to: noon(4, 1), costs(990, cheap))
        let introductory = StoryBook(
            fact(march), uploads(alice, march), fact(renewal("2", from: noon(4, 1), to: noon(5, 1), costs(990, cheap))),
            fact(renewal("3", from: noon(5, 1), to: noon(6, 1), costs(9990))),
            fact(renewal("4", from: noon(6, 1), to: noon(7, 1), costs(9990))),
            fact(renewal("5", from: noon(7, 1), to: noon(8, 1), costs(9990))), word(noon(7, 1)))
        let accepted = renewalInfo(signed: noon(1, 20)) {
            ($0.offerType, $0.offerIdentifier, $0.offerDiscountType) = (2, "loyal", "PAY_AS_YOU_GO")
        }
        let promotional = alices.with(
            word(accepted),
            fact(renewal("2", from: noon(2, 1), to: noon(3, 1), costs(4990, offer(2, "loyal", "PAY_AS_YOU_GO", "P1M")))))
        let free = transaction("1", from: noon(1, 1), to: noon(2, 1), costs(0, offer(3, "newyear", "FREE_TRIAL", "P1M")))
        var expired = renewalInfo(signed: noon(2, 1), renews: false)
        expired.expirationIntent = 1
        let back = transaction("2", from: noon(5, 1), to: noon(8, 1), costs(14_990, offer(4, "comeback", "PAY_UP_FRONT", "P3M")))
        let codes = StoryBook(
            fact(free), uploads(alice, free), word(noon(1, 15), renews: false), word(expired), fact(back), uploads(alice, back))
        return [
            ExplanationStory(1, (trial, noon(3, 20))), ExplanationStory(2, (introductory, noon(7, 10))),
            ExplanationStory(3, (promotional, noon(2, 10))), ExplanationStory(4, (codes, noon(5, 10))),
        ]
    }

    // MARK: Changes of product

    /// January of plus.monthly after an upgrade at the instant.
    private static func replaced(at instant: Timestamp) -> TransactionFact {
        var fact = january
        (fact.isUpgraded, fact.signedDate) = (true, instant)
        return fact
    }

    fileprivate static var changes: [ExplanationStory] {
        let upgrade = transaction("2", pro, from: noon(1, 11), to: noon(2, 11), costs(19_990))
        let upgraded = alices.with(
            .claim(claim(bob, .restore, january, at: noon(1, 5))), fact(upgrade), fact(replaced(at: noon(1, 11))),
            uploads(bob, upgrade, after: .seconds(8)), word(noon(1, 11)))
        let expensive = transaction("1", pro, from: noon(3, 15), to: noon(4, 15), costs(19_990))
        func asked(_ at: Timestamp) -> StoryBook {
            StoryBook(
                fact(expensive), uploads(bob, expensive), word(at, into: plus),
                .claim(claim(alice, .purchase, expensive, naming: plus, at: at + .minutes(2))))
        }
        let downgraded = asked(noon(4, 1))
        let done = downgraded.with(fact(renewal("2", plus, from: noon(4, 15), to: noon(5, 15), costs(9990))))
        let withdrawn = asked(noon(3, 20)).with(
            word(noon(3, 25), into: pro), word(noon(4, 1), renews: false, into: pro), word(noon(4, 3), into: pro))
        let (morning, afternoon) = (day(2026, 1, 1) + .hours(9), day(2026, 1, 1) + .hours(15))
        let (vipA, vipB) = (ProductID("vip.a"), ProductID("vip.b"))
        let first = transaction("1", vipA, from: morning, to: day(2026, 2, 1) + .hours(9), costs(9990))
        let second = transaction("2", vipB, from: afternoon, to: day(2026, 2, 1) + .hours(15), costs(9990))
        let crossed = StoryBook(
            fact(first), uploads(alice, first), fact(second), uploads(alice, second), word(afternoon, into: vipB))
        return [
            ExplanationStory(5, (upgraded, noon(1, 20))),
            ExplanationStory(6, (downgraded, noon(4, 10)), (done, noon(4, 20))),
            ExplanationStory(7, (withdrawn, noon(4, 10))), ExplanationStory(8, (crossed, noon(1, 10))),
        ]
    }

    // MARK: Ends

    fileprivate static var ends: [ExplanationStory] {
        let failed = renewalInfo(signed: noon(2, 1) + .minutes(1)) {
            ($0.isInBillingRetryPeriod, $0.gracePeriodExpiresDate) = (true, noon(2, 17))
        }
        let failing = alices.with(word(failed))
        var charged = february
        charged.signedDate = noon(2, 5)
        let recovered = failing.with(fact(charged), word(noon(2, 5)))
        let retrying = failing.with(word(renewalInfo(signed: noon(2, 17)) { $0.isInBillingRetryPeriod = true }))
        let over = retrying.with(word(renewalInfo(signed: noon(4, 2), renews: false) { $0.expirationIntent = 2 }))
        let off = alices.with(word(noon(1, 10), renews: false))
        let ended = off.with(word(renewalInfo(signed: noon(2, 1) + .minutes(2), renews: false) { $0.expirationIntent = 1 }))
        let asked = FailedQuestion(askedAt: noon(2, 1) + .minutes(30), reason: "21199")
        let silent = alices.with(word(noon(1, 1)), .fact(.failedQuestion(asked, about: key.originalTransactionId)))
        return [
            ExplanationStory(9, (failing, noon(2, 3)), (recovered, noon(2, 10))),
            ExplanationStory(10, (retrying, noon(3, 1)), (over, noon(4, 10))),
            ExplanationStory(11, (off, noon(1, 20)), (ended, noon(2, 10))),
            ExplanationStory(12, (silent, noon(2, 1) + .minutes(40)), (silent, noon(2, 3))),
        ]
    }

    // MARK: Refunds and prices

    private static func revoked(_ transaction: TransactionFact, _ revocation: Revocation) -> LedgerInput {
        var revoked = transaction
        (revoked.revocation, revoked.signedDate) = (revocation, revocation.revocationDate)
        return fact(revoked)
    }

    fileprivate static var refunds: [ExplanationStory] {
        let refunded = alices.with(
            notice("CONSUMPTION_REQUEST", at: noon(1, 10), reason: "UNINTENDED_PURCHASE"),
            revoked(january, Revocation(revocationDate: noon(1, 12), revocationType: "REFUND_FULL", revocationReason: 0)),
            notice("REFUND", at: noon(1, 12) + .minutes(1)))
        var restored = january
        restored.signedDate = noon(1, 18)
        let reversed = refunded.with(fact(restored), notice("REFUND_REVERSED", at: noon(1, 18)))
        let partial = alices.with(
            revoked(
                january,
                Revocation(
                    revocationDate: noon(1, 12), revocationType: "REFUND_PRORATED", revocationReason: 1,
                    revocationPercentage: 40_000)))
        let shared = transaction("1", from: noon(1, 1), to: noon(2, 1)) { $0.details.inAppOwnershipType = "FAMILY_SHARED" }
        let stopped = StoryBook(
            fact(shared), uploads(alice, shared, after: .minutes(1), .queue),
            revoked(shared, Revocation(revocationDate: noon(1, 20), revocationType: "FAMILY_REVOKE")))
        let pending = alices.with(
            word(renewalInfo(signed: noon(1, 10)) { $0.priceIncreaseStatus = 0 }),
            notice("PRICE_INCREASE", "PENDING", at: noon(1, 10)))
        let declined = pending.with(word(renewalInfo(signed: noon(2, 1), renews: false) { $0.expirationIntent = 3 }))
        let accepted = pending.with(
            word(renewalInfo(signed: noon(1, 14)) { $0.priceIncreaseStatus = 1 }),
            fact(renewal("2", from: noon(2, 1), to: noon(3, 1), costs(12_990))), word(noon(2, 1)))
        return [
            ExplanationStory(13, (refunded, noon(1, 13)), (reversed, noon(1, 20))), ExplanationStory(14, (partial, noon(1, 20))),
            ExplanationStory(15, (stopped, noon(1, 25))),
            ExplanationStory(16, (pending, noon(1, 20)), (declined, noon(2, 10))), ExplanationStory(17, (accepted, noon(2, 10))),
        ]
    }

    // MARK: Owners

    fileprivate static var owners: [ExplanationStory] {
        let guest = CustomerID("anon-1")
        let bought = Claim(
            id: .init("guest's"), customer: Claimant(guest, isAnonymous: true), kind: .purchase, transaction: january,
            productId: plus, claimedAt: noon(1, 1) + .seconds(5))
        let anonymous = StoryBook(fact(january), .claim(bought))
        let merged = anonymous.with(.merge(CustomerMerge(anonymous: guest, identified: alice, mergedAt: noon(1, 3))))
        let restored = anonymous.with(.claim(claim(bob, .restore, january, at: noon(1, 5))))
        return [ExplanationStory(18, (merged, noon(1, 10))), ExplanationStory(19, (restored, noon(1, 10)))]
    }

    fileprivate static var restores: [ExplanationStory] {
        var open = AppPolicy(version: 2, onRestore: .transfer)
        open.restoreLimit = 1
        let policies = PolicyTimeline(AppPolicy(), then: [.init(validFrom: noon(1, 10), policy: open)])
        var book = StoryBook(fact(january), uploads(alice, january), under: policies)
        for at in [noon(1, 5), noon(1, 6), noon(1, 7), noon(1, 12)] { book.tell(.claim(claim(bob, .restore, january, at: at))) }
        book.tell(.claim(claim(carol, .restore, january, at: noon(1, 14))))
        let contested = StoryBook(
            fact(january), uploads(alice, january, after: .hours(1), .queue), uploads(bob, january, after: .hours(2)))
        return [ExplanationStory(20, (book, noon(1, 20))), ExplanationStory(21, (contested, noon(1, 10)))]
    }

    // MARK: Tokens, reservations, one-time purchases

    private static var tokens: StoryBook {
        var (bearing, upgrade) = (january, transaction("2", pro, from: noon(1, 11), to: noon(2, 11), costs(19_990)))
        (bearing.appAccountToken, upgrade.appAccountToken) = (aliceToken, bobToken)
        var book = StoryBook(fact(bearing), fact(upgrade))
        let said = [
            (aliceToken, alice, noon(1, 1) - .days(9)), (aliceToken, bob, noon(1, 5)), (bobToken, carol, noon(1, 12)),
        ]
        for case (let token?, let customer, let at) in said {
            book.tell(.registration(registered(token, customer, at: at)))
        }
        return book
    }

    private static var setLater: StoryBook {
        var (bearing, silent, set) = (january, january, january)
        (bearing.appAccountToken, set.appAccountToken) = (aliceToken, bobToken)
        (silent.signedDate, set.signedDate) = (noon(1, 8), noon(1, 12))
        var book = StoryBook(fact(bearing), fact(silent), fact(set))
        for case (let token?, let customer) in [(aliceToken, alice), (bobToken, bob)] {
            book.tell(.registration(registered(token, customer, at: noon(1, 1) - .days(9))))
        }
        return book
    }

    /// The card fails, and Apple signs a grace period without its end.
    private static var undated: StoryBook {
        var grace = NoticeFact(
            notificationUUID: "g", notificationType: "DID_FAIL_TO_RENEW", subtype: "GRACE_PERIOD", status: 4,
            signedDate: noon(2, 1) + .minutes(1))
        grace.transactionId = TransactionID("1")
        return alices.with(
            word(renewalInfo(signed: noon(2, 1) + .minutes(1)) { $0.isInBillingRetryPeriod = true }),
            .fact(.notice(grace, about: key.originalTransactionId)))
    }

    private static var reserved: StoryBook {
        let vote = OwnershipVote(
            id: .init("v"), kind: .transfer(to: bob), actor: .operatorOfTenure("op"), votedAt: noon(1, 15),
            reason: "bob sent Apple's invoice")
        let surfaced = Claim(
            id: .init("bob/queue/1/\(noon(1, 4).millisecondsSince1970)"), customer: Claimant(bob, keepsIntents: true),
            kind: .queue, transaction: january, productId: plus, claimedAt: noon(1, 4))
        return StoryBook(
            .reservation(Reservation(id: .init("import"), customer: alice, reservedAt: day(2025, 12, 30) + .hours(12))),
            .intent(PurchaseIntent(id: .init("i"), customer: bob, productId: plus, madeAt: day(2025, 12, 31) + .hours(12))),
            fact(january), .claim(surfaced), .vote(vote))
    }

    private static func once(_ product: String, _ type: ProductKind, _ price: Int64, _ quantity: Int64 = 1) -> TransactionFact {
        transaction(
            "1", ProductID(product), from: noon(1, 1), to: nil,
            costs(price) { ($0.type, $0.details.quantity, $0.webOrderLineItemId) = (type, quantity, nil) })
    }

    fileprivate static var others: [ExplanationStory] {
        let (pass, coins) = (once("pass.30days", .nonRenewingSubscription, 4990), once("coins.100", .consumable, 1990, 2))
        let unlock = once("unlock.all", .nonConsumable, 30_000)
        let unlocked = StoryBook(fact(unlock), uploads(alice, unlock))
        var early = february
        early.signedDate = day(2026, 1, 31) + .hours(20)
        let sooner = day(2026, 2, 1) + .hours(6)
        let upgrade = transaction("3", pro, from: sooner, to: day(2026, 3, 1) + .hours(6), costs(19_990))
        let replaced = alices.with(fact(early), fact(upgrade), fact(replaced(at: sooner)), uploads(alice, upgrade))
        return [
            ExplanationStory(22, (tokens, noon(1, 20))), ExplanationStory(23, (reserved, noon(1, 20))),
            ExplanationStory(24, (StoryBook(fact(pass), uploads(alice, pass)), noon(1, 10))),
            ExplanationStory(25, (StoryBook(fact(coins), uploads(alice, coins)), noon(1, 10))),
            ExplanationStory(
                26, (unlocked, noon(1, 10)),
                (unlocked.with(revoked(unlock, Revocation(revocationDate: noon(2, 20)))), noon(3, 1))),
            ExplanationStory(27, (replaced, noon(2, 10))), ExplanationStory(28, (setLater, noon(1, 20))),
            ExplanationStory(29, (undated, noon(2, 3)), (undated, noon(3, 10))),
        ]
    }
}
