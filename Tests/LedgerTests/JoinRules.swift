import Ledger
import Primitives
import Testing

/// OWN-10, the second half: customers whom an operator joins into one, or separates again.
@Suite struct JoinRules {
    private let first = transaction("1000", from: day(2026, 1, 1), to: day(2027, 1, 1))

    private func join(_ from: CustomerID, into: CustomerID, at instant: Timestamp, as id: String = "join") -> LedgerInput {
        .join(CustomerJoin(id: .init(id), of: CustomerPair(from, into: into), joinedAt: instant))
    }

    private func separation(
        of id: String = "join", _ from: CustomerID, from into: CustomerID, at instant: Timestamp
    ) -> LedgerInput {
        .separation(
            CustomerSeparation(id: .init("w/\(id)"), of: .init(id), CustomerPair(from, into: into), separatedAt: instant))
    }

    private func owned(by owner: CustomerID, _ policy: AppPolicy = AppPolicy()) -> Book {
        var book = Book(policy)
        book.tell(first)
        _ = book.hear(claim(owner, .purchase, first, at: day(2026, 1, 1)))
        return book
    }

    @Test func `OWN-10 a join makes one customer's subscription the other's, the past included, until it is withdrawn`() {
        var book = owned(by: bob)
        book.tell(join(bob, into: alice, at: day(2026, 2, 1)))
        #expect(book.state.owner(at: day(2026, 1, 2)) == alice)
        #expect(book.isActive(alice, at: day(2026, 3, 1)) && !book.isActive(bob, at: day(2026, 3, 1)))
        #expect(book.state.tenures.map(\.customer) == [alice])
        book.tell(separation(of: "other", bob, from: alice, at: day(2026, 2, 2)))
        #expect(book.isActive(alice, at: day(2026, 3, 1)), "another join's withdrawal says nothing of this one")
        book.tell(separation(bob, from: alice, at: day(2026, 2, 3)))
        #expect(book.state.tenures.map(\.customer) == [bob])
        #expect(book.isActive(bob, at: day(2026, 3, 1)) && !book.isActive(alice, at: day(2026, 3, 1)))
    }

    @Test func `OWN-10 a customer who has another id is known by both, whichever they use`() {
        var book = owned(by: bob, AppPolicy(onRestore: .keep))
        let robert = CustomerID("robert")
        book.tell(join(bob, into: robert, at: day(2026, 2, 1)))
        #expect(book.hear(claim(robert, .restore, first, at: day(2026, 2, 2))) == .alreadyOwner)
        #expect(book.hear(claim(bob, .restore, first, at: day(2026, 2, 3))) == .alreadyOwner)
        #expect(book.hear(claim(carol, .restore, first, at: day(2026, 2, 4))) == .refused(.ownedByAnother, rule: .restore))
        #expect(book.state.owner(at: day(2026, 3, 1)) == robert)
    }

    @Test func `OWN-10 what was judged before a join or while it stood is not judged again`() {
        var book = owned(by: bob, AppPolicy(onRestore: .keep))
        #expect(book.hear(claim(alice, .restore, first, at: day(2026, 1, 20))) == .refused(.ownedByAnother, rule: .restore))
        book.tell(join(bob, into: alice, at: day(2026, 2, 1)))
        #expect(book.state.claims.map(\.outcome).contains(.refused(.ownedByAnother, rule: .restore)))
        #expect(book.hear(claim(alice, .restore, first, at: day(2026, 2, 2))) == .alreadyOwner)
        book.tell(separation(bob, from: alice, at: day(2026, 2, 3)))
        #expect(book.state.owner(at: day(2026, 3, 1)) == bob)
        #expect(book.hear(claim(alice, .restore, first, at: day(2026, 2, 4))) == .refused(.ownedByAnother, rule: .restore))
    }

