import Ledger
import Primitives
import Testing

@Suite struct AppleAccountRules {
    private func state(
        _ id: String, _ customer: CustomerID?, account: String?, from: Timestamp = day(2026, 1, 1), group: String? = nil
    )
        -> SubscriptionState
    {
        owned(
            id, by: customer,
            transaction(id, from: from, to: from + .days(31)) {
                $0.appTransactionId = account
                $0.details.subscriptionGroupIdentifier = group
            })
    }

    private func sightings(by receipt: String, _ ids: String...) -> [AccountSighting] {
        ids.map { AccountSighting(of: .init($0), by: .receipt(receipt)) }
    }

    @Test func `OWN-14 for a new subscription of the same Apple Account the old one's owner is proposed, and nothing is bound`() {
        let states = [state("1", alice, account: "a"), state("2", nil, account: "a", from: day(2026, 3, 1))]
        let proposals = OwnerProposal.all(in: states, accounts: AppleAccounts(states), at: day(2026, 3, 2))
        #expect(proposals.map(\.customer) == [alice] && proposals.map(\.subscription.rawValue) == ["2"])
        #expect(proposals.map(\.becauseOf.rawValue) == ["1"] && proposals.map(\.evidence) == [[.appTransactionId("a")]])
        #expect(states[1].owner(at: day(2026, 3, 2)) == nil)
    }

    @Test func `OWN-14 one receipt shows the same Apple Account, transitively`() {
        let states = [
            state("1", alice, account: "a"), state("2", bob, account: "b"), state("3", nil, account: nil, from: day(2026, 3, 1)),
        ]
        let receipt = sightings(by: "r", "3", "1", "unknown")
        let accounts = AppleAccounts(states, sightings: receipt)
        #expect(accounts.accounts.map { $0.subscriptions.map(\.rawValue) } == [["1", "3"], ["2"]])
        let all = AppleAccounts(states, sightings: receipt + sightings(by: "s", "2", "3"))
        #expect(all.accounts.map { $0.subscriptions.map(\.rawValue) } == [["1", "2", "3"]])
        #expect(OwnerProposal.all(in: states, accounts: accounts, at: day(2026, 3, 2)).map(\.customer) == [alice])
    }

    @Test func `OWN-14 a common appAccountToken does not show the Apple Account, since the app sets it`() throws {
        let token = try #require(aliceToken)
        let states = [("1", alice), ("2", nil)].map { id, customer in
            owned(id, by: customer, transaction(id, from: day(2026, 1, 1), to: day(2026, 2, 1)) { $0.appAccountToken = token })
        }
        #expect(AppleAccounts(states).accounts.count == 2)
        #expect(OwnerProposal.all(in: states, accounts: AppleAccounts(states), at: day(2026, 1, 2)).isEmpty)
    }

    @Test func `OWN-14 an older subscription with an owner proposes, and of several the one of the same group`() {
        let older = state("1", alice, account: "a", group: "g1")
        let sameGroup = state("2", bob, account: "a", from: day(2025, 1, 1), group: "g2")
        let new = state("3", nil, account: "a", from: day(2026, 3, 1), group: "g2")
        let unowned = state("4", nil, account: "a", from: day(2026, 2, 1), group: "g2")
        func proposals(_ states: SubscriptionState...) -> [String] {
            OwnerProposal.all(in: states, accounts: AppleAccounts(states), at: day(2026, 3, 2)).map {
                "\($0.subscription) \($0.customer)"
            }
        }
        #expect(proposals(older, new) == ["3 alice"])
        #expect(proposals(older, sameGroup, new) == ["3 bob"])
        #expect(proposals(unowned, new).isEmpty)
        #expect(proposals(state("9", carol, account: "a", from: day(2026, 3, 2)), new).isEmpty)
    }

    @Test func `OWN-14 the order in which subscriptions are read changes nothing`() {
        let states = (1...6).map { state("\($0)", $0 == 1 ? alice : nil, account: $0 % 2 == 0 ? "a" : "b") }
        let links = sightings(by: "r", "2", "5")
        let once = AppleAccounts(states, sightings: links)
        for seed in 0..<8 as Range<UInt64> { #expect(AppleAccounts(states.shuffled(by: seed), sightings: links) == once) }
        #expect(once.accounts.count == 1)
    }
}
