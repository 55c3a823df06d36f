import Ledger
import Primitives
import Testing

/// The seventeen stories that shaped OWN-2, 4, 6, 9, 10, 17 and 18 (decision 0023). V pays; X is another customer on the same
/// Apple Account; A was the owner before.
@Suite struct PurchaseStories {
    private let v = CustomerID("v")
    private let x = CustomerID("x")
    private let a = CustomerID("a")

    private let month = transaction("1", pro, from: day(2026, 1, 1), to: day(2026, 2, 1))
    private let upgrade = transaction("2", ProductID("premium.monthly"), from: day(2026, 1, 11), to: day(2026, 2, 11))
    private let lower = renewal("3", plus, from: day(2026, 2, 1), to: day(2026, 3, 1))

    private func owned(by owner: CustomerID? = nil, _ policy: AppPolicy = AppPolicy()) -> Book {
        var book = Book(policy)
        book.tell(month)
        _ = book.hear(claim(owner ?? a, .purchase, month, at: day(2026, 1, 1) + .seconds(9)))
        return book
    }

    private func wish(_ product: ProductID, at instant: Timestamp, renews: Bool = true) -> RenewalFact {
        renewalInfo(signed: instant, renews: renews) { $0.autoRenewProductId = product }
    }

    private func upload(
        _ customer: CustomerID, _ kind: Claim.Kind, _ fact: TransactionFact, after wait: Milliseconds, keepsIntents: Bool = false,
        isAnonymous: Bool = false
    ) -> Claim {
        let claimedAt = fact.purchaseDate + wait
        return Claim(
            id: .init("\(customer)/\(kind.rawValue)/\(claimedAt)"),
            customer: Claimant(customer, isAnonymous: isAnonymous, keepsIntents: keepsIntents), kind: kind, transaction: fact,
            productId: fact.productId, claimedAt: claimedAt)
    }

    @Test func `OWN-4 story 1: a downgrade uploaded within an hour of Apple's statement counts, even on an old transaction`() {
        var book = owned()
        book.tell(wish(plus, at: day(2026, 1, 25)))
        #expect(book.hear(claim(v, .purchase, month, naming: plus, at: day(2026, 1, 25) + .minutes(50))) == .noted)
        book.tell(lower)
        #expect(book.state.owner(at: day(2026, 1, 31)) == a && book.state.owner(at: day(2026, 2, 1)) == v)
    }

    @Test func `OWN-4 story 2: a downgrade whose upload is lost is V's by the token in Apple's statement`() throws {
        let token = try #require(bobToken)
        var book = owned()
        book.tell(.registration(registered(token, v)))
        var word = wish(plus, at: day(2026, 1, 25))
        word.appAccountToken = token
        book.tell(word)
        book.tell(lower)
        #expect(book.state.owner(at: day(2026, 1, 31)) == a && book.state.owner(at: day(2026, 2, 1)) == v)
    }

    @Test(arguments: [false, true])
    func `OWN-4 story 3: a crashed first purchase that surfaces at X first is X's, unless X's client keeps intents`(intents: Bool)
    {
        var book = Book()
        book.tell(month)
        _ = book.hear(upload(x, .queue, month, after: .seconds(5), keepsIntents: intents))
        #expect(book.state.owner(at: day(2026, 1, 2)) == x)
        _ = book.hear(upload(v, .queue, month, after: .hours(1), keepsIntents: false))
        #expect(book.state.owner(at: day(2026, 1, 2)) == (intents ? v : x))
        #expect(book.state.contested.map(\.customers) == (intents ? [] : [[v, x]]))
    }