    @Test func `OWN-10 joins in a row lead to the last one, and withdrawing one in the middle leaves the others`() {
        var book = owned(by: bob)
        book.tell(join(bob, into: alice, at: day(2026, 2, 1), as: "one"))
        book.tell(join(alice, into: carol, at: day(2026, 2, 2), as: "two"))
        #expect(book.state.tenures.map(\.customer) == [carol])
        book.tell(separation(of: "one", bob, from: alice, at: day(2026, 2, 3)))
        #expect(book.state.tenures.map(\.customer) == [bob])
        book.tell(join(bob, into: alice, at: day(2026, 2, 4), as: "three"))
        book.tell(separation(of: "two", alice, from: carol, at: day(2026, 2, 5)))
        #expect(book.state.tenures.map(\.customer) == [alice])
    }

    @Test func `OWN-10 the first join of a customer stands, and none leads back to themselves`() {
        var book = owned(by: bob)
        book.tell(join(bob, into: alice, at: day(2026, 2, 1), as: "one"))
        book.tell(join(bob, into: carol, at: day(2026, 2, 2), as: "two"))
        book.tell(join(alice, into: bob, at: day(2026, 2, 3), as: "three"))
        book.tell(join(alice, into: alice, at: day(2026, 2, 4), as: "four"))
        #expect(book.state.tenures.map(\.customer) == [alice])
    }

    @Test func `OWN-10 an operator can say who an anonymous customer is`() {
        let guest = CustomerID("$anonymous:1")
        var book = Book()
        book.tell(first)
        let bought = Claim(
            id: .init("guest"), customer: Claimant(guest, isAnonymous: true), kind: .purchase, transaction: first,
            productId: first.productId, claimedAt: day(2026, 1, 1))
        _ = book.hear(bought)
        book.tell(join(guest, into: alice, at: day(2026, 2, 1)))
        #expect(book.state.tenures.map(\.customer) == [alice])
    }

    @Test func `OWN-10 what an operator approved goes to whoever claimed it, whoever they turn out to be`() {
        var book = owned(by: carol, AppPolicy(onRestore: .ask))
        book.tell(join(bob, into: alice, at: day(2026, 2, 1)))
        let claimed = claim(bob, .restore, first, at: day(2026, 2, 2))
        #expect(book.hear(claimed) == .waiting(.decision))
        book.tell(
            .vote(
                OwnershipVote(
                    id: .init("v"), kind: .approve(claimed.id), actor: .operatorOfTenure("mia"), votedAt: day(2026, 2, 3))))
        #expect(book.state.owner(at: day(2026, 3, 1)) == alice)
        book.tell(separation(bob, from: alice, at: day(2026, 2, 4)))
        #expect(book.state.owner(at: day(2026, 3, 1)) == bob)
    }

    @Test func `FACT-2 joins and withdrawals in any order, and twice, come to the same`() {
        let inputs = [
            join(bob, into: alice, at: day(2026, 2, 1), as: "one"), join(alice, into: carol, at: day(2026, 2, 2), as: "two"),
            separation(of: "one", bob, from: alice, at: day(2026, 2, 3)),
            join(bob, into: carol, at: day(2026, 2, 4), as: "three"),
            separation(of: "two", alice, from: carol, at: day(2026, 2, 5)),
        ]
        var expected = owned(by: bob)
        for input in inputs { expected.tell(input) }
        #expect(expected.state.tenures.map(\.customer) == [carol])
        for _ in 0..<40 {
            var book = owned(by: bob)
            for input in (inputs + inputs).shuffled() { book.tell(input) }
            #expect(book.state.tenures == expected.state.tenures)
        }
    }

