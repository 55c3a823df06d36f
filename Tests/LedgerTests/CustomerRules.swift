import Ledger
import Primitives
import Testing

/// OWN-9, OWN-10, OWN-11, OWN-13: anonymous customers, limits, operators and families.
@Suite struct CustomerRules {
    private let first = transaction("1000", from: day(2026, 1, 1), to: day(2027, 1, 1))
    private let guest = CustomerID("$anonymous:1")
    private let otherGuest = CustomerID("$anonymous:2")

    private func anonymous(_ customer: CustomerID, _ kind: Claim.Kind, at instant: Timestamp) -> Claim {
        Claim(
            id: .init("\(customer)/\(instant)"), customer: Claimant(customer, isAnonymous: true), kind: kind, transaction: first,
            productId: first.productId, claimedAt: instant)
    }

    private func owned(by owner: CustomerID? = alice, _ policy: AppPolicy = AppPolicy()) -> Book {
        var book = Book(policy)
        book.tell(first)
        if let owner { _ = book.hear(claim(owner, .purchase, first, at: day(2026, 1, 1))) }
        return book
    }

    // MARK: Anonymous customers

    @Test(arguments: Claim.Kind.allCases)
    func `OWN-10 an identified customer's restore of an anonymous one's subscription moves only that subscription`(
        kind: Claim.Kind
    ) {
        var book = owned(by: nil)
        #expect(book.hear(anonymous(guest, .purchase, at: day(2026, 1, 1))) == .bound)
        let outcome = book.hear(claim(alice, kind, first, at: day(2026, 1, 5)))
        #expect(
            outcome
                == (kind == .restore
                    ? .moved(from: guest, rule: .anonymous) : .refused(.boughtByAnother, rule: .purchaseEvidence)))
        #expect(book.state.owner(at: day(2026, 1, 4)) == guest)
        #expect(book.state.owner(at: day(2026, 1, 5)) == (kind == .restore ? alice : guest))
    }

    @Test func `OWN-10 under mergeOnClaim the claim makes the two one customer, the past included`() {
        var policy = AppPolicy()
        policy.mergeOnClaim = true
        var book = owned(by: nil, policy)
        _ = book.hear(anonymous(guest, .purchase, at: day(2026, 1, 1)))
        _ = book.hear(claim(alice, .restore, first, at: day(2026, 1, 5)))
        #expect(book.state.owner(at: day(2026, 1, 2)) == alice)
        #expect(book.state.merged == [CustomerMerge(anonymous: guest, identified: alice, mergedAt: day(2026, 1, 5))])
    }

    @Test func `OWN-10 a log-in merges an anonymous customer into the identified one, and the first merge stands`() {
        var book = owned(by: nil)
        _ = book.hear(anonymous(guest, .purchase, at: day(2026, 1, 1)))
        book.tell(.merge(CustomerMerge(anonymous: guest, identified: alice, mergedAt: day(2026, 1, 3))))
        book.tell(.merge(CustomerMerge(anonymous: guest, identified: bob, mergedAt: day(2026, 1, 4))))
        #expect(book.state.tenures.map(\.customer) == [alice])
        // A claim that comes later under the old name is the identified customer's.
        #expect(book.hear(anonymous(guest, .restore, at: day(2026, 1, 9))) == .alreadyOwner)
        #expect(!book.isActive(guest, at: day(2026, 2, 1)) && book.isActive(alice, at: day(2026, 2, 1)))
    }

    @Test func `OWN-10 two anonymous customers are one, who is anonymous still and may log in`() {
        var book = owned(by: nil, AppPolicy(onRestore: .keep))
        _ = book.hear(anonymous(guest, .purchase, at: day(2026, 1, 1)))
        let merge = CustomerMerge(
            anonymous: guest, identified: otherGuest, mergedAt: day(2026, 1, 3), isIntoAnonymous: true)
        book.tell(.merge(merge))
        #expect(book.state.tenures.map(\.customer) == [otherGuest], "the past included")
        let words = Explanation(of: book.history, book.state, at: day(2026, 1, 4))
        #expect(words.english.contains { $0.contains("use one Apple Account") && $0.contains("OWN-10") })
        #expect(words.lines.contains { Explanation.chineseSentence($0).contains("使用同一个 Apple 账户") })
        #expect(book.hear(anonymous(guest, .restore, at: day(2026, 1, 4))) == .alreadyOwner)
        var (restored, loggedIn) = (book, book)
        #expect(
            restored.hear(claim(alice, .restore, first, at: day(2026, 1, 5))) == .moved(from: otherGuest, rule: .anonymous))
        loggedIn.tell(.merge(CustomerMerge(anonymous: otherGuest, identified: bob, mergedAt: day(2026, 1, 5))))
        #expect(loggedIn.state.tenures.map(\.customer) == [bob])
        #expect(loggedIn.hear(anonymous(guest, .restore, at: day(2026, 1, 6))) == .alreadyOwner)
    }

    @Test func `OWN-10 a claim counts after the merge that came before it, though the clock stands still`() {
        var book = owned(by: nil)
        _ = book.hear(anonymous(guest, .purchase, at: day(2026, 1, 1)))
        book.tell(.merge(CustomerMerge(anonymous: guest, identified: alice, mergedAt: day(2026, 1, 3))))
        let placed = claim(bob, .restore, first, at: day(2026, 1, 3)).placed(after: book.history)
        #expect(placed.claimedAt == day(2026, 1, 3).adding(Milliseconds(1)))
    }

    @Test func `OWN-10 an identified customer is never merged away`() {
        var book = owned(by: bob)
        book.tell(.merge(CustomerMerge(anonymous: bob, identified: alice, mergedAt: day(2026, 1, 3))))
        #expect(book.state.owner(at: day(2026, 2, 1)) == bob)
    }

    @Test(arguments: Claim.Kind.allCases)
    func `OWN-10 an anonymous claimant never takes from an identified owner`(kind: Claim.Kind) {
        for policy in RestorePolicy.allCases {
            var book = owned(AppPolicy(onRestore: policy))
            let outcome = book.hear(anonymous(guest, kind, at: day(2026, 1, 5)))
            #expect(outcome?.changesOwner == false)
            #expect(book.state.owner(at: day(2026, 2, 1)) == alice)
        }
    }

    private func owned(_ policy: AppPolicy) -> Book { owned(by: alice, policy) }

    @Test func `OWN-10 not even an upgrade that they bought, unless the policy says transfer and anonymousMayTake`() {
        let upgrade = transaction("1001", pro, from: day(2026, 2, 1), to: day(2026, 3, 1))
        for mayTake in [false, true] {
            var policy = AppPolicy(onRestore: .transfer)
            policy.anonymousMayTake = mayTake
            var book = owned(by: alice, policy)
            book.tell(upgrade)
            let bought = Claim(
                id: .init("guest"), customer: Claimant(guest, isAnonymous: true), kind: .purchase, transaction: upgrade,
                productId: pro, claimedAt: day(2026, 2, 1))
            _ = book.hear(bought)
            #expect(book.state.owner(at: day(2026, 2, 2)) == (mayTake ? guest : alice))
        }
    }

    @Test
    func `OWN-10 an anonymous customer's restore moves another anonymous one's subscription, as after a new installation`() {
        var book = owned(by: nil, AppPolicy(onRestore: .keep))
        _ = book.hear(anonymous(guest, .purchase, at: day(2026, 1, 1)))
        #expect(book.hear(anonymous(otherGuest, .restore, at: day(2026, 1, 5))) == .moved(from: guest, rule: .anonymous))
    }

    // MARK: Limits

    @Test func `OWN-11 after three restores by others in thirty days the next one waits, and the window slides`() {
        var book = owned(AppPolicy(onRestore: .transfer))
        let restores = [(bob, 1), (alice, 2), (carol, 3)] as [(CustomerID, Int64)]
        for (customer, day) in restores {
            let outcome = book.hear(claim(customer, .restore, first, at: LedgerTests.day(2026, 2, day)))
            #expect(outcome?.changesOwner == true)
        }
        #expect(book.hear(claim(bob, .restore, first, at: day(2026, 2, 20))) == .waiting(.limit))
        #expect(book.state.owner(at: day(2026, 2, 21)) == carol)
        // The first of the three is thirty days old.
        #expect(book.hear(claim(bob, .restore, first, at: day(2026, 3, 3))) == .moved(from: carol, rule: .restore))
    }

    @Test func `OWN-11 purchases do not count, nor do restores from an anonymous customer`() {
        var policy = AppPolicy(onRestore: .transfer)
        policy.restoreLimit = 1
        var book = owned(by: nil, policy)
        _ = book.hear(anonymous(guest, .purchase, at: day(2026, 1, 1)))
        _ = book.hear(claim(alice, .restore, first, at: day(2026, 1, 2)))
        let upgrade = transaction("1001", pro, from: day(2026, 1, 3), to: day(2026, 2, 3))
        book.tell(upgrade)
        _ = book.hear(claim(bob, .purchase, upgrade, at: day(2026, 1, 3)))
        #expect(book.hear(claim(carol, .restore, upgrade, at: day(2026, 1, 4))) == .moved(from: bob, rule: .restore))
        #expect(book.hear(claim(alice, .restore, upgrade, at: day(2026, 1, 5))) == .waiting(.limit))
    }

    @Test func `OWN-11 one Apple Account serves a limited number of customers at once; a purchase never waits`() {
        var policy = AppPolicy()
        policy.customersPerAppleAccount = 2
        for (kind, expected) in [
            (Claim.Kind.restore, ClaimOutcome.waiting(.limit)), (.queue, .bound), (.purchase, .bound),
        ] {
            var book = owned(by: nil, policy)
            let claimant = Claimant(carol, othersServed: [alice, bob])
            let outcome = book.hear(
                Claim(
                    id: .init("carol"), customer: claimant, kind: kind, transaction: first, productId: plus,
                    claimedAt: day(2026, 1, 5)))
            #expect(outcome == expected)
        }
        var book = owned(by: nil, policy)
        let known = Claimant(alice, othersServed: [alice, bob])
        #expect(
            book.hear(
                Claim(
                    id: .init("alice"), customer: known, kind: .restore, transaction: first, productId: plus,
                    claimedAt: day(2026, 1, 5))) == .bound)
    }

    // MARK: Votes

    private func vote(_ kind: OwnershipVote.Kind, by actor: OwnershipVote.Actor = .operatorOfTenure("o"), at instant: Timestamp)
        -> LedgerInput
    {
        .vote(OwnershipVote(id: .init("vote/\(instant)"), kind: kind, actor: actor, votedAt: instant))
    }

    @Test func `OWN-11 a claim past the limit is approved or denied by an operator`() {
        var policy = AppPolicy(onRestore: .transfer)
        policy.restoreLimit = 0
        var book = owned(by: alice, policy)
        let restore = claim(bob, .restore, first, at: day(2026, 2, 1))
        #expect(book.hear(restore) == .waiting(.limit))
        var denied = book
        book.tell(vote(.approve(restore.id), at: day(2026, 2, 2)))
        #expect(book.state.owner(at: day(2026, 2, 1)) == alice && book.state.owner(at: day(2026, 2, 2)) == bob)
        denied.tell(vote(.deny(restore.id), at: day(2026, 2, 2)))
        #expect(denied.state.claims.last?.outcome == .refused(.denied, rule: .restore))
        #expect(denied.state.owner(at: day(2026, 2, 3)) == alice)
    }

    @Test func `OWN-9 under ask only the owner's consent moves it`() {
        let restore = claim(bob, .restore, first, at: day(2026, 2, 1))
        for (voter, owner) in [(alice, bob), (carol, alice), (bob, alice)] {
            var book = owned(AppPolicy(onRestore: .ask))
            #expect(book.hear(restore) == .waiting(.decision))
            book.tell(vote(.approve(restore.id), by: .owner(voter), at: day(2026, 2, 2)))
            #expect(book.state.owner(at: day(2026, 2, 3)) == owner)
        }
    }

    @Test func `OWN-9 an operator may transfer what a token protects, from the instant of the vote`() {
        var book = Book()
        var bearing = first
        bearing.appAccountToken = aliceToken
        book.tell(bearing)
        if let aliceToken { book.tell(.registration(registered(aliceToken, alice))) }
        book.tell(vote(.transfer(to: bob), by: .owner(alice), at: day(2026, 1, 20)))
        #expect(book.state.owner(at: day(2026, 1, 21)) == alice)
        let decision = book.tell(vote(.transfer(to: bob), at: day(2026, 2, 1)))
        #expect(book.state.owner(at: day(2026, 1, 31)) == alice && book.state.owner(at: day(2026, 2, 1)) == bob)
        #expect(decision.auditRows.map(\.actor) == [.operatorOfTenure, .operatorOfTenure])
    }

    // MARK: Families

    @Test(arguments: FamilySharingPolicy.allCases)
    func `OWN-13 a subscription shared by a family has its own owner, and the policy may ignore it`(policy: FamilySharingPolicy) {
        var chosen = AppPolicy()
        chosen.familySharing = policy
        var shared = first
        shared.details.inAppOwnershipType = "FAMILY_SHARED"
        var member = Book(chosen)
        member.tell(shared)
        #expect(member.hear(claim(bob, .restore, shared, at: day(2026, 1, 2))) == .bound)
        #expect(member.isActive(bob, at: day(2026, 2, 1)) == (policy == .serve))
        #expect(member.state.periods.count == 1)
        var buyer = owned(by: alice, chosen)
        buyer.tell(.fact(.transaction(first)))
        #expect(buyer.isActive(alice, at: day(2026, 2, 1)))
    }
}
