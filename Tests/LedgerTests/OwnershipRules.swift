import Ledger
import Primitives
import Testing

@Suite struct OwnershipRules {
    let first = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))
    let renewed = renewal("1001", from: day(2026, 2, 1), to: day(2026, 3, 1))
    let upgrade = transaction("1002", pro, from: day(2026, 2, 11), to: day(2026, 3, 11))

    /// Alice bought the first period and it renewed.
    private func owned(_ policy: AppPolicy = AppPolicy()) -> Book {
        var book = Book(policy)
        book.tell(first, renewed)
        _ = book.hear(claim(alice, .purchase, first, at: day(2026, 1, 1)))
        return book
    }

    // MARK: OWN-1

    @Test func `OWN-1 tenures follow each other without a gap and without an overlap`() throws {
        var book = owned()
        book.tell(upgrade)
        _ = book.hear(claim(bob, .purchase, upgrade, at: day(2026, 2, 11)))
        let tenures = book.state.tenures
        #expect(tenures.count == 2)
        for (one, next) in zip(tenures, tenures.dropFirst()) { #expect(one.until == next.from) }
        #expect(tenures.last?.until == nil)
        #expect(!book.isActive(alice, at: day(2026, 2, 11)) && book.isActive(bob, at: day(2026, 2, 11)))
        let before = day(2026, 2, 11) - Milliseconds(1)
        #expect(book.isActive(alice, at: before) && !book.isActive(bob, at: before))
    }

    @Test func `OWN-1 the first tenure begins with the first known period, whoever learned what first`() {
        var book = Book()
        book.tell(renewed)
        _ = book.hear(claim(alice, .queue, renewed, at: day(2026, 2, 3)))
        #expect(owners(book) == ["alice \(day(2026, 2, 1))"])
        book.tell(first)
        #expect(owners(book) == ["alice \(day(2026, 1, 1))"])
    }

    @Test func `OWN-1 an unclaimed time is an unowned tenure`() {
        var book = Book()
        book.tell(first)
        #expect(owners(book) == ["nobody \(day(2026, 1, 1))"])
        #expect(book.state.owner(at: day(2026, 1, 5)) == nil)
    }

    // MARK: OWN-2

    @Test(arguments: Claim.Kind.allCases)
    func `OWN-2 the first valid claim binds, of whatever kind`(kind: Claim.Kind) {
        var book = Book()
        book.tell(first)
        #expect(book.hear(claim(alice, kind, first, at: day(2026, 1, 2))) == .bound)
        #expect(book.hear(claim(bob, kind, first, at: day(2026, 1, 3))) != .bound)
        #expect(owners(book) == ["alice \(day(2026, 1, 1))"])
    }

    @Test func `OWN-2 a registered token decides the owner whoever else claims it, even first`() throws {
        let token = try #require(aliceToken)
        var book = Book()
        let tokened = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1)) { $0.appAccountToken = token }
        book.tell(tokened)
        _ = book.hear(claim(bob, .purchase, tokened, at: day(2026, 1, 1)))
        book.tell(.registration(registered(token, alice)))
        #expect(owners(book) == ["alice \(day(2026, 1, 1))"])
        #expect(book.hear(claim(carol, .restore, tokened, at: day(2026, 1, 5))) == .refused(.ownedByAnother, rule: .restore))
        #expect(book.hear(claim(carol, .purchase, tokened, at: day(2026, 1, 6))) == .refused(.tokenOfAnother, rule: .firstClaim))
    }

    @Test func `OWN-2 an unclaimed subscription is kept, unowned, and gives nothing to anyone`() {
        var book = Book()
        book.tell(first)
        #expect(book.state.periods.count == 1)
        #expect(!book.isActive(alice, at: day(2026, 1, 5)))
    }

    @Test(arguments: [false, true])
    func `OWN-2 the token of the last purchase protects it from restores by others only under tokenLocks`(
        locks: Bool
    ) throws {
        let token = try #require(aliceToken)
        var policy = AppPolicy(onRestore: .transfer)
        policy.tokenLocks = locks
        var book = Book(policy)
        let tokened = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1)) { $0.appAccountToken = token }
        book.tell(.fact(.transaction(tokened)), .registration(registered(token, alice)))
        book.tell(renewed)
        let refused = ClaimOutcome.refused(.tokenOfAnother, rule: .firstClaim)
        let outcome = book.hear(claim(bob, .restore, renewed, at: day(2026, 2, 5)))
        #expect(outcome == (locks ? refused : .moved(from: alice, rule: .restore)))
    }

    @Test func `OWN-2 a token that first appears on a renewal identifies no customer`() throws {
        let token = try #require(aliceToken)
        var book = Book()
        book.tell(.registration(registered(token, alice)))
        book.tell(first)
        book.tell(renewal("1001", from: day(2026, 2, 1), to: day(2026, 3, 1)) { $0.appAccountToken = token })
        #expect(owners(book) == ["nobody \(day(2026, 1, 1))"])
    }

    @Test func `OWN-2 a token registered after a purchase carried it identifies no customer, unless vouched`() throws {
        let token = try #require(aliceToken)
        let tokened = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1)) { $0.appAccountToken = token }
        for (registration, owner) in [
            (registered(token, bob, at: day(2026, 1, 1)), bob), (registered(token, bob, at: day(2026, 1, 1) + .seconds(1)), nil),
            (TokenRegistration(token: token, customer: bob, registeredAt: day(2026, 1, 3), isVouched: true), bob),
            (registered(token, bob, at: day(2025, 1, 1)).borneBefore, nil),
        ] {
            var book = Book()
            book.tell(.fact(.transaction(tokened)), .registration(registration))
            #expect(book.state.owner(at: day(2026, 1, 5)) == owner)
        }
    }

    @Test func `OWN-2 the first valid registration stands, in whatever order they are known`() throws {
        let token = try #require(aliceToken)
        let tokened = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1)) { $0.appAccountToken = token }
        let registrations = [
            registered(token, carol, at: day(2026, 1, 2)), registered(token, alice, at: day(2025, 12, 2)),
            registered(token, bob, at: day(2025, 12, 1)),
        ]
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
            var book = Book()
            for index in order { book.tell(.registration(registrations[index])) }
            book.tell(tokened)
            #expect(book.state.owner(at: day(2026, 1, 5)) == bob)
        }
    }

    @Test func `OWN-2 an owner by a token who uploaded it stays the owner when a newer token identifies no customer`() throws {
        let (token, other) = (try #require(aliceToken), try #require(bobToken))
        var book = Book()
        let tokened = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1)) { $0.appAccountToken = token }
        book.tell(.fact(.transaction(tokened)), .registration(registered(token, alice)))
        #expect(book.hear(claim(alice, .queue, tokened, at: day(2026, 1, 2))) == .alreadyOwner)
        #expect(book.hear(claim(bob, .restore, tokened, at: day(2026, 1, 3))) == .refused(.ownedByAnother, rule: .restore))
        // The app sets another token, which nobody has registered.
        var changed = tokened
        changed.appAccountToken = other
        changed.signedDate = day(2026, 1, 4)
        book.tell(changed)
        #expect(owners(book) == ["alice \(day(2026, 1, 1))"])
    }

    // MARK: OWN-3

    @Test func `OWN-3 a repeated claim by the owner changes nothing`() {
        var book = owned()
        let before = book
        #expect(book.hear(claim(alice, .purchase, first, at: day(2026, 1, 9))) == .alreadyOwner)
        #expect(book.hear(claim(alice, .restore, renewed, at: day(2026, 2, 9))) == .alreadyOwner)
        #expect(book.history == before.history)
        #expect(book.audit == before.audit)
    }

    // MARK: OWN-4

    @Test func `OWN-4 a registered token says who bought an upgrade, before any upload does`() throws {
        let token = try #require(bobToken)
        var book = owned()
        let tokened = transaction("1002", pro, from: day(2026, 2, 11), to: day(2026, 3, 11)) { $0.appAccountToken = token }
        book.tell(.fact(.transaction(tokened)), .registration(registered(token, bob)))
        #expect(owners(book) == ["alice \(day(2026, 1, 1))", "bob \(day(2026, 2, 11))"])
        #expect(book.hear(claim(carol, .purchase, tokened, at: day(2026, 2, 11))) == .refused(.tokenOfAnother, rule: .firstClaim))
    }

    @Test func `OWN-4 only one purchase upload can show who bought a period`() {
        var book = owned()
        book.tell(upgrade)
        _ = book.hear(claim(bob, .purchase, upgrade, at: day(2026, 2, 11)))
        #expect(
            book.hear(claim(carol, .purchase, upgrade, at: day(2026, 2, 12)))
                == .refused(.boughtByAnother, rule: .purchaseEvidence))
        #expect(book.state.owner(at: day(2026, 2, 20)) == bob)
    }

    @Test func `OWN-4 an owner who shows that they bought the upgrade keeps it from a later uploader`() {
        var book = owned()
        book.tell(upgrade)
        #expect(book.hear(claim(alice, .purchase, upgrade, at: day(2026, 2, 11))) == .alreadyOwner)
        #expect(
            book.hear(claim(bob, .purchase, upgrade, at: day(2026, 2, 12))) == .refused(.boughtByAnother, rule: .purchaseEvidence)
        )
        #expect(book.state.owner(at: day(2026, 2, 20)) == alice)
    }

    @Test func `OWN-4 an upload is about the period whose web order line item it shows, though a twin shares its second`() {
        var book = owned()
        let twin = transaction("1002", pro, from: day(2026, 2, 11), to: day(2026, 3, 11)) { $0.webOrderLineItemId = "1" }
        book.tell(upgrade, twin)
        _ = book.hear(claim(bob, .purchase, upgrade, at: day(2026, 2, 11)))
        #expect(book.hear(claim(bob, .purchase, upgrade, at: day(2026, 2, 12))) == .alreadyOwner)
        let third = book.hear(claim(carol, .purchase, upgrade, at: day(2026, 2, 13)))
        #expect(third == .refused(.boughtByAnother, rule: .purchaseEvidence))
    }

    @Test func `OWN-4 a restore shows the Apple Account and not who bought`() {
        var book = owned()
        book.tell(upgrade)
        let outcome = book.hear(claim(bob, .restore, upgrade, at: day(2026, 2, 11)))
        #expect(outcome == .refused(.ownedByAnother, rule: .restore))
        #expect(book.state.owner(at: day(2026, 2, 20)) == alice)
    }

    @Test func `OWN-4 an interrupted purchase that surfaces within seven days is its customer's, and later no customer's`() {
        for (wait, owner) in [(Milliseconds.days(7), bob), (Milliseconds(Milliseconds.days(7).count + 1), alice)] {
            var book = owned()
            book.tell(upgrade)
            _ = book.hear(claim(bob, .queue, upgrade, at: day(2026, 2, 11) + wait))
            #expect(book.state.owner(at: day(2026, 2, 20)) == owner)
        }
    }

    @Test func `OWN-4 a purchase upload is prompt for five minutes, and goes before everything but a token`() {
        for (wait, owner) in [(Milliseconds.minutes(5), carol), (Milliseconds(300_001), bob)] {
            var book = owned()
            book.tell(upgrade)
            _ = book.hear(claim(bob, .queue, upgrade, at: day(2026, 2, 11) + .seconds(1)))
            _ = book.hear(claim(carol, .purchase, upgrade, at: day(2026, 2, 11) + wait))
            #expect(book.state.owner(at: day(2026, 2, 20)) == owner)
            #expect(book.state.contested.map(\.customers) == [[bob, carol]])
            #expect(book.state.contested.map(\.buyer) == [owner])
        }
    }

    @Test func `OWN-4 a period without a known buyer stays with the previous owner`() {
        var book = owned()
        book.tell(upgrade)
        #expect(owners(book) == ["alice \(day(2026, 1, 1))"])
        #expect(book.isActive(alice, at: day(2026, 3, 1)))
    }

    @Test func `OWN-4 under tokenOnly uploads show the Apple Account and not who bought`() {
        var policy = AppPolicy()
        policy.purchaseEvidence = .tokenOnly
        var book = owned(policy)
        book.tell(upgrade)
        #expect(
            book.hear(claim(bob, .purchase, upgrade, at: day(2026, 2, 11)))
                == .refused(.ownedByAnother, rule: .purchaseEvidence))
        #expect(book.state.owner(at: day(2026, 2, 20)) == alice)
    }

    @Test func `OWN-4 a deferred change waits until Apple signs the product that the upload names, and is prompt for an hour`() {
        var book = Book()
        let proFirst = transaction("1000", pro, from: day(2026, 1, 1), to: day(2026, 2, 1))
        book.tell(proFirst)
        _ = book.hear(claim(alice, .purchase, proFirst, at: day(2026, 1, 1)))
        let deferred = claim(bob, .purchase, proFirst, naming: plus, at: day(2026, 1, 10))
        #expect(book.hear(deferred) == .waiting(.signedPendingChange))
        var late = book
        book.tell(renewalInfo(signed: day(2026, 1, 10) + .minutes(59)) { $0.autoRenewProductId = plus })
        #expect(book.state.claims.last?.outcome == .noted)
        late.tell(renewalInfo(signed: day(2026, 1, 10) + .minutes(61)) { $0.autoRenewProductId = plus })
        #expect(late.state.claims.last?.outcome == .noted)
        let other = claim(carol, .purchase, proFirst, naming: plus, at: day(2026, 1, 10) + .minutes(70))
        #expect(book.hear(other) == .refused(.boughtByAnother, rule: .purchaseEvidence))
        #expect(late.hear(other) == .noted)
        #expect(book.state.owner(at: day(2026, 1, 20)) == alice)
    }

    @Test func `OWN-4 a deferred change counts after a renewal too`() {
        var book = owned()
        #expect(book.hear(claim(bob, .purchase, renewed, naming: pro, at: day(2026, 2, 5))) == .waiting(.signedPendingChange))
        book.tell(renewalInfo(signed: day(2026, 2, 5) + .minutes(2)) { $0.autoRenewProductId = pro })
        #expect(book.state.claims.last?.outcome == .noted)
    }

    // MARK: OWN-5

    @Test func `OWN-5 whoever buys the upgrade becomes owner at its purchaseDate, and the previous owner's service ends there`() {
        var book = owned()
        book.tell(upgrade)
        #expect(
            book.hear(claim(bob, .purchase, upgrade, at: day(2026, 2, 11) + .hours(5)))
                == .moved(from: alice, rule: .followPurchase))
        #expect(owners(book) == ["alice \(day(2026, 1, 1))", "bob \(day(2026, 2, 11))"])
        let answer = book.answer(alice, at: day(2026, 2, 15))
        #expect(!answer.isActive && answer.end == day(2026, 2, 11) && answer.endedBecause == .ownershipMoved)
        #expect(book.answer(bob, at: day(2026, 2, 15)).start == day(2026, 2, 11))
    }

    @Test(arguments: [[0, 1, 2], [1, 0, 2], [2, 0, 1]])
    func `OWN-5 the upgrade's notification before, after and together with the buyer's upload gives one history`(order: [Int]) {
        // The upload carries only the transaction itself, as uploads do; the notification also says that the old one was
        // upgraded.
        let upload: [LedgerInput] = [
            .fact(.transaction(upgrade)), .claim(claim(bob, .purchase, upgrade, at: day(2026, 2, 11) + .minutes(1))),
        ]
        let notified: [LedgerInput] = [.fact(.transaction(upgrade))]
        var old = renewed
        old.isUpgraded = true
        old.signedDate = day(2026, 2, 11)
        let superseded: [LedgerInput] = [.fact(.transaction(old))]
        var book = owned()
        for index in order {
            for input in [upload, notified, superseded][index] { book.tell(input) }
        }
        #expect(owners(book) == ["alice \(day(2026, 1, 1))", "bob \(day(2026, 2, 11))"])
        #expect(book.state.periods.map(\.end) == [day(2026, 2, 1), day(2026, 2, 11), day(2026, 3, 11)])
    }

    @Test func `OWN-5 under stay the owner keeps it, whoever buys`() {
        var book = owned(AppPolicy(onPurchase: .stay))
        book.tell(upgrade)
        #expect(book.hear(claim(bob, .purchase, upgrade, at: day(2026, 2, 11))) == .noted)
        #expect(book.isActive(alice, at: day(2026, 2, 20)))
    }

    @Test func `OWN-5 under ask nothing moves until a decision`() {
        var book = owned(AppPolicy(onPurchase: .ask))
        book.tell(upgrade)
        #expect(book.hear(claim(bob, .purchase, upgrade, at: day(2026, 2, 11))) == .waiting(.decision))
        #expect(book.isActive(alice, at: day(2026, 2, 20)))
    }

    // MARK: OWN-7

    @Test func `OWN-7 a resubscription after the end makes its buyer the owner from its purchaseDate`() {
        var book = owned()
        let again = transaction("1003", from: day(2026, 5, 1), to: day(2026, 6, 1))
        book.tell(again)
        #expect(book.state.periods.last?.beginning == .resubscription)
        #expect(book.hear(claim(bob, .purchase, again, at: day(2026, 5, 1))) == .moved(from: alice, rule: .resubscription))
        #expect(owners(book) == ["alice \(day(2026, 1, 1))", "bob \(day(2026, 5, 1))"])
    }

    // MARK: OWN-8

    @Test(arguments: Claim.Kind.allCases)
    func `OWN-8 a renewal never moves ownership, whoever is logged in where it surfaces`(kind: Claim.Kind) {
        var book = owned()
        let outcome = book.hear(claim(bob, kind, renewed, at: day(2026, 2, 1)))
        guard case .refused = outcome else {
            Issue.record("the claim came to \(String(describing: outcome))")
            return
        }
        #expect(owners(book) == ["alice \(day(2026, 1, 1))"])
    }

    @Test func `OWN-8 in older data a period without a gap is a renewal, and so is one after a known billing retry`() {
        var book = Book()
        let old = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1)) { $0.transactionReason = nil }
        let next = transaction("1001", from: day(2026, 2, 1), to: day(2026, 3, 1)) { $0.transactionReason = nil }
        let recovered = transaction("1002", from: day(2026, 3, 9), to: day(2026, 4, 9)) { $0.transactionReason = nil }
        let later = transaction("1003", from: day(2026, 8, 1), to: day(2026, 9, 1)) { $0.transactionReason = nil }
        book.tell(old, next, recovered, later)
        #expect(book.state.periods.map(\.beginning) == [.firstKnown, .renewal, .resubscription, .resubscription])
        book.tell(renewalInfo(signed: day(2026, 3, 2)) { $0.isInBillingRetryPeriod = true })
        #expect(book.state.periods.map(\.beginning) == [.firstKnown, .renewal, .renewal, .resubscription])
    }

    @Test func `OWN-8 in older data a renewal that was replaced before it began does not hide a billing retry`() {
        var book = Book()
        let old = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))
        let upgrade = transaction("1001", pro, from: day(2026, 1, 1) + .hours(5), to: day(2026, 1, 31) + .hours(5))
        let replaced = transaction("1002", from: day(2026, 2, 1), to: day(2026, 3, 1)) { $0.transactionReason = nil }
        let recovered = transaction("1003", pro, from: day(2026, 2, 8), to: day(2026, 3, 8)) { $0.transactionReason = nil }
        book.tell(old, upgrade, replaced, recovered)
        book.tell(renewalInfo(signed: day(2026, 1, 31) + .hours(6)) { $0.isInBillingRetryPeriod = true })
        #expect(book.state.periods.map(\.beginning) == [.firstKnown, .immediateChange, .renewal, .renewal])
    }

    // MARK: OWN-9

    @Test func `OWN-9 under keep a restore by another is refused with the reason`() {
        var book = owned()
        #expect(book.hear(claim(bob, .restore, renewed, at: day(2026, 2, 5))) == .refused(.ownedByAnother, rule: .restore))
        #expect(book.state.owner(at: day(2026, 2, 6)) == alice)
    }

    @Test func `OWN-9 under transfer a restore moves it at that instant`() {
        var book = owned(AppPolicy(onRestore: .transfer))
        #expect(book.hear(claim(bob, .restore, renewed, at: day(2026, 2, 5))) == .moved(from: alice, rule: .restore))
        #expect(owners(book) == ["alice \(day(2026, 1, 1))", "bob \(day(2026, 2, 5))"])
        #expect(book.hear(claim(alice, .restore, renewed, at: day(2026, 2, 7))) == .moved(from: bob, rule: .restore))
        #expect(book.state.owner(at: day(2026, 2, 8)) == alice)
    }

    @Test func `OWN-9 under transferIfInactive a restore moves only what is not active`() {
        var book = owned(AppPolicy(onRestore: .transferIfInactive))
        #expect(book.hear(claim(bob, .restore, renewed, at: day(2026, 2, 5))) == .refused(.ownedByAnother, rule: .restore))
        #expect(book.hear(claim(bob, .restore, renewed, at: day(2026, 4, 5))) == .moved(from: alice, rule: .restore))
    }

    @Test func `OWN-9 under ask a restore waits`() {
        var book = owned(AppPolicy(onRestore: .ask))
        #expect(book.hear(claim(bob, .restore, renewed, at: day(2026, 2, 5))) == .waiting(.decision))
        #expect(book.state.owner(at: day(2026, 2, 6)) == alice)
    }

    @Test func `OWN-9 a refused restore that is repeated a thousand times is kept once`() {
        var book = owned()
        for minute in 0..<1000 {
            _ = book.hear(claim(bob, .restore, renewed, at: day(2026, 2, 5) + .minutes(Int64(minute))))
        }
        #expect(book.history.claims.count == 2)
        #expect(book.history.repetitions.map(\.count) == [999])
        #expect(book.history.repetitions.map(\.lastAt) == [day(2026, 2, 5) + .minutes(999)])
    }

    @Test func `OWN-9 a claim that waits for a limit is kept, of a former owner too`() {
        var book = owned(AppPolicy(onRestore: .transfer))
        for (customer, number) in [(bob, 1), (alice, 2), (carol, 3)] as [(CustomerID, Int64)] {
            _ = book.hear(claim(customer, .restore, renewed, at: day(2026, 2, number)))
        }
        let known = book.history.claims.count
        #expect(book.hear(claim(bob, .restore, renewed, at: day(2026, 2, 4))) == .waiting(.limit))
        #expect(book.history.claims.count == known + 1)
        #expect(book.state.claims.last?.outcome == .waiting(.limit))
        #expect(book.hear(claim(bob, .restore, renewed, at: day(2026, 2, 5))) == .waiting(.limit))
        #expect(book.history.claims.count == known + 1 && book.history.repetitions.map(\.count) == [1])
    }

    @Test func `OWN-9 under transferIfInactive billing retry counts as active`() {
        var book = owned(AppPolicy(onRestore: .transferIfInactive))
        book.tell(renewalInfo(signed: day(2026, 3, 1) + .minutes(1)) { $0.isInBillingRetryPeriod = true })
        #expect(book.hear(claim(bob, .restore, renewed, at: day(2026, 3, 9))) == .refused(.ownedByAnother, rule: .restore))
        // Apple gives up after 60 days.
        #expect(book.hear(claim(bob, .restore, renewed, at: day(2026, 5, 1))) == .moved(from: alice, rule: .restore))
    }

    @Test func `OWN-3 repeated claims with other products store nothing for the owner, and little for others`() {
        var book = owned()
        for number in 0..<200 {
            let named = ProductID("product.\(number)")
            _ = book.hear(claim(alice, .purchase, first, naming: named, at: day(2026, 2, 1) + .minutes(Int64(number))))
            _ = book.hear(claim(bob, .purchase, first, naming: named, at: day(2026, 2, 2) + .minutes(Int64(number))))
        }
        #expect(book.history.claims.filter { $0.customer == alice }.count <= 9)
        #expect(book.history.claims.filter { $0.customer == bob }.count <= 9)
    }
}