    @Test func `OWN-15 a join and its withdrawal are told in words, with the operator's reason`() {
        var book = owned(by: bob)
        book.tell(
            .join(
                CustomerJoin(
                    id: .init("join"), of: CustomerPair(bob, into: alice), joinedAt: day(2026, 2, 1), reason: "one mail address"))
        )
        book.tell(separation(bob, from: alice, at: day(2026, 2, 3)))
        let words = Explanation(of: book.history, book.state, at: day(2026, 3, 1)).english.joined(separator: "\n")
        #expect(
            words.contains(
                "an operator decided that bob and alice are one customer, alice: what belonged to bob counts as alice's, from "
                    + "the beginning, for this reason: “one mail address”"))
        #expect(
            words.contains(
                "an operator decided that bob and alice are two customers after all: what belonged to bob is bob's again"))
    }

    // MARK: What was said about them

    private let plus = EntitlementID("plus")

    private func vote(_ id: String, _ kind: CustomerVote.Kind, at instant: Timestamp = day(2026, 2, 1)) -> CustomerVote {
        CustomerVote(id: .init(id), kind: kind, actor: "mia", reason: "", votedAt: instant)
    }

    private func account(of customer: CustomerID, _ votes: CustomerVote...) -> CustomerAccount {
        var account = CustomerAccount(app: key.app, environment: key.environment, customer: customer)
        for vote in votes { _ = account.record(vote) }
        return account
    }

    @Test func `OWN-10 a person has what was said under each id, and votes of one id for two things stay two`() {
        let grant = { self.vote("welcome", .grant(self.plus, TimeWindow(from: day(2026, $0, 1), until: day(2026, $0 + 1, 1)))) }
        let join = vote("join", .join(CustomerPair(bob, into: alice)))
        let withdrawal = vote("w", .withdraw(.init("welcome")), at: day(2026, 2, 5))
        let person = Person(account(of: bob, grant(1), withdrawal, join), [account(of: alice, grant(6), join)])
        #expect(person.customer == alice && person.customers == [alice, bob] && person.missing.isEmpty)
        #expect(person.account.votes.map(\.id.rawValue).sorted() == ["bob/welcome", "join", "w", "welcome"])
        let withdrawn = person.account.votes.filter { person.account.withdrawal(of: $0) != nil }
        #expect(withdrawn.map(\.id.rawValue) == ["bob/welcome"])
    }

    @Test func `OWN-10 who a person is asks for the books that joins name`() {
        let (one, two) = (vote("one", .join(CustomerPair(bob, into: alice))), vote("two", .join(CustomerPair(carol, into: bob))))
        #expect(Person(account(of: alice, one)).missing == [bob])
        #expect(Person(account(of: alice, one), [account(of: bob, one, two)]).missing == [carol])
        let all = Person(account(of: alice, one), [account(of: bob, one, two), account(of: carol, two)])
        #expect(all.missing.isEmpty && all.customer == alice)
        #expect(all.joins(of: carol).map(\.id.rawValue) == ["two", "one"])
        #expect(all.joins(of: alice).isEmpty)
    }

    @Test func `AUDIT-1 a join's row and event say what the other one's grants and subscriptions bring`() {
        let grant = vote("g", .grant(plus, TimeWindow(from: day(2026, 3, 1), until: day(2026, 4, 1))))
        let state = LedgerTests.owned("1", by: bob, transaction("1", from: day(2026, 1, 1), to: day(2026, 2, 1)))
        let join = vote("join", .join(CustomerPair(bob, into: alice)))
        let standing = CustomerStanding(
            account(of: alice), others: [account(of: bob, grant, join)], held: [alice: [], bob: [Holding(of: bob, in: state)]],
            heldAfter: [alice: [Holding(of: bob, in: state)], bob: []])
        let decision = CustomerDecision(
            on: .vote(join), about: standing, map: entitlements([LedgerTests.plus: ["plus"]]), learnedAt: day(2026, 2, 1))
        // Apple has not said yet that it ended, so an hour is provisional (ENT-6).
        let windows = [
            TimeWindow(from: day(2026, 1, 1), until: day(2026, 2, 1) + .hours(1)),
            TimeWindow(from: day(2026, 3, 1), until: day(2026, 4, 1)),
        ]
        #expect(decision.auditRows.map(\.before) == [[]] && decision.auditRows.map(\.after) == [windows])
        #expect(decision.auditRows.map(\.rule) == [.anonymous] && decision.auditRows.map(\.actor) == ["mia"])
        #expect(decision.events.map(\.kind) == [.customerJoined, .entitlementChanged])
        #expect(decision.events[0].pair == CustomerPair(bob, into: alice) && decision.events[1].windows == windows)
    }
}
