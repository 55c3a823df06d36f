import Ledger
import Primitives
import Testing

/// Versions of a policy, overrides per subscription group, and OWN-16.
@Suite struct PolicyRules {
    private let first = transaction("1000", from: day(2026, 1, 1), to: day(2026, 12, 1))

    private func history(_ inputs: [LedgerInput]) -> SubscriptionHistory {
        var history = SubscriptionHistory(key: key)
        for input in inputs { _ = history.record(input) }
        return history
    }

    @Test func `a change of policy holds from its instant and never changes the past`() {
        let before = claim(bob, .restore, first, at: day(2026, 2, 1))
        let after = claim(bob, .restore, first, at: day(2026, 4, 1))
        let timeline = PolicyTimeline(
            AppPolicy(onRestore: .keep),
            then: [.init(validFrom: day(2026, 3, 1), policy: AppPolicy(version: 2, onRestore: .transfer))])
        let known = history([
            .fact(.transaction(first)), .claim(claim(alice, .purchase, first, at: day(2026, 1, 1))), .claim(before),
            .claim(after),
        ])
        let state = SubscriptionState(folding: known, under: timeline)
        #expect(state.owner(at: day(2026, 3, 31)) == alice && state.owner(at: day(2026, 4, 1)) == bob)
        #expect(state.policyVersion == 2)
    }

    @Test func `a subscription group's own choice takes precedence over the app's`() {
        var policy = AppPolicy(onRestore: .keep)
        var group = GroupPolicy("family")
        group.onRestore = .transfer
        policy.groups = [group]
        for (name, owner) in [("family", bob), ("other", alice)] {
            var bought = first
            bought.details.subscriptionGroupIdentifier = name
            let state = SubscriptionState(
                folding: history([
                    .fact(.transaction(bought)), .claim(claim(alice, .purchase, bought, at: day(2026, 1, 1))),
                    .claim(claim(bob, .restore, bought, at: day(2026, 2, 1))),
                ]), under: policy)
            #expect(state.owner(at: day(2026, 2, 2)) == owner, "\(name)")
        }
    }

    @Test func `OWN-16 what-if lists which customers would lose or gain what, and when, and changes nothing`() {
        let known = history([
            .fact(.transaction(first)), .claim(claim(alice, .purchase, first, at: day(2026, 1, 1))),
            .claim(claim(bob, .restore, first, at: day(2026, 2, 1))),
        ])
        let present = PolicyTimeline(AppPolicy(onRestore: .keep))
        let proposed = PolicyTimeline(AppPolicy(version: 2, onRestore: .transfer))
        let differences = WhatIf(present: present, proposed: proposed).differences(in: known)
        let rest = TimeWindow(from: day(2026, 2, 1), until: day(2026, 12, 1) + .hours(1))
        #expect(
            differences == [
                AccessDifference(customer: alice, subscription: key, window: rest, effect: .loses, rule: .firstClaim),
                AccessDifference(customer: bob, subscription: key, window: rest, effect: .gains, rule: .restore),
            ])
        #expect(WhatIf(present: present, proposed: present).differences(in: known).isEmpty)
    }

    @Test func `OWN-16 a policy that holds from an instant on changes only what comes after it`() {
        let known = history([
            .fact(.transaction(first)), .claim(claim(alice, .purchase, first, at: day(2026, 1, 1))),
            .claim(claim(bob, .restore, first, at: day(2026, 2, 1))),
        ])
        let present = PolicyTimeline(AppPolicy(onRestore: .keep))
        let proposed = present.changing(to: AppPolicy(version: 2, onRestore: .transfer), from: day(2026, 2, 2))
        #expect(WhatIf(present: present, proposed: proposed).differences(in: known).isEmpty)
    }
}