    @Test func `OWN-4 story 4: of two prompt uploads the first counts, and the second is a signal`() {
        var book = owned()
        book.tell(upgrade)
        #expect(book.hear(upload(v, .purchase, upgrade, after: .minutes(1))) == .moved(from: a, rule: .followPurchase))
        #expect(
            book.hear(upload(x, .purchase, upgrade, after: .minutes(3))) == .refused(.boughtByAnother, rule: .purchaseEvidence))
        #expect(book.state.owner(at: day(2026, 1, 12)) == v)
        #expect(book.state.contested.map(\.customers) == [[v, x]] && book.state.contested.map(\.buyer) == [v])
    }

    @Test func `OWN-2 story 5: X who sees V's token and registers it gets nothing by it`() throws {
        let token = try #require(bobToken)
        var bearing = upgrade
        bearing.appAccountToken = token
        // V's own registration counts; and where nobody registered the token in time, it names nobody.
        for vRegisters in [true, false] {
            var book = owned()
            if vRegisters { book.tell(.registration(registered(token, v))) }
            book.tell(bearing)
            book.tell(.registration(registered(token, x, at: day(2026, 1, 12))))
            #expect(book.state.owner(at: day(2026, 1, 13)) == (vRegisters ? v : a))
        }
    }

    @Test func `OWN-4 story 6: the owner before the purchase, even lapsed, goes before others whose uploads came first`() {
        var book = owned(by: v)
        let again = transaction("4", pro, from: day(2026, 6, 1), to: day(2026, 7, 1))
        book.tell(again)
        _ = book.hear(upload(x, .queue, again, after: .hours(1)))
        #expect(book.state.owner(at: day(2026, 6, 2)) == x)
        #expect(book.hear(upload(v, .queue, again, after: .days(3))) == .alreadyOwner)
        #expect(book.state.owner(at: day(2026, 6, 1)) == v)
        #expect(book.state.outcome(of: x) == .waiting(.decision))
    }

    @Test func `OWN-4 story 7: evidence on day 8 is too late, and a token still counts`() throws {
        let token = try #require(bobToken)
        for isTokened in [false, true] {
            var book = owned()
            var bought = upgrade
            if isTokened { bought.appAccountToken = token }
            book.tell(.fact(.transaction(bought)), .registration(registered(token, v)))
            _ = book.hear(upload(v, .purchase, bought, after: .days(8)))
            #expect(book.state.owner(at: day(2026, 1, 20)) == (isTokened ? v : a))
        }
    }

    @Test func `OWN-10 story 8: a renewal that surfaces at X takes nothing from an anonymous payer, and X's restore does`() {
        var book = Book()
        book.tell(month)
        let guest = CustomerID("$anonymous:v")
        _ = book.hear(upload(guest, .purchase, month, after: .seconds(5), isAnonymous: true))
        let renewed = renewal("5", pro, from: day(2026, 2, 1), to: day(2026, 3, 1))
        book.tell(renewed)
        #expect(book.hear(upload(x, .queue, renewed, after: .hours(1))) == .refused(.ownedByAnother, rule: .renewalNeverMoves))
        #expect(book.state.owner(at: day(2026, 2, 2)) == guest)
        #expect(book.hear(upload(x, .restore, renewed, after: .days(2))) == .moved(from: guest, rule: .anonymous))
        #expect(book.state.owner(at: day(2026, 2, 2)) == guest && book.state.owner(at: day(2026, 2, 4)) == x)
    }

    @Test func `OWN-10 story 9: a customer who reinstalls as another anonymous one and restores has it again`() {
        var book = Book()
        book.tell(month)
        let (before, after) = (CustomerID("$anonymous:1"), CustomerID("$anonymous:2"))
        _ = book.hear(upload(before, .purchase, month, after: .seconds(5), isAnonymous: true))
        #expect(
            book.hear(upload(after, .restore, month, after: .days(5), isAnonymous: true))
                == .moved(from: before, rule: .anonymous))
        #expect(book.state.owner(at: day(2026, 1, 7)) == after)
    }

    @Test(arguments: [false, true])
    func `OWN-18 story 10: a reservation by an import on day 3 precedes X's upload of day 4, before the first fact and after`(
        _ factFirst: Bool
    ) {
        var book = Book()
        let reservation = Reservation(id: .init("import"), customer: v, reservedAt: day(2026, 1, 3))
        if factFirst { book.tell(month) }
        book.tell(.reservation(reservation))
        if !factFirst { book.tell(month) }
        #expect(book.state.owner(at: day(2026, 1, 3)) == v)
        #expect(book.hear(upload(x, .queue, month, after: .days(3))) == .waiting(.decision))
        #expect(book.state.owner(at: day(2026, 1, 5)) == v)
    }

    @Test func `OWN-17 story 11: an upload that comes after the policy became stay is judged by the version of the purchase`() {
        var changed = AppPolicy(version: 2, onPurchase: .stay)
        changed.onRestore = .keep
        let policies = PolicyTimeline(AppPolicy(), then: [.init(validFrom: day(2026, 1, 13), policy: changed)])
        var history = owned().history
        for input in [.fact(.transaction(upgrade)), .claim(upload(v, .purchase, upgrade, after: .days(4)))] as [LedgerInput] {
            history = Decision(on: [input], history: history, policies: policies, learnedAt: day(2026, 1, 15)).history
        }
        let state = SubscriptionState(folding: history, under: policies)
        #expect(state.owner(at: day(2026, 1, 12)) == v && state.owner(at: day(2026, 1, 20)) == v)
    }

    @Test func `OWN-6 story 12: renewal off and on again by the present owner leaves V's downgrade V's`() {
        var book = owned()
        book.tell(wish(plus, at: day(2026, 1, 10)))
        _ = book.hear(claim(v, .purchase, month, naming: plus, at: day(2026, 1, 10) + .minutes(1)))
        book.tell(wish(plus, at: day(2026, 1, 15), renews: false))
        book.tell(wish(plus, at: day(2026, 1, 16)))
        book.tell(lower)
        #expect(book.state.owner(at: day(2026, 2, 2)) == v)
    }

    @Test func `OWN-9 story 13: what is in billing retry is not inactive, and V keeps what recovers`() {
        var book = owned(by: v, AppPolicy(onRestore: .transferIfInactive))
        book.tell(renewalInfo(signed: day(2026, 2, 1) + .minutes(1)) { $0.isInBillingRetryPeriod = true })
        #expect(book.hear(upload(x, .restore, month, after: .days(36))) == .refused(.ownedByAnother, rule: .restore))
        book.tell(renewal("6", pro, from: day(2026, 2, 9), to: day(2026, 3, 9)))
        #expect(book.state.owner(at: day(2026, 2, 10)) == v)
    }

    @Test func `OWN-18 story 14: an intent alone moves nothing, and the uploads of a late payer and of X are of one kind`() {
        var book = owned()
        book.tell(.intent(PurchaseIntent(id: .init("i"), customer: x, productId: upgrade.productId, madeAt: day(2026, 1, 10))))
        book.tell(upgrade)
        #expect(book.state.owner(at: day(2026, 1, 12)) == a)
        _ = book.hear(upload(v, .purchase, upgrade, after: .minutes(6)))
        #expect(book.hear(upload(x, .purchase, upgrade, after: .minutes(7), keepsIntents: true)) == .waiting(.decision))
        #expect(book.state.owner(at: day(2026, 1, 12)) == v)
        #expect(book.state.contested.map(\.customers) == [[v, x]])
    }

    @Test func `OWN-18 a queue upload of a client that keeps intents is evidence with one, made in the thirty days before`() {
        for (madeAt, isEvidence) in [
            (day(2026, 1, 10), true), (day(2026, 1, 11), true), (day(2026, 1, 11) + Milliseconds(1), false),
            (day(2025, 12, 12), false), (day(2025, 12, 12) + Milliseconds(1), true),
        ] {
            var book = owned()
            book.tell(.intent(PurchaseIntent(id: .init("i"), customer: v, productId: upgrade.productId, madeAt: madeAt)))
            book.tell(upgrade)
            _ = book.hear(upload(v, .queue, upgrade, after: .hours(1), keepsIntents: true))
            #expect(book.state.owner(at: day(2026, 1, 12)) == (isEvidence ? v : a))
        }
    }

    @Test func `OWN-5 story 15: A buys, B upgrades at once, A's downgrade makes it A's again when the new period begins`() {
        var book = owned()
        book.tell(upgrade)
        _ = book.hear(upload(v, .purchase, upgrade, after: .seconds(20)))
        book.tell(wish(plus, at: day(2026, 1, 20)))
        _ = book.hear(claim(a, .purchase, upgrade, naming: plus, at: day(2026, 1, 20) + .minutes(1)))
        book.tell(renewal("7", plus, from: day(2026, 2, 11), to: day(2026, 3, 11)))
        #expect(book.state.tenures.map(\.customer) == [a, v, a])
        #expect(book.state.tenures.map(\.from) == [day(2026, 1, 1), day(2026, 1, 11), day(2026, 2, 11)])
    }

    @Test(arguments: [Claim.Kind.queue, .purchase])
    func `OWN-4 stories 16 and 17: an interrupted purchase at the next launch, or an upload two days late, is V's`(
        kind: Claim.Kind
    ) {
        var book = owned()
        book.tell(upgrade)
        #expect(book.hear(upload(v, kind, upgrade, after: .days(2))) == .moved(from: a, rule: .followPurchase))
        #expect(book.state.owner(at: day(2026, 1, 11)) == v)
    }

    @Test func `OWN-4 a stranger's purchase upload 25 minutes later takes nothing from a payer whose upgrade arrived as queue`() {
        var book = owned()
        book.tell(upgrade)
        #expect(book.hear(upload(v, .queue, upgrade, after: .minutes(1))) == .moved(from: a, rule: .followPurchase))
        #expect(book.hear(upload(x, .purchase, upgrade, after: .minutes(25))) == .waiting(.decision))
        #expect(book.state.owner(at: day(2026, 1, 12)) == v)
        #expect(book.hear(upload(v, .purchase, upgrade, after: .minutes(30))) == .alreadyOwner)
    }

    @Test func `OWN-9 a restore is judged against the owner by all evidence, including later evidence`() {
        var policy = AppPolicy(onRestore: .transfer)
        policy.anonymousMayTake = false
        let guest = CustomerID("$anonymous:1")
        var book = Book(policy)
        book.tell(month)
        _ = book.hear(upload(guest, .purchase, month, after: .seconds(9), isAnonymous: true))
        book.tell(upgrade)
        let other = CustomerID("$anonymous:2")
        // On day 12 it still seems to belong to another anonymous customer; on day 14 an identified customer proves the purchase.
        _ = book.hear(upload(other, .restore, upgrade, after: .days(1), isAnonymous: true))
        #expect(book.state.owner(at: day(2026, 1, 13)) == other)
        _ = book.hear(upload(v, .queue, upgrade, after: .days(3)))
        #expect(book.state.owner(at: day(2026, 1, 13)) == v)
        #expect(book.state.outcome(of: other) == .refused(.anonymousClaimant, rule: .anonymous))
    }
}

extension SubscriptionState {
    /// The outcome of the customer's last claim.
    fileprivate func outcome(of customer: CustomerID) -> ClaimOutcome? { claims.last { $0.claim.customer == customer }?.outcome }
}
